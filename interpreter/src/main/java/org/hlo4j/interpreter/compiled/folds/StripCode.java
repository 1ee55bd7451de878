package org.hlo4j.interpreter.compiled.folds;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.ElementFunctions;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/**
 * Writes the loop that computes values along a strip.
 *
 * @param leaves what is read, by the number of its array, each along the strip or the same for all
 * @param roots what is computed and stored, each in the array of a number
 * @param positions for each array the number of its position: the same where positions are
 */
record StripCode(
    Map<Node, Leaf> leaves, Map<Integer, Node> roots, ImmutableList<Integer> positions) {
  /**
   * What is read.
   *
   * @param number the number of its array
   * @param splat whether the same for all turns
   */
  record Leaf(int number, boolean splat) {}

  void write(Lanes lanes) {
    LoopWriter writer = new LoopWriter(lanes);
    lanes.body(() -> {
      Map<Node, Integer> arrays = new LinkedHashMap<>();
      Map<Integer, Integer> locals = new HashMap<>();
      positions.forEach(number -> locals.computeIfAbsent(number, writer::position));
      Map<Node, Integer> sources = new HashMap<>();
      Map<Node, Value> same = new HashMap<>();
      leaves.forEach((node, leaf) -> {
        arrays.put(node, writer.array(leaf.number(), node.type()));
        sources.put(node, requireNonNull(locals.get(positions.get(leaf.number()))));
        if (leaf.splat()) {
          same.put(node, lanes.loadSplat(node.type(), arrays.get(node), sources.get(node)));
        }
      });
      Map<Integer, Integer> targets = new HashMap<>();
      Map<Integer, Integer> starts = new HashMap<>();
      roots.forEach((number, node) -> {
        targets.put(number, writer.array(number, node.type()));
        starts.put(number, requireNonNull(locals.get(positions.get(number))));
      });
      writer.start();
      writer.steps(
          lanes.width(),
          () -> {
            int mark = lanes.mark();
            Map<Node, Value> values = new HashMap<>(same);
            leaves.forEach((node, leaf) -> {
              if (!leaf.splat()) {
                int index = writer.index(requireNonNull(sources.get(node)), 0);
                values.put(node, lanes.load(node.type(), requireNonNull(arrays.get(node)), index));
              }
            });
            roots.values().forEach(node -> value(lanes, node, values));
            roots.forEach((number, node) ->
                lanes.store(
                    node.type(),
                    requireNonNull(targets.get(number)),
                    writer.index(requireNonNull(starts.get(number)), 0),
                    value(lanes, node, values)));
            lanes.release(mark);
          });
      lanes.code().return_();
    });
  }

  private static Value value(Lanes lanes, Node node, Map<Node, Value> values) {
    Value known = values.get(node);
    if (known != null) {
      return known;
    }
    Value value =
        switch (node) {
          case Node.Immediate immediate -> BodyCode.constant(lanes, immediate.scalar);
          case Node.Apply apply -> {
            List<Value> in = new ArrayList<>();
            apply.operands.forEach(operand -> in.add(value(lanes, operand, values)));
            yield ElementFunctions.apply(lanes, apply.op, types(apply), apply.type, in);
          }
          case Node.Read read -> throw new AssertionError("a leaf that is not given");
          case Node.Spread spread -> throw new AssertionError("a leaf that is not given");
          case Node.Folded folded -> throw new AssertionError("a leaf that is not given");
        };
    values.put(node, value);
    return value;
  }

  /** Bits of the widest lane in the loop. */
  int widest() {
    int widest = 32;
    for (Node node : nodes()) {
      widest = Math.max(widest, Lane.of(node.type()).bits());
      if (node instanceof Node.Apply apply) {
        widest =
            Math.max(
                widest, ElementFunctions.traits(apply.op, types(apply), apply.type).widestBits());
      }
    }
    return widest;
  }

  /** What tells this loop from others. */
  String structure() {
    Map<Node, Integer> numbers = new LinkedHashMap<>();
    StringBuilder text = new StringBuilder(positions.toString());
    nodes()
        .forEach(node -> {
          text.append(numbers.size()).append('=').append(node.type());
          Leaf leaf = leaves.get(node);
          if (leaf != null) {
            text.append(leaf.splat() ? "splat" : "read").append(leaf.number());
          } else if (node instanceof Node.Immediate immediate) {
            text.append(immediate.scalar.toHloText());
          } else if (node instanceof Node.Apply apply) {
            text.append(apply.op);
            apply.operands.forEach(operand -> text.append(' ').append(numbers.get(operand)));
          }
          text.append('\n');
          numbers.put(node, numbers.size());
        });
    roots.forEach((number, node) -> text.append(number).append('<').append(numbers.get(node)));
    return text.toString();
  }

  private Set<Node> nodes() {
    Set<Node> seen = new LinkedHashSet<>(leaves.keySet());
    roots.values().forEach(root -> collect(root, seen));
    return seen;
  }

  private static void collect(Node node, Set<Node> seen) {
    if (!seen.contains(node)) {
      if (node instanceof Node.Apply apply) {
        apply.operands.forEach(operand -> collect(operand, seen));
      }
      seen.add(node); // after its operands
    }
  }

  private static List<ElementType> types(Node.Apply apply) {
    return apply.operands.stream().map(Node::type).toList();
  }
}
