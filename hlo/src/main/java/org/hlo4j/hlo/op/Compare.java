package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Compares two arrays element by element; the result is pred.
 *
 * @param direction the relation
 * @param type the order to compare in; empty for the default of the element type
 */
public record Compare(Direction direction, Optional<Type> type) implements Pointwise {
  /** The relations. */
  public enum Direction {
    /** Equal. */
    EQ,
    /** Not equal. */
    NE,
    /** Greater or equal. */
    GE,
    /** Greater. */
    GT,
    /** Less or equal. */
    LE,
    /** Less. */
    LT;

    /**
     * Returns whether this relation holds.
     *
     * @param order how the left side compares to the right one: negative if it is less, positive if
     *     it is greater
     * @return whether it does
     */
    public boolean holds(int order) {
      return switch (this) {
        case EQ -> order == 0;
        case NE -> order != 0;
        case GE -> order >= 0;
        case GT -> order > 0;
        case LE -> order <= 0;
        case LT -> order < 0;
      };
    }
  }

  /** The orders. */
  public enum Type {
    /** IEEE 754 comparison: NaN is unordered, -0 equals 0. Default for floats and complex. */
    FLOAT,
    /** IEEE 754 total order: -NaN &lt; -inf &lt; -0 &lt; 0 &lt; inf &lt; NaN. */
    TOTALORDER,
    /** Default for signed integers. */
    SIGNED,
    /** Default for unsigned integers and pred. */
    UNSIGNED;

    /**
     * Returns the order used where none is named.
     *
     * @param elementType the type of the elements compared
     * @return the default
     */
    public static Type defaultFor(ElementType elementType) {
      requireNonNull(elementType, "elementType");
      return switch (elementType.kind()) {
        case SIGNED -> SIGNED;
        case UNSIGNED, PRED -> UNSIGNED;
        case FLOAT, COMPLEX -> FLOAT;
      };
    }
  }

  /**
   * Returns the order used for elements of a type.
   *
   * @param elementType the type of the elements compared
   * @return the order named, or the default
   */
  public Type typeFor(ElementType elementType) {
    return type.orElse(Type.defaultFor(elementType));
  }

  @Override
  public String opcode() {
    return "compare";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array lhs = in.array(0, "lhs");
    requireSuits(lhs.elementType());
    return Broadcasting.sameShape(lhs, in.array(1, "rhs")).withElementType(ElementType.PRED);
  }

  /**
   * Refuses an order that does not suit the elements: floats take FLOAT and TOTALORDER, all others
   * only their default.
   *
   * @param elementType the type of the elements compared
   */
  public void requireSuits(ElementType elementType) {
    Type got = typeFor(elementType);
    boolean totalOrder = got == Type.TOTALORDER && elementType.isFloating();
    require(
        totalOrder || got == Type.defaultFor(elementType),
        "compare C3",
        "type got %s, want %s%s for %s",
        got,
        Type.defaultFor(elementType),
        elementType.isFloating() ? " or TOTALORDER" : "",
        elementType);
  }
}
