package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.TypeKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.Value;
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

  /** {@return whether an element has the same index in all arrays} */
  static boolean sharesIndex(BlockPlan plan) {
    return !Machine.isVectorApiOn() && plan.storesElements();
  }

  void write() {
    int iteration = iteration(plan, pass);
    emitter.body(() -> {
      int end = writer.positionUpTo(MAX_ELEMENTS, END);
      writer.start();
      writer.rows(() -> writeRow(iteration, end));
      code.return_();
    });
  }

  /** Writes the code that combines what the parts of a row are reduced to, and stores results. */
  void writeResults() {
    emitter.body(() -> {
      writer.start();
      RowReductions row = rows(0);
      List<Reduction> all = plan.reductions(pass);
      all.forEach(reduction -> row.begin(reduction, 1));
      Runnable part =
          () -> {
            row.markCarried();
            for (Reduction reduction : all) {
              row.step(reduction, 0, List.of(writer.load(partialArray(plan, reduction), element)));
            }
          };
      writer.count(element, 1, emitter.sum(plan.parts()), part);
      row.markCarried();
      finish(0, row, row::finish);
      code.return_();
    });
  }

  private void writeRow(int iteration, int end) {
    int mark = emitter.mark();
    RowReductions row = rows(0);
    for (Reduction reduction : plan.reductions(pass)) {
      if (!plan.isParted()) {
        row.value(reduction.initials().get(0));
      }
      int workspace = plan.arrayCount() + plan.reductions.indexOf(reduction);
      SingleOpReducer single = SingleOpReducer.of(reduction.body());
      reductions.put(
          reduction, new ContiguousReduction(emitter, single, writer.array(workspace), access));
    }
    writeInvariants(row::value);
    int rest = length % iteration;
    int tail = rest % UNIT;
    if (access == ContiguousAccess.ONE_BY_ONE) {
      int depth = writer.offset(end, rest);
      writer.count(elementIndex, 1, depth, () -> writeVectors(1, 1, row));
    } else {
      writer.count(element, iteration, end, () -> writeUnits(iteration, row));
      writeUnits(rest - tail, row);
      writeTail(rest, tail, row);
    }
    reductions.values().forEach(ContiguousReduction::markCarried);
    if (plan.isParted()) {
      reductions.forEach((reduction, part) ->
          writer.store(
              partialArray(plan, reduction),
              writer.index(writer.position(PART), 0),
              part.partial()));
    } else {
      finish(0, row, reduction -> List.of(result(reduction, row)));
    }
    emitter.release(mark);
  }

  private Value result(Reduction reduction, RowReductions row) {
    Value initial = row.value(reduction.initials().get(0));
    return requireNonNull(reductions.get(reduction)).result(initial);
  }

  /**
   * Writes the code for {@code count} elements, a multiple of {@link #UNIT}: unrolled vectors, or a
   * loop over the elements of a unit.
   */
  private void writeUnits(int count, RowReductions row) {
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
  private void writeTail(int rest, int tail, RowReductions row) {
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

  private void writeVectors(int count, int width, RowReductions row) {
    writeVectors(count, width, row, reduction -> reduction.writeElements(lane));
  }

  private void writeVectors(
      int count, int width, RowReductions row, Consumer<ContiguousReduction> reducing) {
    int mark = emitter.mark();
    reductions.values().forEach(ContiguousReduction::markCarried);
    for (int offset = 0; offset < count; offset += width) {
      writeElements(
          offset,
          row::value,
          (reduction, elements) ->
              requireNonNull(reductions.get(reduction)).addElements(elements.get(0)));
    }
    reductions.values().forEach(reducing);
    emitter.release(mark);
  }

  /** {@return a value of the row, in all lanes} */
  @Override
  Value loadRow(int array, int offset) {
    return writer.loadSplat(
        array, writer.strided(writer.position(start(array)), writer.position(stride(array))));
  }

  @Override
  Value loadElement(int array, int offset) {
    return writer.load(array, index(array, offset));
  }

  @Override
  void storeElement(int array, int offset, Value value) {
    writer.store(array, index(array, offset), value);
  }

  /**
   * {@return a local variable that holds the index of the element at an offset from the current
   * one}
   */
  private int index(int array, int offset) {
    int number = sharesIndex ? SHARED : array;
    return writer.strided(
        writer.position(start(number)), writer.position(stride(number)), offset, elementIndex);
  }
}
