package org.hlo4j.check.verdicts;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How often the judge is right about single ops and programs of a few: faults planted on purpose
 * must be wrong, what a conforming system may do must not be. At night each program is of each of
 * its types, otherwise of one. {@code target/verdicts.md} is the table, with the name of each case
 * that it gets wrong.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class VerdictsTest {
  private VerdictTable table;

  @BeforeAll
  void measure() throws IOException {
    ImmutableList<VerdictCase> all = VerdictTable.cases(VerdictTable.FILES);
    boolean areAllTried = Boolean.getBoolean("hlo4j.test.nightly");
    table = VerdictTable.of(areAllTried ? all : VerdictTable.ofOneType(all));
    Files.createDirectories(Path.of("target"));
    Files.writeString(Path.of("target", "verdicts.md"), table.markdown());
  }

  /** A row is at fault if it cannot be run, or if what it plants changes no bit. */
  @Test
  void rowsAreSound() {
    assertThat(table.broken()).isEmpty();
  }

  /** The class of types, and how many percent of the faults must be called wrong. */
  @ParameterizedTest
  @CsvSource({"f64, 99", "f32, 99", "integers, 98", "bf16, 99", "f16, 99", "f8, 99"})
  void faultsAreWrong(String types, double percent) {
    assertThat(table.percentWrong(types)).isAtLeast(percent);
  }

  /** What is allowed, by the names of the verdicts and how many percent may get them. */
  @ParameterizedTest
  @CsvSource({"wrong, 0.5", "undecided, 1"})
  void whatIsAllowedIsNotWrong(String verdict, double percent) {
    assertThat(table.percentOfAllowed(verdict)).isAtMost(percent);
  }
}
