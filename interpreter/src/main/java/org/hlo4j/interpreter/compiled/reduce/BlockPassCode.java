package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.lang.classfile.TypeKind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;

/** What is written of a pass of a {@link BlockPlan} alike, whichever way its rows lie. */
final class BlockPassCode {
  private final ReduceLoopWriter writer;
  private final CodeEmitter emitter;
  private final BlockPlan plan;
  private final int pass;
  private final IntFunction<ElementType> types;
  private final Map<Integer, Integer> arrays = new HashMap<>();
  private final Map<Integer, Integer> positions = new HashMap<>();

  /**
   * A writer.
   *
   * @param types what each array holds
   */
  BlockPassCode(ReduceLoopWriter writer, BlockPlan plan, int pass, IntFunction<ElementType> types) {
    this.writer = writer;
    this.emitter = writer.lanes();
    this.plan = plan;
    this.pass = pass;
    this.types = types;
  }

  /** The array of a number, in a local variable from the start. */
  int array(int number) {
    return arrays.computeIfAbsent(
        number,
        key -> {
          int local = emitter.newLocal(TypeKind.REFERENCE);
          emitter.inPrologue(() -> writer.array(key, types.apply(key), local));
          return local;
        });
  }

  /** A position, or whatever else is told as one, in a local variable from the start. */
  int position(int number) {
    return positions.computeIfAbsent(
        number,
        key -> {
          int local = emitter.newLocal(TypeKind.INT);
          emitter.inPrologue(() -> writer.position(key, local));
          return local;
        });
  }

  /** Has all computed, before the loop over elements, that is the same for all of a row. */
  void writeInvariants(Consumer<ReduceNode> ofRow) {
    Set<ReduceNode> seen = new HashSet<>();
    plan.elements(pass).forEach(node -> writeInvariants(node, ofRow, seen));
  }

  private void writeInvariants(ReduceNode node, Consumer<ReduceNode> ofRow, Set<ReduceNode> seen) {
    if (plan.isSaved(node, pass) || !seen.add(node)) {
      return;
    }
    switch (node) {
      case ReduceNode.BroadcastBack broadcast -> ofRow.accept(broadcast.kept);
      case ReduceNode.Immediate immediate -> ofRow.accept(immediate);
      case ReduceNode.Read read -> {
        if (requireNonNull(plan.leaves.get(read)).isOfRow()) {
          ofRow.accept(read);
        }
      }
      case ReduceNode.Apply apply ->
          apply.operands.forEach(operand -> writeInvariants(operand, ofRow, seen));
      case ReduceNode.Reduced reduced -> throw new AssertionError("a result of an element");
    }
  }

  /** Has a value of an element stored: where it is kept for later passes, and as results. */
  void writeStores(ReduceNode node, IntConsumer saved, IntConsumer result) {
    if (plan.saved.containsKey(node) && plan.levels.pass(node) == pass) {
      saved.accept(requireNonNull(plan.saved.get(node)));
    }
    for (int i = 0; i < plan.roots.size(); i++) {
      if (plan.roots.get(i) == node && plan.isFull(node)) {
        result.accept(plan.output(i));
      }
    }
  }

  /** What is given for an element: kept by an earlier pass, of its row, or read. */
  Value element(
      ReduceNode node,
      IntFunction<Value> saved,
      Function<ReduceNode, Value> ofRow,
      Function<BlockPlan.Leaf, Value> read) {
    if (plan.isSaved(node, pass)) {
      return saved.apply(requireNonNull(plan.saved.get(node)));
    }
    return switch (node) {
      case ReduceNode.BroadcastBack broadcast -> ofRow.apply(broadcast.kept);
      case ReduceNode.Read given -> {
        BlockPlan.Leaf leaf = requireNonNull(plan.leaves.get(given));
        yield leaf.isOfRow() ? ofRow.apply(given) : read.apply(leaf);
      }
      case ReduceNode.Reduced _, ReduceNode.Immediate _, ReduceNode.Apply _ ->
          throw new AssertionError("nothing given for an element");
    };
  }
}
