package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Expressions;
import org.hlo4j.interpreter.compiled.expr.Formula;
import org.hlo4j.interpreter.compiled.expr.Term;
import org.hlo4j.interpreter.compiled.loops.LoopNode;

/**
 * The code generator of the loop that computes values along a strip.
 *
 * @param leaves the nodes that are read, each along the strip or as the same element for all
 * @param roots the values that are computed, by the index of the array that stores them
 * @param positions for each array, the index of its position; arrays whose positions are equal
 *     share one
 */
record StripCode(
    Map<LoopNode, Leaf> leaves, Map<Integer, LoopNode> roots, ImmutableList<Integer> positions) {
  /**
   * A node that is read.
   *
   * @param number the index of its array
   * @param splat whether it is the same element in all iterations
   */
  record Leaf(int number, boolean splat) {}

  void write(CodeEmitter emitter) {
    ReduceLoopWriter writer = new ReduceLoopWriter(emitter);
    emitter.body(() -> {
      Map<Integer, Integer> locals = new HashMap<>();
      positions.forEach(number -> locals.computeIfAbsent(number, writer::position));
      IntUnaryOperator position = number -> requireNonNull(locals.get(positions.get(number)));
      Expressions<LoopNode> values = new Expressions<>(emitter, this::term, StripCode::unread);
      Map<Integer, Integer> arrays = new HashMap<>();
      leaves.forEach((node, leaf) -> {
        int array = writer.array(leaf.number(), node.type());
        arrays.put(leaf.number(), array);
        if (leaf.splat()) {
          int from = position.applyAsInt(leaf.number());
          values.put(node, emitter.loadSplat(node.type(), array, from));
        }
      });
      roots.forEach((number, node) -> arrays.put(number, writer.array(number, node.type())));
      writer.start();
      writer.steps(
          emitter.width(),
          () -> {
            int mark = emitter.mark();
            leaves.forEach((node, leaf) -> {
              if (!leaf.splat()) {
                int index = writer.index(position.applyAsInt(leaf.number()), 0);
                int array = requireNonNull(arrays.get(leaf.number()));
                values.put(node, emitter.load(node.type(), array, index));
              }
            });
            roots.values().forEach(values::value);
            roots.forEach((number, node) -> {
              int index = writer.index(position.applyAsInt(number), 0);
              int array = requireNonNull(arrays.get(number));
              emitter.store(node.type(), array, index, values.value(node));
            });
            emitter.release(mark);
          });
      emitter.code().return_();
    });
  }

  private static Value unread(LoopNode node) {
    throw new AssertionError("a leaf that is not given: " + node);
  }

  /** {@return the number of bits of the widest lane in the loop} */
  int widest() {
    return Math.max(Lane.I32.bits(), formula().widestBits());
  }

  /** {@return a key that is equal for loops with the same code} */
  List<Object> structure() {
    List<Object> all = new ArrayList<>(formula().structure(this::source));
    all.add(positions);
    all.add(List.copyOf(roots.keySet()));
    return all;
  }

  private String source(LoopNode node) {
    Leaf leaf = requireNonNull(leaves.get(node));
    return (leaf.splat() ? "splat " : "read ") + leaf.number();
  }

  private Formula<LoopNode> formula() {
    return new Formula<>(leaves.keySet(), roots.values(), this::term);
  }

  private Term<LoopNode> term(LoopNode node) {
    return leaves.containsKey(node) ? new Term.Input<>(node.type()) : node.term();
  }
}
