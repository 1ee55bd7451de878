package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.TypeKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Expressions;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * A code generator for a pass over contiguous rows: a loop over rows that contains a loop over
 * their elements, a few vectors an iteration. A value that belongs to a row is the same in all
 * lanes. A reduction distributes its elements round-robin over accumulators, which stay in
 * registers and are combined in halves at the end. The number of accumulators does not depend on
 * the machine, so that sums have the same bits everywhere.
 */
final class ContiguousReduceCode extends BlockPassCode {
  /** The number of accumulators of a sum. No vector has more lanes. */
  static final int UNIT = 16;

  /**
   * The length of the longest rows, or parts of rows. The code states this bound, because C2
   * strip-mines longer loops.
   */
  static final int MAX_ELEMENTS = CountedLoop.MAX_SHORT * UNIT;

  private final ContiguousAccess access;
  private final boolean sharesIndex;
  private final Map<Reduction, ContiguousReduction> reductions = new LinkedHashMap<>();
  private final int element;
  private final int length;

  /** The local variable that holds the number of the accumulator of the current element. */
  private int lane;

  /** The local variable that holds the index of the current element in its row. */
  private int elementIndex;

  /**
   * Creates a code generator for a pass of a plan.
   *
   * @param length the number of elements in a row, or in a part of it
   */
  ContiguousReduceCode(CodeEmitter emitter, BlockPlan plan, int pass, int length) {
    super(emitter, plan, pass, types(plan));
    this.length = length;
    this.access = ContiguousAccess.of(emitter, plan, pass);
    this.sharesIndex = sharesIndex(plan);
    this.element = emitter.newLocal(TypeKind.INT);
    this.lane = emitter.newLocal(TypeKind.INT);
    this.elementIndex = emitter.newLocal(TypeKind.INT);
  }

  /**
   * {@return the element types of the arrays: those of the plan, then a workspace for each
   * reduction, of {@link #UNIT} elements, in which the lanes of its accumulators are combined, then
   * an array for each reduction of what parts are reduced to}
   */
  static ImmutableList<ElementType> types(BlockPlan plan) {
    List<ElementType> wide =
        plan.reductions.stream()
            .map(reduction -> SingleOpReducer.of(reduction.body()).wide())
            .toList();
    return ImmutableList.<ElementType>builder()
        .addAll(plan.types())
        .addAll(wide)
        .addAll(plan.isParted() ? wide : List.of())
        .build();
  }

  /** {@return the number of the array of what the parts of a row are reduced to} */
  static int partialArray(BlockPlan plan, Reduction reduction) {
    return plan.arrayCount() + plan.reductions.size() + plan.reductions.indexOf(reduction);
  }

  /**
   * {@return the number of elements in an iteration of a pass; the elements that remain are
   * processed one vector at a time}
   */
  static int iteration(BlockPlan plan, int pass) {
    return plan.reductions(pass).stream()
        .mapToInt(
            reduction -> ContiguousReduction.accumulators(SingleOpReducer.of(reduction.body())))
        .max()
        .orElse(UNIT);
  }

  /** {@return the end of the whole iterations of a pass over a row, or a part, of some length} */
  static int end(BlockPlan plan, int pass, int length) {
    return length - length % iteration(plan, pass);
  }

  /** {@return the index of the position that holds the end of the whole iterations of a row} */
  static int endPosition(BlockPlan plan) {
    return plan.arrayCount();
  }

  /** {@return the index of the position that holds the row stride of an array} */
  static int stridePosition(BlockPlan plan, int array) {
    return plan.arrayCount() + 1 + array;
  }

  /**
   * {@return the index of the position that holds the first element if all arrays have the same
   * index}
   */
  static int sharedPosition(BlockPlan plan) {
    return stridePosition(plan, plan.arrayCount());
  }

  /**
   * {@return the index of the position that holds the row stride if all arrays have the same index}
   */
  static int sharedStridePosition(BlockPlan plan) {
    return sharedPosition(plan) + 1;
  }

  /** {@return the index of the position that holds where the first part is put} */
  static int partPosition(BlockPlan plan) {
    return sharedStridePosition(plan) + 1;
  }

  /** {@return the number of positions} */
  static int positions(BlockPlan plan) {
    return partPosition(plan) + 1;
  }

  /** {@return whether an element has the same index in all arrays} */
  static boolean sharesIndex(BlockPlan plan) {
    return !Machine.isVectorApiOn() && plan.storesElements();
  }

  void write() {
    int iteration = iteration(plan, pass);
    emitter.body(() -> {
      int end = writer.positionUpTo(MAX_ELEMENTS, endPosition(plan));
      writer.start();
      writer.rows(() -> writeRow(iteration, end));
      code.return_();
    });
  }

  /** Writes the code that combines what the parts of a row are reduced to, and stores results. */
  void writeResults() {
    emitter.body(() -> {
      writer.start();
      RowReductions row = new RowReductions(emitter, this::rowValue);
      List<Reduction> all = plan.reductions(pass);
      all.forEach(reduction -> row.begin(reduction, 1));
      Runnable part =
          () -> {
            row.markCarried();
            for (Reduction reduction : all) {
              ElementType wide = SingleOpReducer.of(reduction.body()).wide();
              int partials = array(partialArray(plan, reduction));
              row.step(reduction, 0, List.of(emitter.load(wide, partials, element)));
            }
          };
      writer.count(element, 1, emitter.sum(plan.parts()), part);
      row.markCarried();
      all.forEach(reduction -> storeResult(reduction, row.finish(reduction).get(0)));
      storeRowResults(0, row::value);
      code.return_();
    });
  }

  private void storeResult(Reduction reduction, Value result) {
    int array = requireNonNull(plan.resultArrays.get(reduction));
    storeRow(reduction.inputs().get(0), array, 0, result);
  }

  private void writeRow(int iteration, int end) {
    int mark = emitter.mark();
    Expressions<LoopNode> row = new Expressions<>(emitter, LoopNode::term, this::rowValue);
    List<Reduction> all = plan.reductions(pass);
    for (Reduction reduction : all) {
      if (!plan.isParted()) {
        row.value(reduction.initials().get(0));
      }
      int workspaceArray = array(plan.arrayCount() + plan.reductions.indexOf(reduction));
      reductions.put(
          reduction,
          new ContiguousReduction(
              emitter, SingleOpReducer.of(reduction.body()), workspaceArray, access));
    }
    writeInvariants(row::value);
    int rest = length % iteration;
    int tail = rest % UNIT;
    if (access == ContiguousAccess.ONE_BY_ONE) {
      int depth = writer.offset(end, rest);
      writer.count(elementIndex, 1, depth, () -> writeVectors(1, 1, row));
    } else {
      writer.count(element, iteration, end, () -> writeElements(iteration, row));
      writeElements(rest - tail, row);
      writeTail(rest, tail, row);
    }
    reductions.values().forEach(ContiguousReduction::markCarried);
    finish(row);
    emitter.release(mark);
  }

  /**
   * Writes the code for {@code count} elements, a multiple of {@link #UNIT}: unrolled vectors, or a
   * loop over the elements of a unit.
   */
  private void writeElements(int count, Expressions<LoopNode> row) {
    if (access.hasWholeIterations()) {
      elementIndex = element;
      writeVectors(count, emitter.width(), row);
    } else if (count > 0) {
      Runnable iteration =
          () -> {
            elementIndex = emitter.sum(0, element, lane);
            writeVectors(count, UNIT, row);
          };
      writer.count(lane, 1, emitter.sum(UNIT), iteration);
    }
  }

  /**
   * Writes the code for the last elements of a row, fewer than {@link #UNIT}. The vectors begin at
   * elements before them, which are stored again with the same values and are masked out of the
   * reductions.
   */
  private void writeTail(int rest, int tail, Expressions<LoopNode> row) {
    int before = UNIT - tail;
    if (tail == 0) {
      return;
    }
    if (!access.hasWholeIterations()) {
      int counter = emitter.newLocal(TypeKind.INT);
      Runnable iteration =
          () -> {
            lane = emitter.sum(before, counter);
            elementIndex = emitter.sum(rest - tail, element, counter);
            writeVectors(1, 1, row);
          };
      writer.count(counter, 1, emitter.sum(tail), iteration);
      return;
    }
    int width = emitter.width();
    for (int first = before - before % width; first < UNIT; first += width) {
      int number = first / width;
      int masked = Math.max(0, before - first);
      elementIndex = emitter.sum(rest - UNIT + first, element);
      writeVectors(1, 1, row, reduction -> reduction.writeLast(number, masked));
    }
  }

  private void writeVectors(int count, int width, Expressions<LoopNode> row) {
    writeVectors(count, width, row, reduction -> reduction.writeElements(lane));
  }

  private void writeVectors(
      int count, int width, Expressions<LoopNode> row, Consumer<ContiguousReduction> reducing) {
    int mark = emitter.mark();
    reductions.values().forEach(ContiguousReduction::markCarried);
    for (int offset = 0; offset < count; offset += width) {
      Expressions<LoopNode> values = elements(offset, row);
      reductions.forEach((reduction, rowReduction) ->
          rowReduction.addElements(values.value(reduction.inputs().get(0))));
      int before = offset;
      for (LoopNode node : plan.stored(pass)) {
        Value value = values.value(node);
        IntConsumer store = number -> store(node, number, before, value);
        writeStores(node, store, store);
      }
    }
    reductions.values().forEach(reducing);
    emitter.release(mark);
  }

  private void store(LoopNode node, int number, int offset, Value value) {
    emitter.store(node.type(), array(number), index(number, offset), value);
  }

  /**
   * Stores the results of the row, or what a part of it is reduced to. A store writes all lanes:
   * the elements after the first belong to later rows, which overwrite them.
   */
  private void finish(Expressions<LoopNode> row) {
    if (plan.isParted()) {
      reductions.forEach((reduction, part) -> {
        int index = writer.index(position(partPosition(plan)), 0);
        emitter.store(part.wide(), array(partialArray(plan, reduction)), index, part.partial());
      });
      return;
    }
    reductions.forEach((reduction, rowReduction) -> {
      rowReduction.finish(row.value(reduction.initials().get(0)));
      storeResult(reduction, rowReduction.result());
    });
    storeRowResults(0, row::value);
  }

  /** {@return a value of the row that is a leaf or a result of a reduction, in all lanes} */
  private Value rowValue(LoopNode node) {
    if (node instanceof LoopNode.Reduced reduced) {
      ContiguousReduction rowReduction = reductions.get(reduced.reduction());
      if (rowReduction != null) {
        return rowReduction.result();
      }
      return rowValue(node, resultArray(reduced));
    }
    return rowValue(node, plan.leaf(node).number());
  }

  private Value rowValue(LoopNode node, int number) {
    return emitter.loadSplat(
        node.type(),
        array(number),
        writer.strided(position(number), position(stridePosition(plan, number))));
  }

  /**
   * {@return a local variable that holds the index of the element at an offset from the current
   * one}
   */
  private int index(int number, int offset) {
    int start = position(sharesIndex ? sharedPosition(plan) : number);
    int stride = position(sharesIndex ? sharedStridePosition(plan) : stridePosition(plan, number));
    return writer.strided(start, stride, offset, elementIndex);
  }

  /** {@return the expressions of the elements at an offset from the current one} */
  private Expressions<LoopNode> elements(int offset, Expressions<LoopNode> row) {
    return new Expressions<>(
        emitter, node -> plan.elementTerm(node, pass), node -> element(node, offset, row));
  }

  private Value element(LoopNode node, int offset, Expressions<LoopNode> row) {
    return element(
        node,
        number -> load(node, number, offset),
        row::value,
        leaf -> load(node, leaf.number(), offset));
  }

  private Value load(LoopNode node, int number, int offset) {
    return emitter.load(node.type(), array(number), index(number, offset));
  }
}
