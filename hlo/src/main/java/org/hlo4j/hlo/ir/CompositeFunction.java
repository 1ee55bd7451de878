package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.schema.AttributeText;

/**
 * A function of CHLO without an op in HLO: a composite call of its name, {@code call(x),
 * to_apply=f, is_composite=true, frontend_attributes={composite.name="chlo.lgamma", …}}, on arrays
 * of floats of one shape. The computation is one way to compute it; other systems have others, and
 * what their results have in common is the function, not the steps.
 *
 * <p>{@link #allowance} is how far published implementations are off. XLA's expansions were
 * measured on XLA:CPU (jaxlib 0.10.2) against mpmath at 60 digits; those of glibc and of CUDA's
 * libdevice claim less. An expansion does not follow its function into a zero, and some lose what
 * their argument lost, so the unit is {@link ElementType#mantissaBits 2^-mantissaBits} of a scale
 * that each function names, not of the value alone. Two faults of XLA's are beyond it: zeta and
 * polygamma below -4, where the terms left of 0 are not summed to their end, and polygamma where n!
 * overflows.
 */
public enum CompositeFunction {
  /** {@code exp(-|x|) I1(x)}; of the value. */
  BESSEL_I1E("chlo.bessel_i1e", 16, 12) {
    @Override
    double scale(double value, double... x) {
      return Math.abs(value);
    }
  },

  /** The derivative of {@code log(gamma(x))}; of max(1, |value|), and for negative x of log |x|. */
  DIGAMMA("chlo.digamma", 16, 16) {
    @Override
    double scale(double value, double... x) {
      double least = x[0] < 0 ? Math.log(-x[0]) : 0;
      return Math.max(Math.max(1, least), Math.abs(value));
    }
  },

  /** {@code 1 - erf(x)}; of the value and what it changes by if x does by a unit. */
  ERFC("chlo.erfc", 4, 6) {
    @Override
    double scale(double value, double... x) {
      return Math.abs(value) + 2 / SQRT_PI * Math.abs(x[0]) * Math.exp(-x[0] * x[0]);
    }
  },

  /** The inverse of erf; of the value and what it changes by if x does by a unit. */
  ERF_INV("chlo.erf_inv", 4, 12) {
    @Override
    double scale(double value, double... x) {
      return Math.abs(value) + SQRT_PI / 2 * Math.abs(x[0]) * Math.exp(value * value);
    }
  },

  /** {@code log(|gamma(x)|)}; of max(1, |value|), and for negative x of |x| log |x|. */
  LGAMMA("chlo.lgamma", 32, 32) {
    @Override
    double scale(double value, double... x) {
      double least = x[0] < 0 ? -x[0] * Math.log(-x[0]) : 0;
      return Math.max(Math.max(1, least), Math.abs(value));
    }
  },

  /**
   * The derivative of order n of digamma: of the value, for negative x with the greatest term of
   * its sum, times one more than what the logarithms of n! and of x^n amount to.
   */
  POLYGAMMA("chlo.polygamma", 6, 6) {
    @Override
    double scale(double value, double... in) {
      double n = Math.max(in[0], 0);
      double terms = Math.abs(value) + factorial(n) * greatestTerm(n + 1, in[1]);
      return terms * (1 + n * (Math.log1p(n) + Math.abs(Math.log(Math.abs(in[1])))));
    }

    @Override
    double lost(double... in) {
      return factorial(in[0]) * ZETA.lost(in[0] + 1, in[1]);
    }
  },

  /**
   * Hurwitz's zeta function: of the value, for negative q with the greatest term of its sum, times
   * one more than half of x, because the base of a power is rounded.
   */
  ZETA("chlo.zeta", 6, 6) {
    @Override
    double scale(double value, double... in) {
      return (Math.abs(value) + greatestTerm(in[0], in[1])) * (1 + in[0] / 2);
    }

    @Override
    double lost(double... in) {
      return 20 + Math.abs(in[1]) / Math.max(in[0] - 1, 0x1p-52);
    }
  };

  private static final double SQRT_PI = Math.sqrt(Math.PI);

  private final String compositeName;
  private final double inSingle;
  private final double inDouble;

  CompositeFunction(String compositeName, double inSingle, double inDouble) {
    this.compositeName = compositeName;
    this.inSingle = inSingle;
    this.inDouble = inDouble;
  }

  /** Returns what an error is measured in units of, at finite operands. */
  abstract double scale(double value, double... operands);

  /**
   * Returns the name of the composite.
   *
   * @return the name of CHLO's op, such as {@code chlo.lgamma}
   */
  public String compositeName() {
    return compositeName;
  }

  /** Returns how many least normal numbers are missing if powers below them are flushed to zero. */
  double lost(double... operands) {
    return 0;
  }

  private static double factorial(double n) {
    double product = 1;
    for (int k = 2; k <= Math.min(n, 171); k++) {
      product *= k;
    }
    return product;
  }

  /** Returns the power -x of the distance of a negative q from the integers; 0 for others. */
  private static double greatestTerm(double x, double q) {
    return q < 0 ? Math.pow(Math.abs(q - Math.rint(q)), -x) : 0;
  }

  /** Returns the number of its operands. */
  private int arity() {
    return this == POLYGAMMA || this == ZETA ? 2 : 1;
  }

  /**
   * Returns the function that an instruction is a call of.
   *
   * @param instruction any instruction
   * @return the function, if the instruction is a composite call of its name, with its number of
   *     operands, all of them and the result arrays of floats of one shape
   */
  public static Optional<CompositeFunction> of(HloInstruction instruction) {
    requireNonNull(instruction, "instruction");
    if (!(instruction.op() instanceof Call call && call.isComposite())) {
      return Optional.empty();
    }
    String text = instruction.attributes().getOrDefault("frontend_attributes", "{}");
    String name = AttributeText.parseFrontendAttributes(text).get("composite.name");
    return Arrays.stream(values())
        .filter(each -> each.compositeName.equals(name) && each.suits(instruction))
        .findFirst();
  }

  private boolean suits(HloInstruction call) {
    return call.operands().size() == arity()
        && call.shape() instanceof Shape.Array array
        && array.elementType().isFloating()
        && call.operands().stream().allMatch(each -> each.shape().compatible(array));
  }

  /**
   * Returns how far the result of a published implementation may be from the exact value.
   *
   * @param type the type of the operands and the result; narrower ones than f32 are computed in f32
   *     and rounded once more
   * @param value the exact value, finite
   * @param operands the operands, finite, as many as the function has
   * @return the largest distance, at least one unit in the last place of the value
   * @throws org.hlo4j.hlo.HloException if there are more or fewer operands
   */
  public double allowance(ElementType type, double value, double... operands) {
    requireNonNull(type, "type");
    require(
        operands.length == arity(),
        "",
        "%s: operands got %s, want %s",
        compositeName,
        operands.length,
        arity());
    ElementType computed = type == ElementType.F64 ? type : ElementType.F32;
    double units = type == ElementType.F64 ? inDouble : inSingle;
    double least = type == ElementType.F64 ? Double.MIN_NORMAL : Float.MIN_NORMAL;
    double own = Math.scalb(Math.abs(value), -type.mantissaBits());
    double inside =
        Math.scalb(units, -computed.mantissaBits()) * scale(value, operands)
            + least * lost(operands);
    return Math.max(own, inside + (type == computed ? 0 : own));
  }
}
