package org.hlo4j.interpreter.compiled.reduce;

import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * The code generator for a pass with one row per lane: a loop over rows, a few vectors of them at a
 * time, that contains a loop over their elements. Equal elements of neighbouring rows are
 * contiguous. Accumulators and other values that belong to a row stay in registers.
 *
 * <p>Without lanes it is a scalar loop over rows where they lie. Unless rows are very short, a
 * reduction in which no order matters, so no sum of floats, then interleaves its elements over
 * {@value #INTERLEAVED} accumulators, so that operations do not wait for each other.
 */
final class RowPerLaneCode extends BlockPassCode {
  /** The maximum number of elements in a row: C2 strip-mines a longer loop. */
  static final int MAX_ELEMENTS = CountedLoop.MAX_SHORT;

  private static final int INTERLEAVED = 4;
  private static final int FEW_ELEMENTS = 8;

  private final int pitch;
  private final boolean hasLanes;

  /** The local variable that holds the index of the current element. */
  private int element;

  RowPerLaneCode(CodeEmitter emitter, BlockLoops loops) {
    super(emitter, loops.plan(), loops.pass(), loops.plan().types());
    this.pitch = loops.layout().pitch;
    this.hasLanes = loops.layout().lanes == Lanes.ROWS;
    this.element = emitter.newLocal(TypeKind.INT);
  }

  /**
   * Writes the loop: a number of vectors of rows at a time, then single vectors for the remaining
   * rows.
   */
  void write(int vectors) {
    emitter.body(() -> {
      int depth = writer.positionUpTo(MAX_ELEMENTS, END);
      writer.start();
      if (vectors > 1) {
        writer.steps(vectors * emitter.width(), () -> writeRows(vectors, depth));
      }
      writer.steps(emitter.width(), () -> writeRows(1, depth));
      code.return_();
    });
  }

  private int accumulators(Reduction reduction) {
    boolean isAnyOrder = reduction.body().isUnordered() && !reduction.body().isSum();
    return !hasLanes && isAnyOrder && plan.depth > FEW_ELEMENTS
        ? INTERLEAVED
        : plan.accumulators(reduction);
  }

  private void writeRows(int vectors, int depth) {
    int mark = emitter.mark();
    List<RowReductions> rows = new ArrayList<>();
    for (int k = 0; k < vectors; k++) {
      RowReductions each = rows(k * emitter.width());
      rows.add(each);
      plan.reductions(pass).forEach(reduction -> each.begin(reduction, accumulators(reduction)));
      writeInvariants(each::value);
    }
    code.iconst_0().istore(element);
    int round = hasLanes ? plan.accumulators(pass) : INTERLEAVED;
    if (round > 1) {
      int end = writer.offset(depth, 1 - round);
      CountedLoop.upTo(code, element, end, round, () -> writeTerms(rows, round));
    }
    CountedLoop.upTo(code, element, depth, 1, () -> writeTerms(rows, 1));
    rows.forEach(RowReductions::markCarried);
    for (int k = 0; k < vectors; k++) {
      finish(k * emitter.width(), rows.get(k), rows.get(k)::finish);
    }
    emitter.release(mark);
  }

  /** Writes the reduction of some elements of each row: all rounds, or one that fills none. */
  private void writeTerms(List<RowReductions> rows, int elements) {
    rows.forEach(RowReductions::markCarried);
    int first = element;
    for (int k = 0; k < elements; k++) {
      int mark = emitter.mark();
      int term = k;
      element = writer.offset(first, k);
      for (int row = 0; row < rows.size(); row++) {
        RowReductions each = rows.get(row);
        writeElements(
            row * emitter.width(),
            each::value,
            (reduction, values) -> each.step(reduction, term, values));
      }
      emitter.release(mark);
    }
    element = first;
  }

  @Override
  Value loadRow(int array, int offset) {
    return load(array, rowIndex(array, offset));
  }

  @Override
  Value loadElement(int array, int offset) {
    return load(array, elementIndex(array, offset));
  }

  @Override
  void storeElement(int array, int offset, Value value) {
    writer.store(array, elementIndex(array, offset), value);
  }

  private Value load(int array, int index) {
    return isSameForAll(array) ? writer.loadSplat(array, index) : writer.load(array, index);
  }

  private boolean isSameForAll(int array) {
    return array < plan.leaves.size() && plan.leaves.get(array).rowStride() == 0;
  }

  /** {@return a local variable that holds the index at which a row begins in an array} */
  private int rowIndex(int array, int offset) {
    int first = writer.position(start(array));
    return isSameForAll(array)
        ? first
        : hasLanes
            ? writer.index(first, offset)
            : writer.strided(first, writer.position(stride(array)));
  }

  /** {@return a local variable that holds the index of the current element in an array} */
  private int elementIndex(int array, int offset) {
    int row = rowIndex(array, offset);
    int local = emitter.newLocal(TypeKind.INT);
    code.iload(element).loadConstant(elementStride(array)).imul().iload(row).iadd().istore(local);
    return local;
  }

  /** {@return the distance of the elements of a row in an array} */
  private int elementStride(int array) {
    if (array < plan.leaves.size()) {
      BlockPlan.Leaf leaf = plan.leaves.get(array);
      return hasLanes && leaf.isTiled() ? pitch : leaf.elementStride();
    }
    return array < plan.firstResult || plan.elementStride() == 1 ? pitch : plan.elementStride();
  }
}
