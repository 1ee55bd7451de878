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
    OF_PARTS,
    /** One factor for each number. */
    OF_NUMBERS
  }

  /** A twiddle factor and its negated imaginary part. */
  private record Factor(Parts parts, Value negated) {}

  private final int radix;
  private final Factors factors;
  private final int[] from;
  private final int[] to;
  private final int[] factor;
  private final List<Factor> ofParts = new ArrayList<>();
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

  /** Returns the number of factors of a row with {@link Factors#OF_PARTS}. */
  static int factorCount(int radix) {
    return Math.max(1, radix - 1);
  }

  @Override
  void beginRow() {
    starts(from, StepArguments.FROM, StepArguments.FROM_PART);
    starts(to, StepArguments.TO, StepArguments.TO_PART);
    rowMark = emitter.mark();
    ofParts.clear();
    if (factors == Factors.OF_NUMBERS) {
      starts(factor, StepArguments.FACTOR, StepArguments.FACTOR_PART);
    } else if (factors == Factors.OF_PARTS) {
      for (int i = 0; i < factorCount(radix); i++) {
        ofParts.add(factorOfPart(i));
      }
    }
  }

  /** Writes {@code locals[i] = first + i * part}. */
  private void starts(int[] locals, int first, int part) {
    code.iload(place(first)).istore(locals[0]);
    for (int i = 1; i < radix; i++) {
      code.iload(locals[i - 1]).iload(place(part)).iadd().istore(locals[i]);
    }
  }

  private Factor factorOfPart(int number) {
    Runnable position = () -> code.iload(place(StepArguments.FACTOR)).loadConstant(number).iadd();
    Parts parts = loadSplat(FACTORS, StepArguments.FACTOR_SHIFT, position);
    return new Factor(parts, emitter.negate(parts.im()));
  }

  @Override
  void columns() {
    Parts[] x = new Parts[radix];
    for (int k = 0; k < radix; k++) {
      int start = from[k];
      x[k] = load(FROM, StepArguments.FROM_SHIFT, () -> code.iload(start).iload(column).iadd());
    }
    Parts[] sums = transform(x);
    for (int j = 0; j < radix; j++) {
      int start = to[j];
      Parts result = rotated(sums[j], j);
      store(TO, StepArguments.TO_SHIFT, () -> code.iload(start).iload(column).iadd(), result);
    }
  }

  private Parts rotated(Parts sum, int part) {
    int first = radix - factorCount(radix);
    if (factors == Factors.OF_NUMBERS) {
      int start = factor[part];
      Parts by =
          load(FACTORS, StepArguments.FACTOR_SHIFT, () -> code.iload(start).iload(column).iadd());
      return times(sum, by, emitter.negate(by.im()));
    } else if (factors == Factors.OF_PARTS && part >= first) {
      Factor by = ofParts.get(part - first);
      return times(sum, by.parts(), by.negated());
    }
    return sum;
  }

  @Override
  void endRow() {
    emitter.release(rowMark);
    advance(StepArguments.FROM, StepArguments.FROM_ROW);
    advance(StepArguments.TO, StepArguments.TO_ROW);
    advance(StepArguments.FACTOR, StepArguments.FACTOR_ROW);
  }

  private Parts[] transform(Parts... x) {
    return switch (x.length) {
      case 1 -> x;
      case 2 -> new Parts[] {plus(x[0], x[1]), minus(x[0], x[1])};
      case FOUR -> four(x);
      case EIGHT -> eight(x);
      default -> odd(x);
    };
  }

  private Parts[] four(Parts... x) {
    Parts evens = plus(x[0], x[2]);
    Parts odds = plus(x[1], x[3]);
    Parts even = minus(x[0], x[2]);
    Parts odd = minus(x[1], x[3]);
    return new Parts[] {
      plus(evens, odds), plusQuarter(even, odd), minus(evens, odds), minusQuarter(even, odd)
    };
  }

  /** Returns {@code a - i b}. */
  private Parts plusQuarter(Parts a, Parts b) {
    return new Parts(emitter.add(a.re(), b.im()), emitter.subtract(a.im(), b.re()));
  }

  /** Returns {@code a + i b}. */
  private Parts minusQuarter(Parts a, Parts b) {
    return new Parts(emitter.subtract(a.re(), b.im()), emitter.add(a.im(), b.re()));
  }

  private Parts[] eight(Parts... x) {
    Parts[] even = four(x[0], x[2], x[4], x[6]);
    Parts[] odd = four(x[1], x[3], x[5], x[7]);
    Value root = emitter.constant(Lane.F64, Math.sqrt(0.5));
    Value minusRoot = emitter.constant(Lane.F64, -Math.sqrt(0.5));
    // The products of e^(-pi i / 4) and e^(-3 pi i / 4) with b, without factors root and -root:
    // e^(-pi i / 4) b = root (b.re + b.im, b.im - b.re), and -i times that.
    Parts first = plusQuarter(odd[1], odd[1]);
    Parts third = minusQuarter(odd[3], odd[3]);
    return new Parts[] {
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

  private Parts plusTimes(Parts a, Value re, Value byRe, Value im, Value byIm) {
    return new Parts(emitter.fma(re, byRe, a.re()), emitter.fma(im, byIm, a.im()));
  }

  /**
   * Writes the transform of an odd radix, from the sums and differences of {@code x[k]} and {@code
   * x[radix - k]}.
   */
  private Parts[] odd(Parts... x) {
    int half = radix / 2;
    Parts[] sums = new Parts[half + 1];
    Parts[] differences = new Parts[half + 1];
    Parts all = x[0];
    for (int k = 1; k <= half; k++) {
      sums[k] = plus(x[k], x[radix - k]);
      differences[k] = minus(x[k], x[radix - k]);
      all = plus(all, sums[k]);
    }
    Parts[] result = new Parts[radix];
    result[0] = all;
    for (int j = 1; j <= half; j++) {
      Parts even = x[0];
      Parts odd = differences[j];
      for (int k = 1; k <= half; k++) {
        double[] root = Roots.root((long) j * k % radix, radix);
        Value cos = emitter.constant(Lane.F64, root[0]);
        Value sin = emitter.constant(Lane.F64, -root[1]);
        even = plusTimes(even, sums[k].re(), cos, sums[k].im(), cos);
        odd =
            k == 1
                ? new Parts(
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
