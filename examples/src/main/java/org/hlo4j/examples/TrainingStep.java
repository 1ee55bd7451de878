package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntToDoubleFunction;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;

/**
 * Trains in Java what was written in JAX: training_step.py exports a function from parameters and
 * data to loss and next parameters, gradients and all. A dict of JAX is a map here, a tuple a list.
 * The network learns x * x from 32 points between -1 and 1.
 */
public final class TrainingStep {
  private TrainingStep() {}

  static JaxExport load() {
    try (InputStream in = TrainingStep.class.getResourceAsStream("training_step.bin")) {
      return JaxExport.read(Objects.requireNonNull(in).readAllBytes());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** Parameters that no training has seen: a slope and an offset for each of 8 hidden units. */
  static Map<String, Literal> init() {
    return Map.of(
        "w1", array(Shape.of(F32, 1, 8), i -> (i - 3.5) / 2),
        "b1", array(Shape.of(F32, 8), i -> (i % 4 - 1.5) / 2),
        "w2", Literal.zeros(Shape.of(F32, 8, 1)),
        "b2", Literal.zeros(Shape.of(F32, 1)));
  }

  static void main() {
    JaxExport export = load();
    IO.println(export);
    Evaluator evaluator = Interpreter.compiled();
    JaxFunction step =
        new JaxFunction(export, (module, bound) -> evaluator.compile(module).bind(bound)::run);

    Literal x = array(Shape.of(F32, 32, 1), i -> (i - 15.5) / 16);
    Literal y = array(Shape.of(F32, 32, 1), i -> Math.pow((i - 15.5) / 16, 2));
    Object parameters = init();
    for (int i = 0; i <= 50; i++) {
      List<?> result = (List<?>) step.call(parameters, x, y);
      parameters = result.get(1);
      if (i % 10 == 0) {
        double loss = ((Literal) result.get(0)).getDouble();
        IO.println(String.format(Locale.ROOT, "step %2d: loss %.4f", i, loss));
      }
    }
  }

  private static Literal array(Shape.Array shape, IntToDoubleFunction element) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      builder.setDouble(i, element.applyAsDouble(i));
    }
    return builder.build();
  }
}
