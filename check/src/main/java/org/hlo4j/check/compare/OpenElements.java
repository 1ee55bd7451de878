package org.hlo4j.check.compare;

import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.reference.IndexVectors;

/** Which elements of a result are open; see {@link OpenChoice.Finder}. */
final class OpenElements {
  private OpenElements() {}

  /**
   * A made.result().
   *
   * @param instruction what it is of
   * @param operands its operands
   * @param results its arrays
   * @param part the number of the array whose elements are asked for
   */
  record Made(HloInstruction instruction, List<Literal> operands, List<Literal> results, int part) {
    Literal result() {
      return results.get(part);
    }

    Literal operand(int i) {
      return operands.get(i);
    }
  }

  static IntPredicate quotients(Made made) {
    ElementType type = made.result().elementType();
    boolean isSigned = type.minLong() < 0;
    Literal dividend = made.operand(0);
    Literal divisor = made.operand(1);
    return i ->
        divisor.longAt(i) == 0
            || (isSigned && divisor.longAt(i) == -1 && dividend.longAt(i) == type.minLong());
  }

  static IntPredicate negativePowers(Made made) {
    return i -> made.operand(1).longAt(i) < 0;
  }

  static IntPredicate outOfRange(Made made) {
    ElementType from = made.operand(0).elementType();
    ElementType type = made.result().elementType();
    if (!(from.isFloating() || from.isComplex())
        || !type.isIntegral()
        || type == ElementType.PRED) {
      return i -> false;
    }
    boolean isSigned = type.minLong() < 0;
    double end = Math.scalb(1.0, isSigned ? type.bits() - 1 : type.bits());
    double least = isSigned ? -end - 1 : -1;
    return i -> {
      double value = real(made.operand(0), i);
      return !(value < end && (value > least || value == -end));
    };
  }

  static IntPredicate ofNaN(Made made) {
    return i -> Double.isNaN(made.operand(0).doubleAt(i));
  }

  static IntPredicate ofComplexLimits(Made made) {
    boolean divides =
        made.instruction().op() instanceof Elementwise op
            && (op.kind() == Elementwise.Kind.DIVIDE || op.kind() == Elementwise.Kind.POWER);
    Literal last = made.operands().getLast();
    return i ->
        made.operands().stream().anyMatch(operand -> !isFinite(operand, i))
            || !isFinite(made.result(), i)
            || (divides && isZero(last, i))
            || (isPower(made.instruction())
                && (isZero(made.operand(0), i) || hasNegativeZero(made.operand(0), i)));
  }

  private static boolean isPower(HloInstruction instruction) {
    return instruction.op().equals(new Elementwise(Elementwise.Kind.POWER));
  }

  static double real(Literal value, int i) {
    return value.elementType().isComplex() ? value.realAt(i) : value.doubleAt(i);
  }

  static double imaginary(Literal value, int i) {
    return value.elementType().isComplex() ? value.imaginaryAt(i) : 0;
  }

  static boolean isFinite(Literal value, int i) {
    return Double.isFinite(real(value, i)) && Double.isFinite(imaginary(value, i));
  }

  private static boolean hasNegativeZero(Literal value, int i) {
    return isNegativeZero(real(value, i)) || isNegativeZero(imaginary(value, i));
  }

  static boolean isNegativeZero(double number) {
    return number == 0 && 1 / number < 0;
  }

  private static boolean isZero(Literal value, int i) {
    return real(value, i) == 0 && imaginary(value, i) == 0;
  }

  private static boolean hasNaN(Literal value) {
    return value.elementType().isFloating()
        && IntStream.range(0, value.elementCount()).anyMatch(i -> Double.isNaN(value.doubleAt(i)));
  }

  /** All elements, if NaNs are among those that are selected. */
  static IntPredicate selectedNaNs(Made made) {
    boolean isOpen = hasNaN(made.operand(0));
    return i -> isOpen;
  }

  /** The lines along the sorted dimension that have a NaN. */
  static IntPredicate linesOfNaNs(Made made) {
    int dimension = ((Sort) made.instruction().op()).dimensions().getInt(0);
    Dims sizes = made.result().arrayShape().sizes();
    int size = (int) sizes.get(dimension);
    int stride = (int) sizes.rowMajorStrides().get(dimension);
    BitSet lines = new BitSet();
    for (Literal operand : made.operands()) {
      for (int i = 0; operand.elementType().isFloating() && i < operand.elementCount(); i++) {
        if (Double.isNaN(operand.doubleAt(i))) {
          lines.set(line(i, size, stride));
        }
      }
    }
    return i -> lines.get(line(i, size, stride));
  }

  private static int line(int i, int size, int stride) {
    return i / (size * stride) * stride + i % stride;
  }

  /** All elements, if a weight is not finite: zeros of the padding times it may count or not. */
  static IntPredicate infiniteWeights(Made made) {
    Literal weights = made.operand(1);
    Window window = ((Convolution) made.instruction().op()).window();
    boolean isPadded =
        IntStream.range(0, window.rank())
            .anyMatch(d ->
                window.paddingLow().get(d) > 0
                    || window.paddingHigh().get(d) > 0
                    || window.baseDilation().get(d) > 1);
    boolean isOpen =
        isPadded
            && !weights.elementType().isIntegral()
            && IntStream.range(0, weights.elementCount()).anyMatch(i -> !isFinite(weights, i));
    return i -> isOpen;
  }

  static IntPredicate otherTriangle(Made made) {
    boolean isLower =
        made.instruction().op() instanceof Cholesky op
            ? op.lower()
            : LapackCall.isLower(made.instruction());
    if (made.part() > 0) {
      return i -> false;
    }
    int size = (int) made.result().arrayShape().size(made.result().arrayShape().rank() - 1);
    return i -> isLower ? i % size > i / size % size : i % size < i / size % size;
  }

  /** The matrices of which the factor does not exist. */
  static IntPredicate indefinite(Made made) {
    int size = (int) made.result().arrayShape().size(made.result().arrayShape().rank() - 1);
    BitSet failed = new BitSet();
    for (int i = 0; i < made.result().elementCount(); i++) {
      if (!isFinite(made.result(), i)) {
        failed.set(i / (size * size));
      }
    }
    return i -> failed.get(i / (size * size));
  }

  /** What belongs to a matrix whose info, the last array of the made.result(), is not 0. */
  static IntPredicate failed(Made made) {
    String target = ((CustomCall) made.instruction().op()).customCallTarget();
    boolean isComplete = LapackCall.routine(target).filter("getrf"::equals).isPresent();
    Literal info = made.results().getLast();
    int each = Math.max(1, made.result().elementCount() / Math.max(1, info.elementCount()));
    return i -> !isComplete && info.longAt(i / each) != 0;
  }

  /** The windows of a scatter that are partly outside. */
  static IntPredicate partlyOutside(Made made) {
    return new ScatterTargets((Scatter) made.instruction().op(), made.operands()).partlyOutside()
        ::get;
  }

  /** Elements updated twice, or all if the indices are not sorted, against what was promised. */
  static IntPredicate brokenPromise(Made made) {
    Scatter op = (Scatter) made.instruction().op();
    int rank = made.operand(0).arrayShape().rank();
    Literal indices = made.operand(made.operands().size() / 2);
    boolean isUnsorted = op.indicesAreSorted() && !IndexVectors.of(op, indices, rank).areSorted();
    BitSet twice =
        op.uniqueIndices() ? new ScatterTargets(op, made.operands()).updatedTwice() : new BitSet();
    return i -> isUnsorted || twice.get(i);
  }

  static IntPredicate unsortedGather(Made made) {
    Gather op = (Gather) made.instruction().op();
    int rank = made.operand(0).arrayShape().rank();
    boolean isOpen = !IndexVectors.of(op, made.operand(1), rank).areSorted();
    return i -> isOpen;
  }
}
