package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.StableHlo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** JAX's results of computations with manual axes: the rows of {@code manual.rows}. */
final class ManualComputationsTest {
  private record Row(String name, String argument, String result, String text) {
    private static final Pattern FORM = Pattern.compile("(.*)\n# .*\n# (.*) -> (.*)\n((?s).*)");

    static Row parse(String section) {
      Matcher parts = FORM.matcher(section);
      assertThat(parts.matches()).isTrue();
      return new Row(parts.group(1), parts.group(2), parts.group(3), parts.group(4));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static Stream<Row> rows() throws IOException {
    String rows =
        Resources.toString(
            Resources.getResource(ManualComputationsTest.class, "manual.rows"),
            StandardCharsets.UTF_8);
    return Splitter.on("\n== ").splitToStream(rows).skip(1).map(Row::parse);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void resultsAreThoseOfJax(Row row) {
    HloModule module = StableHlo.toHlo(StableHlo.parse(row.text));
    Literal argument = literal(module.entry().parameters().get(0).shape(), row.argument);
    DeviceGrid grid = DeviceGrid.of(module);
    for (Evaluator evaluator : List.of(Interpreter.reference(), Interpreter.compiled())) {
      List<Literal> results =
          evaluator.runOnDevices(
              module, grid, Collections.nCopies(grid.deviceCount(), List.of(argument)));
      assertThat(results.get(0)).isEqualTo(literal(module.entry().root().shape(), row.result));
    }
  }

  private static Literal literal(Shape shape, String values) {
    return Parser.parseLiteral(shape.withoutLayout() + " " + values);
  }
}
