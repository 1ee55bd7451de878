package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;

/**
 * Generates the class of a {@link HorizontalSum}. The vectors of each sum are added to one vector;
 * then {@link HorizontalSumTree} reduces as many of those as a vector has lanes to one vector of
 * sums.
 */
final class HorizontalSumCode {
  private static final int FROM = 1;
  private static final int FROM_START = 2;
  private static final int TO = 3;
  private static final int TO_START = 4;
  private static final int COUNT = 5;
  private static final int ORDER = 6;

  private final AccumulatorType accumulatorType;
  private final int lanes;
  private final CodeBuilder code;
  private final int step;
  private final Label end;
  private final HorizontalSumTree tree;

  private HorizontalSumCode(AccumulatorType accumulatorType, int lanes, CodeBuilder code) {
    this.accumulatorType = accumulatorType;
    this.lanes = lanes;
    this.code = code;
    this.step = code.allocateLocal(TypeKind.INT);
    this.end = code.newLabel();
    this.tree = new HorizontalSumTree(accumulatorType, lanes, code, end);
  }

  static HorizontalSum of(AccumulatorType accumulatorType, int lanes) {
    return HiddenClasses.instance(
        HorizontalSum.class,
        "Halving" + accumulatorType + lanes,
        code -> new HorizontalSumCode(accumulatorType, lanes, code).emit());
  }

  private void emit() {
    tree.emitPrologue(COUNT, ORDER, FROM, TO);
    CountedLoop.fromZero(
        code,
        step,
        COUNT,
        () -> {
          int sums = tree.emitSums(sum -> emitAdded(sum * Gemv.LANES, lanes));
          tree.vectors()
              .store(
                  sums,
                  TO,
                  () -> code.iload(TO_START).iload(step).loadConstant(lanes).imul().iadd());
        });
    code.labelBinding(end).return_();
  }

  /**
   * Writes the addition of the vectors at {@code place}, {@code place + apart} and so on, by
   * halving, and returns the local variable of the result.
   */
  private int emitAdded(int position, int distance) {
    if (distance < Gemv.LANES) {
      int lower = emitAdded(position, 2 * distance);
      return tree.emitAdd(lower, emitAdded(position + distance, 2 * distance));
    }
    int to = code.allocateLocal(TypeKind.REFERENCE);
    tree.vectors().loadGuarded(FROM, () -> position(position), to);
    return to;
  }

  /**
   * Pushes the position of an element, at {@code offset} from the beginning of the current
   * iteration.
   */
  private void position(int offset) {
    code.iload(FROM_START).iload(step).loadConstant(lanes * Gemv.LANES).imul().iadd();
    code.loadConstant(offset).iadd();
  }
}
