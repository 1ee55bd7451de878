package org.hlo4j.interpreter.compiled.loops;

import java.util.Random;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.Interpreter;

/** Runs the root of a module, whose operands are the parameters in order, as a kernel. */
final class KernelRuns {
  private KernelRuns() {}

  /** Values of the parameters of a module: of floats all kinds, of integers all sizes. */
  static Literal[] arguments(HloModule module, long seed) {
    Random random = new Random(seed);
    return module.entry().parameters().stream()
        .map(parameter -> random(((Shape.Array) ((Parameter) parameter.op()).shape()), random))
        .toArray(Literal[]::new);
  }

  static Literal random(Shape.Array shape, Random random) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    IntStream.range(0, (int) shape.elementCount())
        .forEach(i -> set(builder, i, shape.elementType(), random));
    return builder.build();
  }

  private static void set(LiteralBuilder builder, int i, ElementType type, Random random) {
    switch (type.kind()) {
      case PRED -> builder.setBoolean(i, random.nextBoolean());
      case SIGNED, UNSIGNED ->
          builder.setLong(i, random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(41) - 20);
      case FLOAT -> builder.setDouble(i, type.round(random(random)));
      case COMPLEX ->
          builder.setComplex(
              i,
              type.componentType().round(random(random)),
              type.componentType().round(random(random)));
    }
  }

  private static double random(Random random) {
    return switch (random.nextInt(24)) {
      case 0 -> Double.NaN;
      case 1 -> Double.POSITIVE_INFINITY;
      case 2 -> Double.NEGATIVE_INFINITY;
      case 3 -> 0.0;
      case 4 -> -0.0;
      case 5 -> random.nextInt(9) - 4;
      case 6 -> random.nextGaussian() * 0x1p-130;
      case 7 -> random.nextGaussian() * 0x1p100;
      default -> random.nextGaussian() * 3;
    };
  }

  static Literal expected(HloModule module, Literal... arguments) {
    return Interpreter.reference().run(module, arguments);
  }
}
