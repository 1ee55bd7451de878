package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.testing.ConformanceRows;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The evaluators' test rows compute the same values after a round trip through StableHLO. */
class ExportRowsTest {
  private static final Path ROWS = Path.of("../interpreter/src/test/resources/rows");

  @ParameterizedTest
  @CsvSource({"false, true"})
  void roundTripPreservesResults(boolean compiled, boolean artifact) throws IOException {
    EvaluatorOptions options = EvaluatorOptions.defaults();
    Evaluator evaluator = compiled ? Interpreter.compiled(options) : Interpreter.reference(options);
    TreeSet<String> without = new TreeSet<>();
    int count = 0;
    for (ConformanceRows.Row row : rows()) {
      count += check(row, evaluator, artifact, without) ? 1 : 0;
    }
    assertThat(count).isAtLeast(500);
    List<String> chlo = artifact ? List.of("chlo.ragged_dot", "chlo.scan") : List.of();
    List<String> expected = new ArrayList<>(chlo);
    expected.addAll(
        List.of("gather", "scatter", "stochastic-convert")); // two of batching dimensions
    assertThat(without).containsExactlyElementsIn(expected).inOrder();
  }

  /** What {@link #roundTripPreservesResults} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"true, false"})
  void roundTripPreservesResultsAtNight(boolean compiled, boolean artifact) throws IOException {
    roundTripPreservesResults(compiled, artifact);
  }

  private static List<ConformanceRows.Row> rows() throws IOException {
    List<ConformanceRows.Row> rows = new ArrayList<>();
    try (Stream<Path> files = Files.list(ROWS)) {
      for (Path file : files.sorted().toList()) {
        rows.addAll(ConformanceRows.read(file).rows());
      }
    }
    return rows.stream().filter(row -> row.text().contains("=>")).toList();
  }

  private static boolean check(
      ConformanceRows.Row row, Evaluator evaluator, boolean artifact, Set<String> without) {
    boolean[] compared = {false};
    Optional<String> ignored =
        row.check((module, arguments) -> {
          Literal want = evaluator.run(module, arguments);
          Optional<HloModule> back = throughStableHlo(module, artifact, without);
          if (back.isPresent()) {
            compared[0] = true;
            List<Literal> leaves = new ArrayList<>();
            List.of(arguments).forEach(argument -> addLeaves(argument, leaves));
            Literal got = evaluator.run(back.get(), leaves.toArray(new Literal[0]));
            List<Literal> results = new ArrayList<>();
            addLeaves(got, results);
            assertWithMessage(row.toString())
                .that(packed(want.shape(), results.iterator()))
                .isEqualTo(want);
          }
          return want;
        });
    assertThat(ignored).isNotNull();
    return compared[0];
  }

  private static Optional<HloModule> throughStableHlo(
      HloModule module, boolean artifact, Set<String> without) {
    try {
      Operation exported = StableHlo.fromHlo(module);
      Operation again =
          artifact
              ? StableHlo.readAll(StableHlo.toArtifact(exported, Optional.empty())).get(0)
              : StableHlo.parse(StableHlo.print(exported));
      return Optional.of(StableHlo.toHlo(again));
    } catch (HloException refusal) {
      assertWithMessage(refusal.getMessage())
          .that(refusal.kind())
          .isEqualTo(HloException.Kind.UNSUPPORTED);
      without.add(
          refusal
              .summary()
              .replaceAll("StableHLO has no counterpart of | %.*|.*have no operation ", ""));
      return Optional.empty();
    }
  }

  private static void addLeaves(Literal literal, List<Literal> leaves) {
    if (literal.shape() instanceof Shape.Tuple) {
      literal.elements().forEach(element -> addLeaves(element, leaves));
    } else {
      leaves.add(literal);
    }
  }

  private static Literal packed(Shape shape, Iterator<Literal> leaves) {
    return shape instanceof Shape.Tuple tuple
        ? Literal.tuple(tuple.elements().stream().map(element -> packed(element, leaves)).toList())
        : leaves.next();
  }
}
