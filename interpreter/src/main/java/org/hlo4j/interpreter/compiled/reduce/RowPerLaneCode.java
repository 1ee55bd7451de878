package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Expressions;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
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
    this.pitch = loops.pitch();
    this.hasLanes = loops.lanes() == Lanes.ROWS;
    this.element = emitter.newLocal(TypeKind.INT);
  }

  /**
   * Writes the loop: a number of vectors of rows at a time, then single vectors for the remaining
   * rows.
   */
  void write(int vectors) {
    emitter.body(() -> {
      int depth = writer.positionUpTo(MAX_ELEMENTS, plan.arrayCount());
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
      int offset = k * emitter.width();
      RowReductions each = new RowReductions(emitter, node -> rowValue(node, offset));
      rows.add(each);
      plan.reductions(pass).forEach(reduction -> each.begin(reduction, accumulators(reduction)));
      writeInvariants(each::value);
    }
    code.iconst_0().istore(element);
    int round = hasLanes ? plan.accumulators(pass) : INTERLEAVED;
    if (round > 1) {
      int end = writer.offset(depth, 1 - round);
      CountedLoop.upTo(code, element, end, round, () -> writeElements(rows, round));
    }
    CountedLoop.upTo(code, element, depth, 1, () -> writeElements(rows, 1));
    rows.forEach(RowReductions::markCarried);
    for (int k = 0; k < vectors; k++) {
      finish(rows.get(k), k * emitter.width());
    }
    emitter.release(mark);
  }

  /** Writes the reduction of some elements of each row: all rounds, or one that fills none. */
  private void writeElements(List<RowReductions> rows, int elements) {
    rows.forEach(RowReductions::markCarried);
    int first = element;
    for (int k = 0; k < elements; k++) {
      int mark = emitter.mark();
      element = writer.offset(first, k);
      for (int row = 0; row < rows.size(); row++) {
        writeIteration(rows.get(row), k, row * emitter.width());
      }
      emitter.release(mark);
    }
    element = first;
  }

  /** Stores the results of rows. */
  private void finish(RowReductions rows, int offset) {
    for (Reduction reduction : plan.reductions(pass)) {
      List<Value> results = rows.finish(reduction);
      int first = requireNonNull(plan.resultArrays.get(reduction));
      for (int i = 0; i < results.size(); i++) {
        storeRow(reduction.inputs().get(i), first + i, offset, results.get(i));
      }
    }
    storeRowResults(offset, rows::value);
  }

  /** {@return a value of each row that is known before the pass} */
  private Value rowValue(LoopNode node, int offset) {
    if (node instanceof LoopNode.Reduced reduced) {
      int number = resultArray(reduced);
      return emitter.load(node.type(), array(number), writer.index(position(number), offset));
    }
    BlockPlan.Leaf leaf = plan.leaf(node);
    int number = leaf.number();
    return leaf.rowStride() == 0
        ? emitter.loadSplat(node.type(), array(number), position(number))
        : emitter.load(node.type(), array(number), rowIndex(leaf, offset));
  }

  /** {@return a local variable that holds the index at which a row of a leaf begins} */
  private int rowIndex(BlockPlan.Leaf leaf, int offset) {
    int position = position(leaf.number());
    return hasLanes
        ? writer.index(position, offset)
        : writer.strided(
            position, position(ContiguousReduceCode.stridePosition(plan, leaf.number())));
  }

  private void writeIteration(RowReductions rows, int term, int offset) {
    Expressions<LoopNode> elements =
        new Expressions<>(
            emitter, node -> plan.elementTerm(node, pass), node -> element(node, rows, offset));
    for (Reduction reduction : plan.reductions(pass)) {
      rows.step(reduction, term, reduction.inputs().stream().map(elements::value).toList());
    }
    for (LoopNode node : plan.stored(pass)) {
      Value value = elements.value(node);
      int stride = plan.elementStride() == 1 ? pitch : plan.elementStride();
      writeStores(
          node,
          number -> store(node, number, offset, pitch, value),
          number -> store(node, number, offset, stride, value));
    }
  }

  private void store(LoopNode node, int array, int offset, int stride, Value value) {
    int index = index(writer.index(position(array), offset), stride);
    emitter.store(node.type(), array(array), index, value);
  }

  /** {@return a local variable that holds the index of the current element} */
  private int index(int base, int stride) {
    int local = emitter.newLocal(TypeKind.INT);
    code.iload(element).loadConstant(stride).imul().iload(base).iadd().istore(local);
    return local;
  }

  private Value element(LoopNode node, RowReductions rows, int offset) {
    return element(
        node,
        number -> load(node, number, index(writer.index(position(number), offset), pitch)),
        rows::value,
        leaf -> {
          if (leaf.rowStride() == 0) {
            int index = index(position(leaf.number()), leaf.elementStride());
            return emitter.loadSplat(node.type(), array(leaf.number()), index);
          }
          int stride = hasLanes && leaf.isTiled() ? pitch : leaf.elementStride();
          return load(node, leaf.number(), index(rowIndex(leaf, offset), stride));
        });
  }

  private Value load(LoopNode node, int number, int index) {
    return emitter.load(node.type(), array(number), index);
  }
}
