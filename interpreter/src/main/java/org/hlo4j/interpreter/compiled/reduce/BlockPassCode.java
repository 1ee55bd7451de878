package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeBuilder;
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
abstract class BlockPassCode {
  final CodeEmitter emitter;
  final CodeBuilder code;
  final ReduceLoopWriter writer;
  final BlockPlan plan;
  final int pass;
  private final ImmutableList<ElementType> types;
  private final Map<Integer, Integer> arrays = new HashMap<>();
  private final Map<Integer, Integer> positions = new HashMap<>();

  /**
   * Creates a code generator for a pass.
   *
   * @param types the element type of each array
   */
  BlockPassCode(CodeEmitter emitter, BlockPlan plan, int pass, ImmutableList<ElementType> types) {
    this.emitter = emitter;
    this.code = emitter.code();
    this.writer = new ReduceLoopWriter(emitter);
    this.plan = plan;
    this.pass = pass;
    this.types = types;
  }

  /** {@return the local variable that holds the array of an index; the load is in the prologue} */
  final int array(int number) {
    return inPrologue(
        arrays,
        number,
        TypeKind.REFERENCE,
        local -> writer.array(number, types.get(number), local));
  }

  /**
   * {@return the local variable that holds an entry of the positions, which may also be a length or
   * a stride; the load is in the prologue}
   */
  final int position(int number) {
    return inPrologue(positions, number, TypeKind.INT, local -> writer.position(number, local));
  }

  private int inPrologue(
      Map<Integer, Integer> locals, int number, TypeKind kind, IntConsumer loading) {
    return locals.computeIfAbsent(
        number,
        _ -> {
          int local = emitter.newLocal(kind);
          emitter.inPrologue(() -> loading.accept(local));
          return local;
        });
  }

  /**
   * Hoists the values that are constant along a row: passes each of them to {@code ofRow}, before
   * the loop over elements.
   */
  final void writeInvariants(Consumer<LoopNode> ofRow) {
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
        || (node instanceof LoopNode.Read && plan.leaf(node).isOfRow());
  }

  /** Writes the stores of a value of each row at an offset from the current one. */
  final void storeRow(LoopNode node, int array, int offset, Value value) {
    emitter.store(node.type(), array(array), writer.index(position(array), offset), value);
  }

  /** Writes the stores of the results that are values of the row and known after the pass. */
  final void storeRowResults(int offset, Function<LoopNode, Value> values) {
    for (int i : plan.rowResults(pass)) {
      LoopNode root = plan.roots.get(i);
      storeRow(root, plan.firstOutput + i, offset, values.apply(root));
    }
  }

  /** {@return the index of the array of a result of an earlier pass} */
  final int resultArray(LoopNode.Reduced reduced) {
    return requireNonNull(plan.resultArrays.get(reduced.reduction())) + reduced.output();
  }

  /**
   * Stores a value of an element: into the array that keeps it for later passes, and into results.
   */
  final void writeStores(LoopNode node, IntConsumer saved, IntConsumer result) {
    if (plan.saved.contains(node) && plan.pass(node) == pass) {
      saved.accept(plan.savedArray(node));
    }
    for (int i = 0; i < plan.roots.size(); i++) {
      if (plan.roots.get(i) == node && plan.isFull(i)) {
        result.accept(plan.firstOutput + i);
      }
    }
  }

  /**
   * {@return an input of the expressions of an element: a value that an earlier pass saved, a value
   * of its row, or a value that is read}
   */
  final Value element(
      LoopNode node,
      IntFunction<Value> saved,
      Function<LoopNode, Value> ofRow,
      Function<BlockPlan.Leaf, Value> read) {
    if (plan.isSaved(node, pass)) {
      return saved.apply(plan.savedArray(node));
    }
    return isOfRow(node) ? ofRow.apply(node) : read.apply(plan.leaf(node));
  }
}
