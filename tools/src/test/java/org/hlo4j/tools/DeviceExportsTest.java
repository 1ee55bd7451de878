package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.ArraySharding;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxCall;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Exports of JAX for several devices, called as JAX calls them: the rows of devices.rows. */
final class DeviceExportsTest {
  /** A result, and what each device holds of it. */
  private record Result(Literal whole, List<Literal> slices) {}

  private record Row(String name, List<Literal> arguments, List<Result> results) {
    static Row parse(String section) {
      List<String> lines = section.lines().toList();
      Row row = new Row(lines.get(0), new ArrayList<>(), new ArrayList<>());
      for (String line : lines) {
        if (line.startsWith("in ")) {
          row.arguments.add(Parser.parseLiteral(line.substring(3)));
        } else if (line.startsWith("out ")) {
          row.results.add(new Result(Parser.parseLiteral(line.substring(4)), new ArrayList<>()));
        } else if (line.startsWith("on ")) {
          String literal = line.substring(line.indexOf(' ', 3) + 1);
          row.results.getLast().slices.add(Parser.parseLiteral(literal));
        }
      }
      return row;
    }

    JaxExport export() throws IOException {
      return JaxExport.read(
          Resources.toByteArray(
              Resources.getResource(DeviceExportsTest.class, "devices/" + name + ".bin")));
    }

    List<Literal> wholes() {
      return results.stream().map(Result::whole).toList();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static Stream<Row> rows() throws IOException {
    String rows =
        Resources.toString(
            Resources.getResource(DeviceExportsTest.class, "devices.rows"), StandardCharsets.UTF_8);
    return Splitter.on("\n== ").splitToStream(rows).skip(1).map(Row::parse);
  }

  private static final ImmutableList<Evaluator> EVALUATORS =
      ImmutableList.of(Interpreter.reference(), Interpreter.compiled());

  @ParameterizedTest
  @MethodSource("rows")
  void wholeArraysAsJaxCalls(Row row) throws IOException {
    JaxExport export = row.export();
    assertThat(export.deviceCount()).isEqualTo(row.results.get(0).slices.size());
    List<?> tree = (List<?>) export.inTree().unflatten(row.arguments.iterator());
    List<?> positional = (List<?>) tree.get(0);
    for (Evaluator evaluator : EVALUATORS) {
      JaxFunction function =
          new JaxFunction(export, (module, bound) -> evaluator.compile(module).bind(bound)::run);
      assertResults(export, function.call(positional, Map.of()), row);
      assertResults(
          export,
          function
              .bind(positional.subList(0, 1), Map.of())
              .call(positional.subList(1, positional.size()), Map.of()),
          row);
    }
  }

  private static void assertResults(JaxExport export, Object got, Row row) {
    assertThat(export.outTree().flatten(got, "result")).isEqualTo(row.wholes());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void slicesOfEachDevice(Row row) throws IOException {
    JaxExport export = row.export();
    JaxCall call = export.callFlat(row.arguments, "cpu");
    Map<String, Long> sizes = export.sizes(row.arguments.stream().map(Literal::shape).toList());
    List<ArraySharding> shardings = export.outputShardings(sizes);
    for (Evaluator evaluator : EVALUATORS) {
      Executable program = evaluator.compile(call.module());
      List<Literal> all =
          program.runOnDevices(
              Collections.nCopies(export.deviceCount(), ImmutableList.copyOf(call.arguments())));
      for (int i = 0; i < row.results.size(); i++) {
        List<Literal> slices = new ArrayList<>();
        for (int device = 0; device < all.size(); device++) {
          slices.add(shardings.get(i).slice(call.leaves(all.get(device)).get(i), device));
        }
        assertThat(slices).isEqualTo(row.results.get(i).slices);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void inputsLieAsTheyAreDeclared(Row row) throws IOException {
    JaxExport export = row.export();
    Map<String, Long> sizes = export.sizes(row.arguments.stream().map(Literal::shape).toList());
    List<ArraySharding> shardings = export.inputShardings(sizes);
    assertThat(shardings).hasSize(row.arguments.size());
    for (int i = 0; i < shardings.size(); i++) {
      ArraySharding sharding = shardings.get(i);
      List<Literal> slices = sharding.split(row.arguments.get(i));
      assertThat(slices).hasSize(export.deviceCount());
      assertThat(sharding.join(slices)).isEqualTo(row.arguments.get(i));
    }
  }
}
