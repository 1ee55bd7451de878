package org.hlo4j.interpreter.conformance;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.ConformanceRows;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The corner cases that the StableHLO specification leaves open or its implementations disagree in,
 * one by one, in stablehlo-corner-cases.rows. Each case has a comment {@code // Case: …} above its
 * rows.
 */
final class StablehloCornerCasesTest {
  private static final EvaluatorOptions LIMITS =
      EvaluatorOptions.builder().maxSteps(10_000).build();

  private static List<String> cases() throws IOException {
    String text =
        Resources.toString(
            Resources.getResource("stablehlo-corner-cases.rows"), StandardCharsets.UTF_8);
    List<String> parts = Splitter.on("// Case: ").splitToList(text);
    return parts.subList(1, parts.size());
  }

  private static String name(String text) {
    return text.lines().findFirst().orElse("");
  }

  private static ConformanceRows rows(String text) {
    return ConformanceRows.parse(name(text), "// " + text);
  }

  @TestFactory
  Stream<DynamicNode> rowsHold() throws IOException {
    List<String> cases = cases();
    return Arrays.stream(Evaluators.values())
        .map(evaluators ->
            DynamicContainer.dynamicContainer(
                evaluators.name(),
                cases.stream().map(text -> rowsOf(text, evaluators.within(LIMITS)))));
  }

  private static DynamicNode rowsOf(String text, Evaluator evaluator) {
    return DynamicContainer.dynamicContainer(name(text), rows(text).tests(evaluator::run));
  }

  @Test
  void everyCaseHasRows() throws IOException {
    assertThat(cases()).hasSize(62);
    assertThat(cases().stream().map(StablehloCornerCasesTest::name).toList())
        .containsNoDuplicates();
    assertThat(cases().stream().filter(text -> rows(text).rows().isEmpty()).toList()).isEmpty();
  }
}
