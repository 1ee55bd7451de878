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
import org.hlo4j.interpreter.compiled.loops.LoopNode;

/**
 * The part of the code generation for a pass of a {@link BlockPlan} that does not depend on whether
 * a lane holds a row or an element of a row.
 */
final class BlockPassCode {
  private final ReduceLoopWriter writer;
  private final CodeEmitter emitter;
  private final BlockPlan plan;
  private final int pass;
  private final IntFunction<ElementType> types;
  private final Map<Integer, Integer> arrays = new HashMap<>();
  private final Map<Integer, Integer> positions = new HashMap<>();

  /**
   * Creates a code generator for a pass.
   *
   * @param types the element type of each array
   */
  BlockPassCode(ReduceLoopWriter writer, BlockPlan plan, int pass, IntFunction<ElementType> types) {
    this.writer = writer;
    this.emitter = writer.emitter();
    this.plan = plan;
    this.pass = pass;
    this.types = types;
  }

  /** {@return the local variable that holds the array of an index; the load is in the prologue} */
  int array(int number) {
    return arrays.computeIfAbsent(
        number,
        key -> {
          int local = emitter.newLocal(TypeKind.REFERENCE);
          emitter.inPrologue(() -> writer.array(key, types.apply(key), local));
          return local;
        });
  }

  /**
   * {@return the local variable that holds an entry of the positions, which may also be a length or
   * a stride; the load is in the prologue}
   */
  int position(int number) {
    return positions.computeIfAbsent(
        number,
        key -> {
          int local = emitter.newLocal(TypeKind.INT);
          emitter.inPrologue(() -> writer.position(key, local));
          return local;
        });
  }

  /**
   * Hoists the values that are constant along a row: passes each of them to {@code ofRow}, before
   * the loop over elements.
   */
  void writeInvariants(Consumer<LoopNode> ofRow) {
    Set<LoopNode> seen = new HashSet<>();
    plan.elements(pass).forEach(node -> writeInvariants(node, ofRow, seen));
  }

  private void writeInvariants(LoopNode node, Consumer<LoopNode> ofRow, Set<LoopNode> seen) {
    if (plan.isSaved(node, pass) || !seen.add(node)) {
      return;
    }
    if (isOfRow(node)) {
      ofRow.accept(node);
    } else if (node instanceof LoopNode.Apply apply) {
      apply.operands().forEach(operand -> writeInvariants(operand, ofRow, seen));
    }
  }

  private boolean isOfRow(LoopNode node) {
    return plan.program.isOfRow(node)
        || node instanceof LoopNode.Immediate
        || (node instanceof LoopNode.Read && leaf(node).isOfRow());
  }

  private BlockPlan.Leaf leaf(LoopNode node) {
    return requireNonNull(plan.leaves.get(node));
  }

  /**
   * Stores a value of an element: into the array that keeps it for later passes, and into results.
   */
  void writeStores(LoopNode node, IntConsumer saved, IntConsumer result) {
    if (plan.saved.contains(node) && plan.pass(node) == pass) {
      saved.accept(plan.savedArray(node));
    }
    for (int i = 0; i < plan.roots.size(); i++) {
      if (plan.roots.get(i) == node && plan.isFull(i)) {
        result.accept(plan.output(i));
      }
    }
  }

  /**
   * {@return an input of the expressions of an element: a value that an earlier pass saved, a value
   * of its row, or a value that is read}
   */
  Value element(
      LoopNode node,
      IntFunction<Value> saved,
      Function<LoopNode, Value> ofRow,
      Function<BlockPlan.Leaf, Value> read) {
    if (plan.isSaved(node, pass)) {
      return saved.apply(plan.savedArray(node));
    }
    return isOfRow(node) ? ofRow.apply(node) : read.apply(leaf(node));
  }
}
