package org.hlo4j.check.compare;

import static com.google.common.truth.Truth.assertThat;

import java.time.Duration;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.DifferenceCheck.Difference;
import org.hlo4j.check.shrink.Shrinker;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;

/** Systems whose processes end: each way to end is a kind of its own. */
final class DifferenceCheckTest {
  private static final Program PROGRAM =
      Program.of(
          Parser.parse(
              """
              HloModule m
              ENTRY e {
                x = f32[2] parameter(0)
                c = f32[2] cosine(x)
                s = f32[2] sine(c)
                t = f32[2] tanh(s)
                ROOT f = f32[2] floor(t)
              }
              """),
          Literal.of(new float[] {0.5f, 1.75f}));

  /** Ends by one signal at a sine, by another at a cosine alone, and refuses floor alone. */
  private static final Runner SYSTEM =
      program -> {
        String text = Printer.print(program.module());
        if (text.contains(" sine(")) {
          throw ended("SIGABRT while compiling at literal.cc:100");
        } else if (text.contains(" cosine(")) {
          throw ended("SIGSEGV while running");
        } else if (text.contains(" floor(")) {
          throw new HloException(HloException.Kind.UNSUPPORTED, "no floor");
        }
        return program.run(Interpreter.reference());
      };

  private static HloException ended(String how) {
    return new HloException(HloException.Kind.ENDED, "child: ended").with("ended", how);
  }

  /** Loops that have come to have no end are stopped by the time of one run, not of a check. */
  @Test
  void smallerProgramsHaveTheTimeOfSomeRuns() {
    assertThat(DifferenceCheck.limits(PROGRAM).deadline().orElseThrow())
        .isLessThan(Duration.ofSeconds(20));
  }

  @Test
  void programIsMadeSmallThatEndsTheProcessInTheSameWay() {
    DifferenceCheck check = DifferenceCheck.of(SYSTEM);
    Difference found = check.difference(PROGRAM).orElseThrow();
    assertThat(found.text())
        .isEqualTo("it failed: child: ended\n  SIGABRT while compiling at literal.cc:100");
    Program small = Shrinker.of(check.like(found)).shrink(PROGRAM);
    assertThat(small.module().entry().root().op().opcode()).isEqualTo("sine");
    assertThat(Shrinker.size(small)).isEqualTo(2); // with its parameter
  }
}
