package org.hlo4j.interpreter.compiled.folds;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.lanes.ElementFunctions;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.TooLargeException;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.hlo4j.interpreter.compiled.tiers.Practice;

/** Makes the loop of a pass over rows side by side: known by what it does, made once. */
final class SideLoop {
  private static final int MOST_PRACTISED = 16;

  /** About how many operations C2 gets to see at a time: calls have to be short. */
  private static final int PRACTISED = 500;

  private static final int[] VECTORS = {4, 2, 1};
  private static final int MOST_OPERATIONS = 24;

  private final SidePlan plan;
  private final int pass;
  private final int pitch;
  private final Set<Node> elements = new LinkedHashSet<>();
  private final Set<Node> rows = new LinkedHashSet<>();
  private final Map<Node, Integer> numbers = new LinkedHashMap<>();
  private final StringBuilder structure = new StringBuilder();
  private int weight;
  private int widest = 32;

  private SideLoop(SidePlan plan, int pass, int pitch) {
    this.plan = plan;
    this.pass = pass;
    this.pitch = pitch;
    plan.elements(pass).forEach(node -> collect(node, true));
    for (Fold fold : plan.folds(pass)) {
      fold.initials().forEach(node -> collect(node, false));
      widest = fold.body().isSum() ? Long.SIZE : widest;
    }
    plan.rows(pass).forEach(node -> collect(node, false));
  }

  /** The loop of a pass. */
  static Loop of(SidePlan plan, int pass, int pitch) {
    SideLoop made = new SideLoop(plan, pass, pitch);
    return FoldLoops.known(made.structure(), made::tier);
  }

  private void collect(Node node, boolean isOfElement) {
    Set<Node> seen = isOfElement ? elements : rows;
    if (!seen.add(node)) {
      return;
    }
    widest = Math.max(widest, Lane.of(node.type()).bits());
    switch (node) {
      case Node.Spread spread -> collect(spread.kept, false);
      case Node.Apply apply -> {
        if (!isOfElement || !plan.isSaved(node, pass)) {
          ElementFunctions.Traits traits = apply.term().traits();
          widest = Math.max(widest, traits.widestBits());
          weight += isOfElement ? traits.operations() : 0;
          apply.operands.forEach(operand -> collect(operand, isOfElement));
        }
      }
      case Node.Read read -> {}
      case Node.Immediate immediate -> {}
      case Node.Folded folded -> {}
    }
  }

  /** What tells this loop from others. */
  private List<Object> structure() {
    List<Object> bodies = new ArrayList<>();
    structure.append(pitch).append(' ').append(plan.types()).append('\n');
    for (Fold fold : plan.folds(pass)) {
      fold.initials().forEach(this::number);
      fold.inputs().forEach(this::number);
      structure.append("fold").append(plan.folded.get(fold));
      fold.initials().forEach(node -> structure.append(' ').append(numbers.get(node)));
      fold.inputs().forEach(node -> structure.append(' ').append(numbers.get(node)));
      bodies.add(fold.body().code().structure());
      structure.append('\n');
    }
    for (Node node : plan.stored(pass)) {
      structure.append("store").append(number(node)).append(plan.saved.get(node)).append('\n');
    }
    for (int i = 0; i < plan.roots.size(); i++) {
      Node root = plan.roots.get(i);
      if (plan.stored(pass).contains(root) || plan.rows(pass).contains(root)) {
        structure.append("root").append(number(root)).append(' ').append(plan.output(i));
      }
    }
    return List.of("side", structure.toString(), bodies);
  }

  private int number(Node node) {
    Integer known = numbers.get(node);
    if (known != null) {
      return known;
    }
    StringBuilder text = new StringBuilder().append(node.type()).append(' ');
    if (plan.isSaved(node, pass)) {
      text.append("saved").append(plan.saved.get(node));
    } else {
      switch (node) {
        case Node.Spread spread -> text.append("spread").append(number(spread.kept));
        case Node.Immediate immediate -> text.append(immediate.scalar.bitsAt(0));
        case Node.Read read -> {
          SidePlan.Leaf leaf = requireNonNull(plan.leaves.get(read));
          text.append(leaf.number()).append(leaf.isOfRow() ? "row" : "read");
          text.append(leaf.rowStride() == 0 ? 0 : 1).append(leaf.isTiled()).append(' ');
          text.append(leaf.isTiled() ? 0 : leaf.elementStride());
        }
        case Node.Apply apply -> {
          text.append(apply.op);
          apply.operands.forEach(operand -> text.append(' ').append(number(operand)));
        }
        case Node.Folded folded ->
            text.append("folded").append(plan.folded.get(folded.fold)).append(folded.output);
      }
    }
    numbers.put(node, numbers.size());
    structure.append(numbers.get(node)).append('=').append(text).append('\n');
    return requireNonNull(numbers.get(node));
  }

  /** The loop, of as many vectors at a time as its operations and bytecodes allow. */
  private Loop tier() {
    int width = VectorSupport.width(widest);
    for (int vectors : VECTORS) {
      try {
        if (vectors == 1 || vectors * weight <= MOST_OPERATIONS) {
          return Tier.of(
              "fold_side_by_side",
              lanes -> new SideCode(lanes, plan, pass, pitch).write(vectors),
              width,
              plan.depth,
              () -> practice(width, vectors));
        }
      } catch (TooLargeException fewer) {
        // Fewer vectors at a time may fit.
      }
    }
    throw new Unfit("a long computation");
  }

  /** As few elements as show all loops; of both loops sometimes more turns, sometimes fewer. */
  private Practice<Loop> practice(int width, int vectors) {
    int most = PRACTISED / (vectors + 1) / (weight + 1);
    int depth = Math.min(Math.clamp(most, 2, MOST_PRACTISED), plan.depth);
    int steps = 2 * vectors + 1;
    List<ElementType> types = plan.types();
    Object[] arrays = new Object[types.size()];
    for (int i = 0; i < arrays.length; i++) {
      arrays[i] = Storages.allocate(types.get(i), depth * pitch + steps * width);
    }
    plan.leaves
        .values()
        .forEach(leaf -> {
          int stride = Math.max(pitch, leaf.elementStride());
          int number = leaf.number();
          arrays[number] = Storages.allocate(types.get(number), depth * stride + steps * width);
        });
    int[] positions = new int[arrays.length + 1];
    return (form, asked) -> {
      positions[arrays.length] = depth - asked % 2;
      form.run(arrays, positions, Math.max(0, -asked), Math.clamp(asked, 0, steps) * width);
    };
  }
}
