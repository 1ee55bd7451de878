package org.hlo4j.check.verdicts;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;

/** Runs of a program in an element type on the reference. */
final class Evaluation {
  private final HloModule module;

  Evaluation(ProgramText program, String type) {
    this.module = program.module(type);
  }

  HloModule module() {
    return module;
  }

  Literal run(List<Literal> arguments) {
    return Interpreter.reference().run(module, arguments.toArray(Literal[]::new));
  }

  /** Returns the arguments that the program has if T is another type. */
  static ImmutableList<Literal> converted(
      ProgramText program, String type, List<Literal> arguments) {
    ImmutableList.Builder<Literal> converted = ImmutableList.builder();
    for (int i = 0; i < arguments.size(); i++) {
      Shape shape = Parser.parseShape(ProgramText.typed(program.parameters().get(i), type));
      converted.add(arguments.get(i).convertElementType(((Shape.Array) shape).elementType()));
    }
    return converted.build();
  }

  /** Returns a result in the types of a shape, rounded to nearest, toward-zero, ties-away or up. */
  static Literal rounded(Literal wide, Shape shape, String mode) {
    if (shape instanceof Shape.Tuple tuple) {
      ImmutableList.Builder<Literal> elements = ImmutableList.builder();
      for (int i = 0; i < tuple.elements().size(); i++) {
        elements.add(rounded(wide.element(i), tuple.elements().get(i), mode));
      }
      return Literal.tuple(elements.build());
    }
    Shape.Array array = (Shape.Array) shape;
    ElementType part = array.elementType().componentType();
    ElementType from = wide.elementType().componentType();
    if (!part.isFloating() || !from.isFloating()) {
      return wide.convertElementType(array.elementType());
    }
    LiteralBuilder narrow = LiteralBuilder.zeros(array);
    int parts = array.elementType().isComplex() ? 2 : 1;
    for (int i = 0; i < parts * wide.elementCount(); i++) {
      narrow.setBits(i, rounded(part, from.decode(wide.bitsAt(i)), mode));
    }
    return narrow.build();
  }

  private static long rounded(ElementType type, double x, String mode) {
    long nearest = type.encode(x);
    double error = type.decode(nearest) - x;
    if (Double.isNaN(error) || error == 0) {
      return nearest;
    }
    long away = error * x > 0 ? nearest : nearest + 1;
    long zeroward = away - 1;
    return switch (mode) {
      case "toward-zero" -> zeroward;
      case "up" -> x > 0 ? away : zeroward;
      case "away" -> away;
      case "ties-away" ->
          Math.abs(type.decode(away) - x) == Math.abs(type.decode(zeroward) - x) ? away : nearest;
      default -> nearest;
    };
  }
}
