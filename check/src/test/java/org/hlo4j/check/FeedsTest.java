package org.hlo4j.check;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import java.util.Iterator;
import java.util.Optional;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.Output;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.compare.DifferenceCheck;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.locate.Locator;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.check.shrink.Shrinker;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;

/** Programs that take values from infeed and give some to outfeed. */
final class FeedsTest {
  private static final String TEXT =
      """
      HloModule feeds

      ENTRY main {
        t = token[] after-all()
        i = (f32[2], token[]) infeed(t)
        x = f32[2] get-tuple-element(i), index=0
        e = f32[2] exponential(x)
        a = f32[2] abs(x)
        o = token[] outfeed(e, t), outfeed_shape=f32[2]
        d = f32[2] add-dependency(a, o)
        j = (f32[2], token[]) infeed(o)
        y = f32[2] get-tuple-element(j), index=0
        ROOT s = f32[2] subtract(d, y)
      }
      """;

  private static final Program PROGRAM =
      new Program(
          Parser.parse(TEXT),
          ImmutableList.of(),
          ImmutableList.of(Literal.of(new float[] {0, -1.5f}), Literal.of(new float[] {0.25f, 1})));

  private static Literal reference(Program program) {
    return program.run(Interpreter::reference, EvaluatorOptions.defaults());
  }

  /** What outfeed got follows the root. */
  @Test
  void results() {
    String want = "(f32[2], (f32[2])) ({-0.25, 0.5}, ({1, 0.22313017}))";
    assertThat(reference(PROGRAM)).isEqualTo(Parser.parseLiteral(want));
    assertThat(PROGRAM.run(Interpreter::compiled, EvaluatorOptions.defaults()))
        .isEqualTo(reference(PROGRAM));
    assertThat(DifferenceCheck.ofCompiled(3).difference(PROGRAM)).isEmpty();
  }

  /** A system with another op in the place of one. */
  private static Runner faulty(String op, String other) {
    return program -> {
      String text = Printer.print(program.module()).replace(" " + op + "(", " " + other + "(");
      return reference(program.with(Parser.parse(text), program.arguments()));
    };
  }

  @Test
  void outfeedIsCompared() {
    Comparison comparison =
        Comparison.of(
            PROGRAM,
            faulty("exponential", "sine").run(PROGRAM),
            new ToleranceProfile.Native(),
            EvaluatorOptions.defaults());
    assertThat(comparison.outputs().stream().map(Output::path))
        .containsExactly(ImmutableList.of(0), ImmutableList.of(1, 0))
        .inOrder();
    assertThat(comparison.worst().orElseThrow().path()).isEqualTo(ImmutableList.of(1, 0));
    assertThat(comparison.verdict()).isEqualTo(Verdict.WRONG);
  }

  @Test
  void anInstructionAfterInfeedIsLocated() {
    Locator locator =
        new Locator(
            faulty("abs", "negate"),
            new ToleranceProfile.Native(),
            EvaluatorOptions.defaults(),
            work -> {});
    assertThat(locator.locate(PROGRAM).orElseThrow().instruction().name()).isEqualTo("a");
  }

  /** Two instructions that are wrong only together, of a value from infeed. */
  @Test
  void instructionsAfterInfeedAreLocatedTogether() {
    Runner fused =
        program -> {
          HloModule module = program.module();
          boolean hasBoth = Printer.print(module).matches("(?s).* abs\\(.* subtract\\(.*");
          return hasBoth ? faulty("abs", "floor").run(program) : reference(program);
        };
    Located located =
        new Locator(fused, new ToleranceProfile.Native(), EvaluatorOptions.defaults(), work -> {})
            .locate(
                PROGRAM.with(
                    Parser.parse(
                        TEXT.replace("d = f32[2] add-dependency(a, o)", "d = f32[2] copy(a)")),
                    ImmutableList.of()))
            .orElseThrow();
    assertThat(located.instruction().name()).isEqualTo("s");
    assertThat(located.program().infeed()).isEmpty();
  }

  /** A result of other sizes is a difference. */
  @Test
  void outfeedTooMany() {
    Runner twice =
        program -> {
          String text =
              Printer.print(program.module())
                  .replace(
                      "ROOT ", "%again = token[] outfeed(%y, %o), outfeed_shape=f32[2]\n  ROOT ");
          return reference(program.with(Parser.parse(text), program.arguments()));
        };
    assertThat(DifferenceCheck.of(twice).difference(PROGRAM).orElseThrow().text())
        .isEqualTo("shape got (f32[2], (f32[2], f32[2])), want (f32[2], (f32[2]))");
  }

  /** The values of infeed stay while a program is made small. */
  @Test
  void shrinks() {
    DifferenceCheck check = DifferenceCheck.of(faulty("exponential", "sine"));
    Program small = Shrinker.of(check).shrink(PROGRAM);
    assertThat(check.test(small)).isTrue();
    assertThat(Shrinker.size(small)).isLessThan(8);
    assertThat(small.infeed().size())
        .isEqualTo(
            small.module().entry().instructions().stream()
                .filter(each -> each.op() instanceof Infeed)
                .count());
  }

  /** What a run does not take is not there in the next one. */
  @Test
  void infeedThatIsLeft() {
    Program more =
        new Program(
            PROGRAM.module(),
            PROGRAM.arguments(),
            ImmutableList.<Literal>builder()
                .addAll(PROGRAM.infeed())
                .add(Literal.of(new float[] {7, 8}))
                .build());
    assertThat(DifferenceCheck.ofCompiled(3).difference(more)).isEmpty();
  }

  /** Parts of programs have no feeds: calls that have are not searched, what follows them is. */
  @Test
  void feedsInCalledComputationsAreNotLocated() {
    String text =
        """
        HloModule calls

        told {
          x = f32[2] parameter(0)
          t = token[] after-all()
          o = token[] outfeed(x, t), outfeed_shape=f32[2]
          ROOT n = f32[2] negate(x)
        }

        ENTRY main {
          p = f32[2] parameter(0)
          c = f32[2] call(p), to_apply=told
          ROOT a = f32[2] abs(c)
        }
        """;
    Program program = Program.of(Parser.parse(text), Literal.of(new float[] {0, -1.5f}));
    for (String op : ImmutableList.of("negate", "abs")) {
      Locator locator =
          new Locator(
              faulty(op, "floor"),
              new ToleranceProfile.Native(),
              EvaluatorOptions.defaults(),
              work -> {});
      assertThat(locator.locate(program).map(found -> found.instruction().name()))
          .isEqualTo(op.equals("abs") ? Optional.of("a") : Optional.empty());
    }
  }

  @Test
  void fedFrom() {
    Iterator<Literal> rest = PROGRAM.infeed().iterator();
    Program fed =
        Program.of(PROGRAM.module())
            .fedFrom(
                device -> shape -> rest.hasNext() ? Optional.of(rest.next()) : Optional.empty(),
                EvaluatorOptions.defaults());
    assertThat(fed).isEqualTo(PROGRAM);
  }
}
