package org.hlo4j.hlo.op;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/** What a refusal offers where nothing but the element type of a value is wrong. */
final class Fits {
  private Fits() {}

  /**
   * Returns a constant or a conversion that makes a scalar fit; an empty text if there is none.
   *
   * @param got the shape of the value
   * @param want the shape that it should have, a scalar
   * @param name the name of the value
   */
  static String scalar(Shape got, Shape.Array want, String name) {
    String converted = value(got, want, name);
    return converted.isEmpty() ? "" : constant(want) + converted;
  }

  /**
   * Returns the conversion that makes a value fit; an empty text if there is none.
   *
   * @param got the shape of the value
   * @param want the shape that it should have
   * @param name the name of the value
   */
  static String value(Shape got, Shape want, String name) {
    if (!(got instanceof Shape.Array from && want instanceof Shape.Array to)) {
      return "";
    }
    ElementType type = to.elementType();
    boolean dropsImaginary = from.elementType().isComplex() && !type.isComplex();
    return dropsImaginary || !from.withElementType(type).compatible(to)
        ? ""
        : "convertElementType(" + type.name() + ") of " + name;
  }

  /** Returns the conversion that makes indices fit; an empty text if they are integers. */
  static String integers(Shape.Array got, String name) {
    return got.elementType().isIntegral()
        ? ""
        : "convertElementType(" + ElementType.S32.name() + ") of " + name;
  }

  /** Returns how a Java program writes a constant, of a scalar whose type Java has. */
  private static String constant(Shape.Array shape) {
    if (shape.elementType().isComplex()) {
      return "";
    }
    Object zero = Literal.zeros(shape).toArray();
    String text =
        switch (zero) {
          case Float _ -> "0f";
          case Long _ -> "0L";
          case Byte _ -> "(byte) 0";
          case Short _ -> "(short) 0";
          default -> zero.toString();
        };
    boolean isJava = Literal.of(zero).elementType() == shape.elementType();
    return isJava ? "constant(" + text + ") or another constant of its type, or " : "";
  }
}
