package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.lang.classfile.CodeBuilder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Expressions;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * The part of the code generation for a pass of a {@link BlockPlan} that does not depend on whether
 * a lane holds a row or an element of a row. The positions that the loop of a pass is given are
 * {@link #END}, {@link #PART}, and for each array {@link #start} and {@link #stride}.
 */
abstract class BlockPassCode {
  /** The position that holds the number of elements in a row that loops process. */
  static final int END = 0;

  /** The position that holds where the first part is put. */
  static final int PART = 1;

  /** Stands for all arrays, if an element has the same index in each of them. */
  static final int SHARED = -1;

  final CodeEmitter emitter;
  final CodeBuilder code;
  final ReduceLoopWriter writer;
  final BlockPlan plan;
  final int pass;

  /**
   * Creates a code generator for a pass.
   *
   * @param types the element type of each array
   */
  BlockPassCode(CodeEmitter emitter, BlockPlan plan, int pass, List<ElementType> types) {
    this.emitter = emitter;
    this.code = emitter.code();
    this.writer = new ReduceLoopWriter(emitter, types);
    this.plan = plan;
    this.pass = pass;
  }

  /** {@return the position that holds the index of the first row in an array} */
  static int start(int array) {
    return 2 * array + 4;
  }

  /** {@return the position that holds the row stride of an array} */
  static int stride(int array) {
    return start(array) + 1;
  }

  /** {@return the number of positions} */
  static int positions(BlockPlan plan) {
    return start(plan.arrayCount());
  }

  /** {@return the value of the current rows in an array} Rows begin at an offset. */
  abstract Value loadRow(int array, int offset);

  /** {@return the current elements in an array, at an offset} */
  abstract Value loadElement(int array, int offset);

  /** Writes the store of the current elements in an array, at an offset. */
  abstract void storeElement(int array, int offset, Value value);

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

  /** {@return a writer of the values and reductions of the rows at an offset} */
  final RowReductions rows(int offset) {
    return new RowReductions(
        emitter,
        node ->
            loadRow(
                node instanceof LoopNode.Reduced reduced
                    ? resultArray(reduced.reduction()) + reduced.output()
                    : plan.leaf(node).number(),
                offset));
  }

  private int resultArray(Reduction reduction) {
    return requireNonNull(plan.resultArrays.get(reduction));
  }

  /**
   * Writes what a pass does with the elements at an offset: reduces some values, and stores others,
   * in arrays that keep them for later passes and in results.
   *
   * @param ofRow gives a value of the row
   * @param reducing writes the reduction of elements
   */
  final void writeElements(
      int offset, Function<LoopNode, Value> ofRow, BiConsumer<Reduction, List<Value>> reducing) {
    Expressions<LoopNode> values =
        new Expressions<>(
            emitter,
            node -> plan.elementTerm(node, pass),
            node ->
                plan.isSaved(node, pass)
                    ? loadElement(plan.savedArray(node), offset)
                    : isOfRow(node)
                        ? ofRow.apply(node)
                        : loadElement(plan.leaf(node).number(), offset));
    for (Reduction reduction : plan.reductions(pass)) {
      reducing.accept(reduction, reduction.inputs().stream().map(values::value).toList());
    }
    for (LoopNode node : plan.stored(pass)) {
      Value value = values.value(node);
      plan.storedIn(node).forEach(array -> storeElement(array, offset, value));
    }
  }

  /**
   * Writes the stores of what is known of rows after the pass: results of reductions, and what is
   * computed from them.
   *
   * @param results writes the end of a reduction
   */
  final void finish(int offset, RowReductions rows, Function<Reduction, List<Value>> results) {
    for (Reduction reduction : plan.reductions(pass)) {
      List<Value> all = results.apply(reduction);
      rows.put(reduction, all);
      IntStream.range(0, all.size())
          .forEach(i -> storeRow(resultArray(reduction) + i, offset, all.get(i)));
    }
    for (int i : plan.rowResults(pass)) {
      storeRow(plan.firstOutput + i, offset, rows.value(plan.roots.get(i)));
    }
  }

  private void storeRow(int array, int offset, Value value) {
    writer.store(array, writer.index(writer.position(start(array)), offset), value);
  }
}
