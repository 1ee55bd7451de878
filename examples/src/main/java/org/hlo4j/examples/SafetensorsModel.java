package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.nn.Activations;
import org.hlo4j.builder.lib.nn.Layers;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.safetensors.Safetensors;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;

/**
 * A model whose weights come from a .safetensors file. Parameters of the program have the names of
 * the tensors in the file, so the weights are bound all at once, by name; what is left to give in
 * each run is x.
 */
public final class SafetensorsModel {
  private SafetensorsModel() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("model");
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp weight1 = b.parameter(1, Shape.of(F32, 3, 4), "hidden.weight");
    XlaOp bias1 = b.parameter(2, Shape.of(F32, 4), "hidden.bias");
    XlaOp weight2 = b.parameter(3, Shape.of(F32, 4, 2), "scores.weight");
    XlaOp bias2 = b.parameter(4, Shape.of(F32, 2), "scores.bias");
    XlaOp hidden = Activations.relu(Layers.dense(x, weight1, bias1));
    return b.build(Layers.dense(hidden, weight2, bias2));
  }

  /** The program with the weights of a file. */
  static Executable load(Path file) throws IOException {
    try (Safetensors weights = Safetensors.open(file)) {
      return Interpreter.compiled().compile(program()).bind(weights.readAll());
    }
  }

  static void main() {
    try {
      Path file = Files.createTempFile("model", ".safetensors");
      try {
        Safetensors.write(file, weights());
        Executable model = load(file);
        IO.println("to give: " + model.parameterNames());
        Literal x = Literal.of(new float[][] {{1, 2, 3}, {-1, 0, 1}});
        IO.println(model.run(Map.of("x", x)));
      } finally {
        Files.delete(file);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** What training would have left; multiples of 1/4, so that the result is exact. */
  private static Map<String, Literal> weights() {
    return Map.of(
        "hidden.weight",
        Literal.of(new float[][] {{1, 0, -1, 0.5f}, {0, 1, 0.5f, -1}, {1, -1, 0, 0.25f}}),
        "hidden.bias",
        Literal.of(new float[] {0, 0.5f, 1, 2}),
        "scores.weight",
        Literal.of(new float[][] {{1, -1}, {0.5f, 2}, {-2, 1}, {1, 0.25f}}),
        "scores.bias",
        Literal.of(new float[] {0.25f, -0.25f}));
  }
}
