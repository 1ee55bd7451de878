package org.hlo4j.interpreter.compiled.fft;

import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The code writer of butterflies: transforms of {@code radix} numbers, one from each part of a row,
 * whose results are multiplied by twiddle factors.
 *
 * <pre>
 * to[toPart * j] = factor[j] * sum over k of from[fromPart * k] * e^(-2 pi i j k / radix)
 * </pre>
 */
final class ButterflyCode extends FftStepCode {
  static final int FROM = 0;
  static final int TO = 1;
  static final int FACTORS = 2;
  static final int ARRAYS = 3;
  private static final int FOUR = 4;
  private static final int EIGHT = 8;

  /** The twiddle factors that the results of a butterfly are multiplied by. */
  enum Factors {
    /** No factors. */
    NONE,
    /**
     * One factor for each part of a row except the first, contiguous in memory. With radix 1, a
     * single factor.
     */
    PER_PART,
    /** One factor for each number. */
    PER_NUMBER
  }

  /** A twiddle factor and its negated imaginary part. */
  private record Factor(ComplexVector parts, Value negated) {}

  private final int radix;
  private final Factors factors;
  private final int[] from;
  private final int[] to;
  private final int[] factor;
  private final List<Factor> partFactors = new ArrayList<>();
  private int rowMark;

  ButterflyCode(CodeEmitter emitter, int radix, Factors factors) {
    super(emitter, Collections.nCopies(ARRAYS, ElementType.F64));
    this.radix = radix;
    this.factors = factors;
    this.from = locals();
    this.to = locals();
    this.factor = locals();
  }

  private int[] locals() {
    int[] locals = new int[radix];
    for (int i = 0; i < radix; i++) {
      locals[i] = emitter.newLocal(TypeKind.INT);
    }
    return locals;
  }

  /** Returns the number of factors of a row with {@link Factors#PER_PART}. */
  static int factorCount(int radix) {
    return Math.max(1, radix - 1);
  }

  @Override
  void beginRow() {
    starts(from, StepArguments.FROM, StepArguments.FROM_PART);
    starts(to, StepArguments.TO, StepArguments.TO_PART);
    rowMark = emitter.mark();
    partFactors.clear();
    if (factors == Factors.PER_NUMBER) {
      starts(factor, StepArguments.FACTOR, StepArguments.FACTOR_PART);
    } else if (factors == Factors.PER_PART) {
      for (int i = 0; i < factorCount(radix); i++) {
        partFactors.add(factorOfPart(i));
      }
    }
  }

  /** Writes {@code locals[i] = first + i * part}. */
  private void starts(int[] locals, int first, int part) {
    code.iload(argument(first)).istore(locals[0]);
    for (int i = 1; i < radix; i++) {
      code.iload(locals[i - 1]).iload(argument(part)).iadd().istore(locals[i]);
    }
  }

  private Factor factorOfPart(int number) {
    Runnable position =
        () -> code.iload(argument(StepArguments.FACTOR)).loadConstant(number).iadd();
    ComplexVector parts = loadSplat(FACTORS, StepArguments.FACTOR_SHIFT, position);
    return new Factor(parts, emitter.negate(parts.im()));
  }

  @Override
  void columns() {
    ComplexVector[] x = new ComplexVector[radix];
    for (int k = 0; k < radix; k++) {
      int start = from[k];
      x[k] = load(FROM, StepArguments.FROM_SHIFT, () -> code.iload(start).iload(column).iadd());
    }
    ComplexVector[] sums = transform(x);
    for (int j = 0; j < radix; j++) {
      int start = to[j];
      ComplexVector result = rotated(sums[j], j);
      store(TO, StepArguments.TO_SHIFT, () -> code.iload(start).iload(column).iadd(), result);
    }
  }

  private ComplexVector rotated(ComplexVector sum, int part) {
    int first = radix - factorCount(radix);
    if (factors == Factors.PER_NUMBER) {
      int start = factor[part];
      ComplexVector by =
          load(FACTORS, StepArguments.FACTOR_SHIFT, () -> code.iload(start).iload(column).iadd());
      return times(sum, by, emitter.negate(by.im()));
    } else if (factors == Factors.PER_PART && part >= first) {
      Factor by = partFactors.get(part - first);
      return times(sum, by.parts(), by.negated());
    }
    return sum;
  }

  @Override
  void endRow() {
    emitter.release(rowMark);
    super.endRow();
  }

  private ComplexVector[] transform(ComplexVector... x) {
    return switch (x.length) {
      case 1 -> x;
      case 2 -> new ComplexVector[] {plus(x[0], x[1]), minus(x[0], x[1])};
      case FOUR -> four(x);
      case EIGHT -> eight(x);
      default -> odd(x);
    };
  }

  private ComplexVector[] four(ComplexVector... x) {
    ComplexVector evens = plus(x[0], x[2]);
    ComplexVector odds = plus(x[1], x[3]);
    ComplexVector even = minus(x[0], x[2]);
    ComplexVector odd = minus(x[1], x[3]);
    return new ComplexVector[] {
      plus(evens, odds), plusQuarter(even, odd), minus(evens, odds), minusQuarter(even, odd)
    };
  }

  /** Returns {@code a - i b}. */
  private ComplexVector plusQuarter(ComplexVector a, ComplexVector b) {
    return new ComplexVector(emitter.add(a.re(), b.im()), emitter.subtract(a.im(), b.re()));
  }

  /** Returns {@code a + i b}. */
  private ComplexVector minusQuarter(ComplexVector a, ComplexVector b) {
    return new ComplexVector(emitter.subtract(a.re(), b.im()), emitter.add(a.im(), b.re()));
  }

  private ComplexVector[] eight(ComplexVector... x) {
    ComplexVector[] even = four(x[0], x[2], x[4], x[6]);
    ComplexVector[] odd = four(x[1], x[3], x[5], x[7]);
    Value root = emitter.constant(Lane.F64, Math.sqrt(0.5));
    Value minusRoot = emitter.constant(Lane.F64, -Math.sqrt(0.5));
    // The products of e^(-pi i / 4) and e^(-3 pi i / 4) with b, without factors root and -root:
    // e^(-pi i / 4) b = root (b.re + b.im, b.im - b.re), and -i times that.
    ComplexVector first = plusQuarter(odd[1], odd[1]);
    ComplexVector third = minusQuarter(odd[3], odd[3]);
    return new ComplexVector[] {
      plus(even[0], odd[0]),
      plusTimes(even[1], first.re(), root, first.im(), root),
      plusQuarter(even[2], odd[2]),
      plusTimes(even[3], third.re(), minusRoot, third.im(), minusRoot),
      minus(even[0], odd[0]),
      plusTimes(even[1], first.re(), minusRoot, first.im(), minusRoot),
      minusQuarter(even[2], odd[2]),
      plusTimes(even[3], third.re(), root, third.im(), root),
    };
  }

  private ComplexVector plusTimes(ComplexVector a, Value re, Value byRe, Value im, Value byIm) {
    return new ComplexVector(emitter.fma(re, byRe, a.re()), emitter.fma(im, byIm, a.im()));
  }

  /**
   * Writes the transform of an odd radix, from the sums and differences of {@code x[k]} and {@code
   * x[radix - k]}.
   */
  private ComplexVector[] odd(ComplexVector... x) {
    int half = radix / 2;
    ComplexVector[] sums = new ComplexVector[half + 1];
    ComplexVector[] differences = new ComplexVector[half + 1];
    ComplexVector all = x[0];
    for (int k = 1; k <= half; k++) {
      sums[k] = plus(x[k], x[radix - k]);
      differences[k] = minus(x[k], x[radix - k]);
      all = plus(all, sums[k]);
    }
    ComplexVector[] result = new ComplexVector[radix];
    result[0] = all;
    for (int j = 1; j <= half; j++) {
      ComplexVector even = x[0];
      ComplexVector odd = differences[j];
      for (int k = 1; k <= half; k++) {
        double[] root = Roots.root((long) j * k % radix, radix);
        Value cos = emitter.constant(Lane.F64, root[0]);
        Value sin = emitter.constant(Lane.F64, -root[1]);
        even = plusTimes(even, sums[k].re(), cos, sums[k].im(), cos);
        odd =
            k == 1
                ? new ComplexVector(
                    emitter.multiply(differences[1].re(), sin),
                    emitter.multiply(differences[1].im(), sin))
                : plusTimes(odd, differences[k].re(), sin, differences[k].im(), sin);
      }
      result[j] = plusQuarter(even, odd);
      result[radix - j] = minusQuarter(even, odd);
    }
    return result;
  }
}
