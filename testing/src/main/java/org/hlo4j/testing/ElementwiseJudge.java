package org.hlo4j.testing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;

/**
 * A comparison of the result of an element-wise op with an {@link ElementwiseCase}, point by point.
 *
 * <ul>
 *   <li>Ops that only move or truncate bits: bit for bit as XLA, including NaN payloads.
 *   <li>Integers, pred, conversions, comparisons, rounding, the four operations, remainder and
 *       square root of real numbers: bit for bit as XLA, where any NaN equals any NaN.
 *   <li>Other functions: within 2 units in the last place of the exact result (1 for f16 and bf16),
 *       or of XLA's result if there is no exact one.
 *   <li>Complex functions: within a relative tolerance of XLA's results, for finite points of
 *       moderate size.
 * </ul>
 *
 * <p>Points at which XLA's CPU compiler is no reference are skipped: denormal operands or results
 * of f32, f64 and bf16, which it flushes to zero; integer exponents above 63, of which it uses only
 * the low 6 bits; complex points that are not finite or have zero or extreme parts.
 */
public final class ElementwiseJudge {
  private static final ImmutableSet<String> BITS =
      ImmutableSet.of("abs", "bitcast-convert", "complex", "imag", "negate", "real", "select");
  private static final ImmutableSet<String> EXACT =
      ImmutableSet.of(
          "add",
          "ceil",
          "clamp",
          "compare",
          "convert",
          "divide",
          "floor",
          "is-finite",
          "maximum",
          "minimum",
          "multiply",
          "reduce-precision",
          "remainder",
          "round-nearest-afz",
          "round-nearest-even",
          "sign",
          "sqrt",
          "subtract");
  private static final ImmutableSet<ElementType> FLUSHED =
      ImmutableSet.of(ElementType.BF16, ElementType.F32, ElementType.F64);
  private static final double MIN_MODERATE = 0x1p-20;
  private static final double MAX_MODERATE = 0x1p20;

  private final ElementwiseCase row;
  private final Literal got;
  private final ImmutableList.Builder<String> findings = ImmutableList.builder();
  private int checked;

  private ElementwiseJudge(ElementwiseCase row, Literal got) {
    this.row = row;
    this.got = got;
  }

  /**
   * The result of a comparison.
   *
   * @param points the number of points
   * @param checked the number of points that were compared
   * @param findings the points that are wrong: operands, actual and expected value
   */
  public record Verdict(int points, int checked, ImmutableList<String> findings) {}

  /**
   * Compares a result with a case.
   *
   * @param row the case
   * @param got the result of an evaluator for its arguments
   * @return the verdict
   */
  public static Verdict judge(ElementwiseCase row, Literal got) {
    return new ElementwiseJudge(row, got).verdict();
  }

  private Verdict verdict() {
    int points = row.xla().elementCount();
    if (!got.shape().equals(row.xla().shape())) {
      findings.add("shape: got " + got.shape() + ", want " + row.xla().shape());
    } else {
      for (int i = 0; i < points; i++) {
        check(i);
      }
    }
    return new Verdict(points, checked, findings.build());
  }

  private void check(int i) {
    if (movesBits()) {
      boolean equal = true;
      for (int part = 0; part < parts(row.xla()); part++) {
        equal &=
            keepsPayload()
                ? bits(got, i, part) == bits(row.xla(), i, part)
                : isWithin(0, bits(got, i, part), bits(row.xla(), i, part));
      }
      judged(i, equal, "the bits of");
    } else if (isExact() && !isFlushed(i) && !isHighPower(i)) {
      boolean equal = true;
      for (int part = 0; part < parts(row.xla()); part++) {
        equal &= isWithin(0, bits(got, i, part), bits(row.xla(), i, part));
      }
      judged(i, equal, "");
    } else if (!isExact() && isComplex()) {
      checkComplex(i);
    } else if (!isExact()) {
      checkFunction(i);
    }
  }

  private void judged(int i, boolean right, String rule) {
    checked++;
    if (!right) {
      StringBuilder text = new StringBuilder("[" + i + "]");
      row.arguments().forEach(argument -> text.append(' ').append(text(argument, i)));
      text.append(": got ").append(text(got, i)).append(", want ");
      findings.add(text.append(rule.isEmpty() ? "" : rule + " ").append(text(row.xla(), i)) + "");
    }
  }

  private boolean movesBits() {
    return BITS.contains(row.op()) && !(row.op().equals("abs") && isComplex());
  }

  /**
   * Returns whether NaN payloads have to agree. XLA computes sign ops of f8 in f16, and those of
   * complex numbers in varying ways; there any NaN equals any NaN.
   */
  private boolean keepsPayload() {
    boolean signOp = row.op().equals("abs") || row.op().equals("negate");
    return !signOp || (row.operandType().bits() >= 16 && !isComplex());
  }

  private boolean isExact() {
    boolean real = row.operandType().isFloating() && row.xla().elementType().isFloating();
    return (!row.operandType().isFloating() && !isComplex())
        || row.xla().elementType() == ElementType.PRED
        || row.op().equals("convert")
        || (EXACT.contains(row.op()) && real);
  }

  private boolean isComplex() {
    return row.operandType().isComplex();
  }

  private static int parts(Literal literal) {
    return literal.elementType().componentCount();
  }

  private static long bits(Literal literal, int i, int part) {
    return literal.bitsAt(i * parts(literal) + part);
  }

  /**
   * Returns whether values are within a distance; any NaN equals any NaN, while 0 and -0 differ.
   */
  private boolean isWithin(long ulps, long got, long want) {
    ElementType type = row.xla().elementType().componentType();
    long distance = type.ulpsBetween(got, want);
    boolean otherZero = distance == 0 && got != want && type.decode(got) == 0;
    return distance <= ulps && !otherZero;
  }

  private boolean isFlushed(int i) {
    return row.arguments().stream().anyMatch(argument -> hasFlushed(argument, i))
        || hasFlushed(got, i)
        || hasFlushed(row.xla(), i);
  }

  /**
   * Returns whether an element has a denormal part of a type whose denormals XLA flushes to zero.
   */
  private static boolean hasFlushed(Literal literal, int i) {
    ElementType type = literal.elementType().componentType();
    boolean flushed = false;
    for (int part = 0; FLUSHED.contains(type) && part < parts(literal); part++) {
      long magnitude = bits(literal, i, part) & ((1L << (type.bits() - 1)) - 1);
      flushed |= magnitude > 0 && magnitude < 1L << type.mantissaBits();
    }
    return flushed;
  }

  private boolean isHighPower(int i) {
    if (!row.op().equals("power") || !row.operandType().isIntegral()) {
      return false;
    }
    long exponent = row.arguments().get(1).longAt(i);
    boolean negative = row.operandType().kind() == ElementType.Kind.SIGNED && exponent < 0;
    return !negative && Long.compareUnsigned(exponent, 63) > 0;
  }

  /**
   * Checks a function of real numbers against the exact result, or against XLA's if there is none.
   */
  private void checkFunction(int i) {
    ElementType type = got.elementType();
    Optional<Long> exact = row.exact().isEmpty() ? Optional.empty() : row.exact().get(i);
    long allowed = type.bits() <= 16 ? 1 : 2;
    if (exact.isPresent()) {
      long want = exact.get();
      if (type.decode(want) == 0 && type.decode(bits(row.xla(), i, 0)) == 0) {
        want = bits(row.xla(), i, 0); // an exact result that underflows has lost its sign
      }
      judged(
          i,
          isWithin(allowed, bits(got, i, 0), want),
          "exactly " + type.decode(exact.get()) + ", by XLA");
    } else if (!isFlushed(i)) {
      judged(i, isWithin(allowed, bits(got, i, 0), bits(row.xla(), i, 0)), "");
    }
  }

  private void checkComplex(int i) {
    boolean moderate = isModerate(row.xla(), i);
    for (Literal argument : row.arguments()) {
      moderate &= isModerate(argument, i);
    }
    if (moderate) {
      double tolerance = got.elementType().componentType() == ElementType.F32 ? 1e-5 : 1e-12;
      double size = Math.hypot(part(row.xla(), i, 0), part(row.xla(), i, 1));
      double off =
          Math.hypot(
              part(got, i, 0) - part(row.xla(), i, 0), part(got, i, 1) - part(row.xla(), i, 1));
      judged(i, off <= tolerance * size, "");
    }
  }

  private static double part(Literal literal, int i, int part) {
    ElementType type = literal.elementType().componentType();
    return part < parts(literal) ? type.decode(bits(literal, i, part)) : 0;
  }

  private static boolean isModerate(Literal literal, int i) {
    boolean moderate = true;
    for (int part = 0; part < parts(literal); part++) {
      double size = Math.abs(part(literal, i, part));
      moderate &= size >= MIN_MODERATE && size <= MAX_MODERATE;
    }
    return moderate;
  }

  private static String text(Literal literal, int i) {
    ElementType type = literal.elementType().componentType();
    StringBuilder text = new StringBuilder();
    for (int part = 0; part < parts(literal); part++) {
      long bits = bits(literal, i, part);
      text.append(part == 0 ? "" : "+i*");
      text.append(type.isFloating() ? "" + type.decode(bits) : "" + type.wrap(bits));
      text.append(" (0x").append(Long.toHexString(bits)).append(')');
    }
    return text.toString();
  }
}
