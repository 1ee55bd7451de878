package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.nn.Activations;
import org.hlo4j.builder.lib.nn.Layers;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;

/**
 * Reads handwriting: a network of two layers, exported from JAX, rebuilt here with its weights, on
 * 40 images of 8 by 8 pixels that it has never seen. Scores and classes are those that XLA
 * computes.
 */
public final class Digits {
  private static final String SHADES = " .:-=+*#%@";

  private Digits() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("digits");
    XlaOp images = b.parameter(0, Shape.of(F32, 40, 64), "images");
    XlaOp hidden = Activations.gelu(dense(images, "weights1", "bias1"));
    XlaOp scores = dense(hidden, "weights2", "bias2");
    return b.build(b.tuple(scores, scores.argMax(-1)));
  }

  /** A row of x is one image; the bias lies along the columns. */
  private static XlaOp dense(XlaOp x, String weights, String bias) {
    XlaBuilder b = x.builder();
    return Layers.dense(x, b.constant(load(weights)), b.constant(load(bias)));
  }

  static void main() {
    HloModule module = program();
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));

    Literal images = load("images");
    Literal result = Interpreter.reference().run(module, images);
    Literal scores = result.element(0);
    Literal classes = result.element(1);
    show(images, 0);
    for (int digit = 0; digit < 10; digit++) {
      String mark = digit == classes.getLong(0) ? "  <- this is a " + digit : "";
      IO.println(
          String.format(Locale.ROOT, "%4d %8.3f%s", digit, scores.getDouble(0, digit), mark));
    }
    IO.println("\nClass and scores as XLA computes them: " + agreeing(result) + " of 40 images");
  }

  static Literal load(String name) {
    try (InputStream in = Digits.class.getResourceAsStream("digits/" + name + ".npy")) {
      return Npy.read(Objects.requireNonNull(in, name));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static void show(Literal images, int image) {
    for (int row = 0; row < 8; row++) {
      StringBuilder line = new StringBuilder("    ");
      for (int column = 0; column < 8; column++) {
        double grey = images.getDouble(image, row * 8 + column);
        line.repeat(SHADES.charAt((int) Math.round(grey * (SHADES.length() - 1))), 2);
      }
      IO.println(line.toString().stripTrailing());
    }
    IO.println();
  }

  /** How many images have the class that XLA gives, and scores as near as XLA is to itself. */
  private static long agreeing(Literal result) {
    Literal expected = Literal.tuple(load("logits"), load("classes"));
    return IntStream.range(0, 40).filter(image -> agrees(result, expected, image)).count();
  }

  private static boolean agrees(Literal result, Literal expected, int image) {
    return result.element(1).getLong(image) == expected.element(1).getLong(image)
        && IntStream.range(0, 10)
            .allMatch(digit ->
                near(
                    result.element(0).getDouble(image, digit),
                    expected.element(0).getDouble(image, digit)));
  }

  private static boolean near(double got, double want) {
    return Math.abs(got - want) <= 2.67e-05 + 1.91e-06 * Math.abs(want);
  }
}
