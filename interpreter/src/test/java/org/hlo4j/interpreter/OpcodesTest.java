package org.hlo4j.interpreter;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.util.Map.entry;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.hlo4j.hlo.op.Elementwise;
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
    System.out.printf("%s of %s opcodes%n", Sets.intersection(here, xla).size(), xla.size());
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
}
