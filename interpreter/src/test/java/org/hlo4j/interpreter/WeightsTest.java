package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.safetensors.Safetensors;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program whose weights come from a file, by the names of its parameters. */
class WeightsTest {
  private static final String DENSE =
      """
      HloModule dense
      ENTRY e {
        x = f32[1,2] parameter(0)
        params_0___w__.1 = bf16[2,2] parameter(1)
        params_0___b__.1 = f32[2] parameter(2)
        w = f32[2,2] convert(params_0___w__.1)
        product = f32[1,2] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        b = f32[1,2] reshape(params_0___b__.1)
        ROOT sum = f32[1,2] add(product, b)
      }
      """;

  @TempDir Path folder;

  @Test
  void argumentsByName() throws IOException {
    Path file = folder.resolve("model.safetensors");
    Safetensors.write(
        file,
        ImmutableMap.of(
            "params_0___w__.1", Parser.parseLiteral("bf16[2,2] {{1, 2}, {3, 4}}"),
            "params_0___b__.1", Parser.parseLiteral("f32[2] {10, 20}")));
    try (Safetensors weights = Safetensors.open(file)) {
      Map<String, Literal> arguments = new HashMap<>(weights.readAll());
      arguments.put("x", Literal.of(new float[][] {{1, 1}}));
      for (Evaluator evaluator :
          new Evaluator[] {Interpreter.reference(), Interpreter.compiled()}) {
        Executable dense = evaluator.compile(Parser.parse(DENSE));
        assertThat(
                dense.run(
                    dense.parameterNames().stream().map(arguments::get).toArray(Literal[]::new)))
            .isEqualTo(Literal.of(new float[][] {{14, 26}}));
      }
    }
  }
}
