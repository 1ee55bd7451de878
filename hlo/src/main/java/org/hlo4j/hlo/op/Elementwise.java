package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.ElementType.Kind.COMPLEX;
import static org.hlo4j.hlo.ElementType.Kind.FLOAT;
import static org.hlo4j.hlo.ElementType.Kind.PRED;
import static org.hlo4j.hlo.ElementType.Kind.SIGNED;
import static org.hlo4j.hlo.ElementType.Kind.UNSIGNED;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * An element-wise op: {@code result[i] = f(lhs[i], rhs[i])}. All operands have the same shape;
 * broadcasts are explicit instructions.
 *
 * @param kind the function
 */
public record Elementwise(Kind kind) implements Pointwise {
  /** The element type of the result. */
  private enum Result {
    /** Of the operands' type. */
    SAME,
    /** Of the component type, for complex operands. */
    COMPONENT,
    /** Booleans. */
    PREDICATE,
    /** Complex numbers made of two floats. */
    COMPLEX_OF
  }

  /** The element-wise functions, each with its mnemonic, arity and supported element types. */
  public enum Kind {
    /** Absolute value; of a complex number its modulus. */
    ABS("abs", 1, Result.COMPONENT, SIGNED, FLOAT, COMPLEX),
    /** Arc cosine. */
    ACOS("acos", 1, FLOAT, COMPLEX),
    /** Inverse hyperbolic cosine. */
    ACOSH("acosh", 1, FLOAT, COMPLEX),
    /** Sum, wrapping for integers; for pred logical or. */
    ADD("add", 2, PRED, SIGNED, UNSIGNED, FLOAT, COMPLEX),
    /** Bitwise and. */
    AND("and", 2, PRED, SIGNED, UNSIGNED),
    /** Arc sine. */
    ASIN("asin", 1, FLOAT, COMPLEX),
    /** Inverse hyperbolic sine. */
    ASINH("asinh", 1, FLOAT, COMPLEX),
    /** Arc tangent. */
    ATAN("atan", 1, FLOAT, COMPLEX),
    /** Angle of the point (rhs, lhs). */
    ATAN2("atan2", 2, FLOAT, COMPLEX),
    /** Inverse hyperbolic tangent. */
    ATANH("atanh", 1, FLOAT, COMPLEX),
    /** Cube root. */
    CBRT("cbrt", 1, FLOAT, COMPLEX),
    /** Rounds up. */
    CEIL("ceil", 1, FLOAT),
    /** Complex number of real part lhs and imaginary part rhs. */
    MAKE_COMPLEX("complex", 2, Result.COMPLEX_OF, FLOAT),
    /** Cosine. */
    COSINE("cosine", 1, FLOAT, COMPLEX),
    /** Hyperbolic cosine. */
    COSH("cosh", 1, FLOAT, COMPLEX),
    /** Number of zero bits above the highest one. */
    COUNT_LEADING_ZEROS("count-leading-zeros", 1, SIGNED, UNSIGNED),
    /** Quotient; of integers truncated, by zero all ones. */
    DIVIDE("divide", 2, SIGNED, UNSIGNED, FLOAT, COMPLEX),
    /** Error function. */
    ERF("erf", 1, FLOAT),
    /** e to the power. */
    EXPONENTIAL("exponential", 1, FLOAT, COMPLEX),
    /** e to the power, minus one. */
    EXPONENTIAL_MINUS_ONE("exponential-minus-one", 1, FLOAT, COMPLEX),
    /** Rounds down. */
    FLOOR("floor", 1, FLOAT),
    /** Imaginary part; 0 for a float. */
    IMAG("imag", 1, Result.COMPONENT, FLOAT, COMPLEX),
    /** Whether neither infinite nor NaN. */
    IS_FINITE("is-finite", 1, Result.PREDICATE, FLOAT),
    /** Natural logarithm. */
    LOG("log", 1, FLOAT, COMPLEX),
    /** Natural logarithm of one plus the operand. */
    LOG_PLUS_ONE("log-plus-one", 1, FLOAT, COMPLEX),
    /** 1 / (1 + exp(-x)). */
    LOGISTIC("logistic", 1, FLOAT, COMPLEX),
    /** The greater; NaN if either is, 0 above -0; complex numbers lexicographically. */
    MAXIMUM("maximum", 2, PRED, SIGNED, UNSIGNED, FLOAT, COMPLEX),
    /** The lesser; NaN if either is, -0 below 0; complex numbers lexicographically. */
    MINIMUM("minimum", 2, PRED, SIGNED, UNSIGNED, FLOAT, COMPLEX),
    /** The upper half of the double-width product. */
    MULHI("mulhi", 2, SIGNED, UNSIGNED),
    /** Product, wrapping for integers; for pred logical and. */
    MULTIPLY("multiply", 2, PRED, SIGNED, UNSIGNED, FLOAT, COMPLEX),
    /** Negative; wraps for integers. */
    NEGATE("negate", 1, SIGNED, UNSIGNED, FLOAT, COMPLEX),
    /** Bitwise not. */
    NOT("not", 1, PRED, SIGNED, UNSIGNED),
    /** Bitwise or. */
    OR("or", 2, PRED, SIGNED, UNSIGNED),
    /** Number of one bits. */
    POPCNT("popcnt", 1, SIGNED, UNSIGNED),
    /** lhs to the power of rhs. */
    POWER("power", 2, SIGNED, UNSIGNED, FLOAT, COMPLEX),
    /** Real part. */
    REAL("real", 1, Result.COMPONENT, FLOAT, COMPLEX),
    /** Remainder with the sign of lhs; by zero lhs for integers, NaN for floats. */
    REMAINDER("remainder", 2, SIGNED, UNSIGNED, FLOAT),
    /** Rounds to the nearest integer, halves away from zero. */
    ROUND_NEAREST_AFZ("round-nearest-afz", 1, FLOAT),
    /** Rounds to the nearest integer, halves to even. */
    ROUND_NEAREST_EVEN("round-nearest-even", 1, FLOAT),
    /** 1 / sqrt(x). */
    RSQRT("rsqrt", 1, FLOAT, COMPLEX),
    /** Shift to the left; 0 from the width on. */
    SHIFT_LEFT("shift-left", 2, SIGNED, UNSIGNED),
    /** Shift to the right, copies of the sign bit coming in. */
    SHIFT_RIGHT_ARITHMETIC("shift-right-arithmetic", 2, SIGNED, UNSIGNED),
    /** Shift to the right, zeros coming in; 0 from the width on. */
    SHIFT_RIGHT_LOGICAL("shift-right-logical", 2, SIGNED, UNSIGNED),
    /** -1, 0 or 1; keeps NaN and signed zero; for complex numbers x / |x|. */
    SIGN("sign", 1, SIGNED, FLOAT, COMPLEX),
    /** Sine. */
    SINE("sine", 1, FLOAT, COMPLEX),
    /** Hyperbolic sine. */
    SINH("sinh", 1, FLOAT, COMPLEX),
    /** Square root. */
    SQRT("sqrt", 1, FLOAT, COMPLEX),
    /** Difference, wrapping for integers. */
    SUBTRACT("subtract", 2, SIGNED, UNSIGNED, FLOAT, COMPLEX),
    /** Tangent. */
    TAN("tan", 1, FLOAT, COMPLEX),
    /** Hyperbolic tangent. */
    TANH("tanh", 1, FLOAT, COMPLEX),
    /** Bitwise exclusive or. */
    XOR("xor", 2, PRED, SIGNED, UNSIGNED);

    private final String mnemonic;
    private final int arity;
    private final Result result;
    private final ImmutableSet<ElementType.Kind> accepted;

    Kind(String mnemonic, int arity, ElementType.Kind... accepted) {
      this(mnemonic, arity, Result.SAME, accepted);
    }

    Kind(String mnemonic, int arity, Result result, ElementType.Kind... accepted) {
      this.mnemonic = mnemonic;
      this.arity = arity;
      this.result = result;
      this.accepted = Sets.immutableEnumSet(Arrays.asList(accepted));
    }

    /**
     * Returns the name in HLO text.
     *
     * @return the mnemonic
     */
    public String mnemonic() {
      return mnemonic;
    }

    /**
     * Returns the number of operands: 1 or 2.
     *
     * @return the number
     */
    public int arity() {
      return arity;
    }

    /**
     * Returns whether elements of this type are taken.
     *
     * @param type an element type
     * @return whether the function is defined on it
     */
    public boolean accepts(ElementType type) {
      boolean component = type == ElementType.F32 || type == ElementType.F64;
      return accepted.contains(type.kind()) && (result != Result.COMPLEX_OF || component);
    }

    /**
     * Returns whether the two operands may be in either order.
     *
     * @return whether it is a commutative function
     */
    public boolean isCommutative() {
      return switch (this) {
        case ADD, MULTIPLY, MAXIMUM, MINIMUM, AND, OR, XOR, MULHI -> true;
        default -> false;
      };
    }

    /**
     * Returns whether this is a transcendental function, or a root but the square root: systems
     * approximate it, so that results may differ by some units in the last place.
     *
     * @return whether it is approximated
     */
    public boolean isTranscendental() {
      return switch (this) {
        case ACOS, ACOSH, ASIN, ASINH, ATAN, ATAN2, ATANH, CBRT, COSINE, COSH, ERF -> true;
        case EXPONENTIAL, EXPONENTIAL_MINUS_ONE, LOG, LOG_PLUS_ONE, LOGISTIC, POWER -> true;
        case RSQRT, SINE, SINH, TAN, TANH -> true;
        case ABS, ADD, AND, CEIL, COUNT_LEADING_ZEROS, DIVIDE, FLOOR, IMAG, IS_FINITE -> false;
        case MAKE_COMPLEX, MAXIMUM, MINIMUM, MULHI, MULTIPLY, NEGATE, NOT, OR, POPCNT -> false;
        case REAL, REMAINDER, ROUND_NEAREST_AFZ, ROUND_NEAREST_EVEN, SHIFT_LEFT -> false;
        case SHIFT_RIGHT_ARITHMETIC, SHIFT_RIGHT_LOGICAL, SIGN, SQRT, SUBTRACT, XOR -> false;
      };
    }

    /**
     * Returns the value that leaves the other operand as it is, such as 0 for a sum: what XLA and
     * StableHLO want as the initial value of a reduction by this function.
     *
     * @param type an element type
     * @return the scalar; empty if the function has none, does not take the type, or the type is
     *     complex and the function an extremum
     */
    public Optional<Literal> identity(ElementType type) {
      boolean isExtremum = this == MAXIMUM || this == MINIMUM;
      if (!accepts(type) || (isExtremum && type.isComplex())) {
        return Optional.empty();
      }
      return switch (this) {
        case ADD, OR, XOR -> scalar(type, 0, 0);
        case MULTIPLY -> scalar(type, 1, 1);
        case AND -> scalar(type, 0, type.maxLong() | type.minLong());
        case MAXIMUM -> scalar(type, -greatest(type), type.isIntegral() ? type.minLong() : 0);
        case MINIMUM -> scalar(type, greatest(type), type.isFloating() ? 0 : type.maxLong());
        default -> Optional.empty();
      };
    }

    private static double greatest(ElementType type) {
      return type.hasInfinity() || !type.isFloating() ? Double.POSITIVE_INFINITY : type.maxFinite();
    }

    /** Returns a number of the type; empty if the type does not have it. */
    private static Optional<Literal> scalar(ElementType type, double number, long integer) {
      LiteralBuilder scalar = LiteralBuilder.zeros(Shape.of(type));
      ElementType part = type.componentType();
      boolean isNumber = part.isFloating();
      long bits = isNumber ? part.encode(number) : integer;
      scalar.setBits(0, bits);
      return isNumber && part.decode(bits) != number
          ? Optional.empty()
          : Optional.of(scalar.build());
    }

    /**
     * Returns the element type of the result.
     *
     * @param operand the element type of the operands
     * @return the element type
     */
    public ElementType resultType(ElementType operand) {
      return switch (result) {
        case SAME -> operand;
        case COMPONENT -> operand.componentType();
        case PREDICATE -> ElementType.PRED;
        case COMPLEX_OF -> operand == ElementType.F32 ? ElementType.C64 : ElementType.C128;
      };
    }

    /**
     * Refuses an operand whose element type is not taken.
     *
     * @param type the operand's element type
     * @param role what to call the operand
     * @throws HloException if it is not taken
     */
    public void requireAccepts(ElementType type, String role) {
      require(accepts(type), "", "element type of %s got %s, want %s", role, type, acceptedText());
    }

    private String acceptedText() {
      if (result == Result.COMPLEX_OF) {
        return "f32 or f64";
      }
      return accepted.stream()
          .map(kind ->
              switch (kind) {
                case PRED -> "pred";
                case SIGNED -> "signed integer";
                case UNSIGNED -> "unsigned integer";
                case FLOAT -> "float";
                case COMPLEX -> "complex";
              })
          .collect(Collectors.joining(", "));
    }
  }

  @Override
  public String opcode() {
    return kind.mnemonic();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Elementwise that && kind == that.kind;
  }

  @Override
  public int hashCode() {
    return kind.hashCode();
  }

  /** Returns the mnemonic. */
  @Override
  public String toString() {
    return kind.mnemonic();
  }

  @Override
  public Arity arity() {
    return Arity.exactly(kind.arity());
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array lhs = in.array(0, kind.arity() == 1 ? "operand" : "lhs");
    kind.requireAccepts(lhs.elementType(), kind.arity() == 1 ? "operand" : "lhs");
    ElementType resultType = kind.resultType(lhs.elementType());
    if (kind.arity() == 1) {
      return lhs.withElementType(resultType).withLayout(null);
    }
    return Broadcasting.sameShape(lhs, in.array(1, "rhs")).withElementType(resultType);
  }
}
