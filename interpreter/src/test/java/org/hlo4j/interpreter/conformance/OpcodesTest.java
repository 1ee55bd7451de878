package org.hlo4j.interpreter.conformance;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.util.Map.entry;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import com.google.common.io.Resources;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.testing.ConformanceRows;
import org.junit.jupiter.api.Test;

/**
 * Which of XLA's opcodes are here: those in opcodes.txt, but for a list with the reason why not.
 */
class OpcodesTest {
  /** The opcodes that are missing here, and why. */
  private static final ImmutableMap<String, String> NOT_HERE =
      ImmutableMap.ofEntries(
          entry("collective-reduce", "XLA's builder does not make it"),
          entry("shuffle", "XLA's builder does not make it"));

  /** The opcodes that cannot stand in a row of its own, and why; their tests are elsewhere. */
  private static final ImmutableMap<String, String> WITHOUT_ROWS =
      ImmutableMap.<String, String>builder()
          .putAll(NOT_HERE)
          .put("parameter", "every operand of a row is one")
          .put("after-all", "a token is no literal")
          .put("add-dependency", "a token is no literal")
          .put("infeed", "takes a token, and what is fed in")
          .put("outfeed", "takes a token")
          .put("send", "takes a token, and wants its send-done")
          .put("send-done", "wants its send")
          .put("recv", "takes a token, and wants its recv-done")
          .put("recv-done", "wants its recv")
          .put("copy-start", "wants its copy-done")
          .put("copy-done", "wants its copy-start")
          .put("all-gather-start", "wants its all-gather-done")
          .put("all-gather-done", "wants its all-gather-start")
          .put("all-reduce-start", "wants its all-reduce-done")
          .put("all-reduce-done", "wants its all-reduce-start")
          .put("collective-permute-start", "wants its collective-permute-done")
          .put("collective-permute-done", "wants its collective-permute-start")
          .put("async-start", "wants its async-done")
          .put("async-update", "wants its async-start and async-done")
          .put("async-done", "wants its async-start")
          .buildOrThrow();

  private static ImmutableSet<String> xlaOpcodes() throws IOException {
    return Resources.readLines(
            Resources.getResource(OpcodesTest.class, "opcodes.txt"), StandardCharsets.UTF_8)
        .stream()
        .filter(line -> !line.startsWith("#"))
        .collect(toImmutableSet());
  }

  /** Of every record in the tables of examples, and of every element-wise op. */
  private static ImmutableList<String> opcodesHere() {
    return Stream.concat(
            CoverageTest.examples().entrySet().stream()
                .map(row -> row.getValue().op(row.getKey()).opcode()),
            Arrays.stream(Elementwise.Kind.values()).map(Elementwise.Kind::mnemonic))
        .collect(toImmutableList());
  }

  @Test
  void everyOpcodeIsHereOrHasAReasonWhyNot() throws IOException {
    ImmutableSet<String> here = ImmutableSet.copyOf(opcodesHere());
    ImmutableSet<String> xla = xlaOpcodes();
    assertThat(xla).hasSize(136);
    assertWithMessage("opcodes without an op here and without a reason in NOT_HERE")
        .that(Sets.difference(xla, Sets.union(here, NOT_HERE.keySet())))
        .isEmpty();
    assertWithMessage("opcodes in NOT_HERE that are here")
        .that(Sets.intersection(here, NOT_HERE.keySet()))
        .isEmpty();
    assertWithMessage("opcodes in NOT_HERE that XLA does not have")
        .that(Sets.difference(NOT_HERE.keySet(), xla))
        .isEmpty();
  }

  @Test
  void everyOpHereHasAnOpcodeOfItsOwnThatXlaKnows() throws IOException {
    assertThat(opcodesHere()).containsNoDuplicates();
    assertWithMessage("opcodes here that XLA does not have")
        .that(Sets.difference(ImmutableSet.copyOf(opcodesHere()), xlaOpcodes()))
        .isEmpty();
  }

  @Test
  void everyOpcodeHasRowsOrAReasonWhyNot() throws IOException, URISyntaxException {
    Map<String, List<ConformanceRows.Row>> rows = new TreeMap<>();
    for (Path file : ConformanceRowsTest.files()) {
      String opcode = String.valueOf(file.getFileName()).replace(".rows", "");
      rows.put(opcode, ConformanceRows.read(file).rows());
    }
    assertWithMessage("opcodes without a file of rows and without a reason in WITHOUT_ROWS")
        .that(Sets.difference(xlaOpcodes(), Sets.union(rows.keySet(), WITHOUT_ROWS.keySet())))
        .isEmpty();
    assertWithMessage("opcodes in WITHOUT_ROWS that have rows")
        .that(Sets.intersection(rows.keySet(), WITHOUT_ROWS.keySet()))
        .isEmpty();
    assertWithMessage("opcodes whose rows show no refusal")
        .that(Maps.filterValues(rows, OpcodesTest::showsNoRefusal).keySet())
        .isEmpty();
  }

  private static boolean showsNoRefusal(List<ConformanceRows.Row> rows) {
    return rows.stream().noneMatch(row -> row.text().contains(" !! "));
  }
}
