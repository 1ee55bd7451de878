package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;

/**
 * A classifier that jax.export saved with an open batch size. Each batch size is compiled when it
 * is first met; a wrong array is refused in the words of the function.
 */
public final class JaxFunctionCall {
  private JaxFunctionCall() {}

  static JaxExport load() {
    try (InputStream in = JaxFunctionCall.class.getResourceAsStream("mlp.bin")) {
      return JaxExport.read(Objects.requireNonNull(in).readAllBytes());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  static void main() {
    JaxExport export = load();
    IO.println(export + "   for " + export.platforms());
    Evaluator evaluator = Interpreter.reference();
    JaxFunction classify =
        new JaxFunction(export, (module, bound) -> evaluator.compile(module).bind(bound)::run);
    IO.println(classify.call(features(1)));
    IO.println(classify.call(features(3)));
    try {
      classify.call(Literal.zeros(Shape.of(F32, 3, 7)));
    } catch (HloException refusal) {
      IO.println(refusal.getMessage());
    }
  }

  /** As many rows as asked for, each one further from zero. */
  static Literal features(int rows) {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(F32, rows, 8));
    for (int i = 0; i < 8 * rows; i++) {
      builder.setDouble(i, i / 8.0);
    }
    return builder.build();
  }
}
