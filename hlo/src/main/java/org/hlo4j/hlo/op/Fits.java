package org.hlo4j.hlo.op;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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
    if (got instanceof Shape.Tuple from && want instanceof Shape.Tuple to) {
      return elements(from.elements(), to.elements(), name);
    }
    if (!(got instanceof Shape.Array from && want instanceof Shape.Array to)) {
      return "";
    }
    ElementType type = to.elementType();
    boolean dropsImaginary = from.elementType().isComplex() && !type.isComplex();
    return from.elementType() == type
            || dropsImaginary
            || !from.withElementType(type).compatible(to)
        ? ""
        : "convertElementType(" + type.name() + ") of " + name;
  }

  /**
   * Returns what makes the result of a computation fit; an empty text if there is none. Whether
   * something holds is no number: a condition needs a comparison, and a reducer one of its numbers.
   *
   * @param got the shape of the result
   * @param want the shape that it should have
   * @param isReducer whether the computation makes one number of two
   */
  static String result(Shape got, Shape want, boolean isReducer) {
    String converted = value(got, want, "the result");
    if (converted.isEmpty() || isPred(got) == isPred(want)) {
      return converted;
    }
    return isPred(want)
        ? "a comparison as the result, such as lt or ne"
        : isReducer ? "max or min as the result, or a select by the comparison" : converted;
  }

  private static boolean isPred(Shape shape) {
    return shape instanceof Shape.Array array && array.elementType() == ElementType.PRED;
  }

  /** Returns the conversions that make the elements of a tuple fit, if all of them can. */
  private static String elements(List<Shape> got, List<Shape> want, String name) {
    List<String> conversions = new ArrayList<>();
    for (int i = 0; i < Math.min(got.size(), want.size()); i++) {
      if (!got.get(i).compatible(want.get(i))) {
        conversions.add(value(got.get(i), want.get(i), "element " + i + " of " + name));
      }
    }
    return got.size() != want.size() || conversions.contains("")
        ? ""
        : String.join(" and ", conversions);
  }

  /** Returns the conversions of two bounds to the type of what they bound. */
  static String bounds(Shape.Array min, Shape.Array max, ElementType type) {
    return Stream.of(
            value(min, min.withElementType(type), "min"),
            value(max, max.withElementType(type), "max"))
        .filter(conversion -> !conversion.isEmpty())
        .collect(joining(" and "));
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
