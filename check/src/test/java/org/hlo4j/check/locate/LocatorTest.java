package org.hlo4j.check.locate;

import static com.google.common.truth.Truth.assertThat;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LocatorTest {
  private static final HloModule PROGRAM =
      Parser.parse(
          """
          HloModule m

          twice {
            v = f32[2] parameter(0)
            v2 = f32[2] add(v, v)
            ROOT twice = f32[2] negate(v2)
          }

          body {
            state = (s32[], f32[2]) parameter(0)
            i = s32[] get-tuple-element(state), index=0
            one = s32[] constant(1)
            next = s32[] add(i, one)
            w = f32[2] get-tuple-element(state), index=1
            s = f32[2] sqrt(w)
            m = f32[2] maximum(s, w)
            ROOT after = (s32[], f32[2]) tuple(next, m)
          }

          condition {
            now = (s32[], f32[2]) parameter(0)
            j = s32[] get-tuple-element(now), index=0
            three = s32[] constant(3)
            ROOT goes = pred[] compare(j, three), direction=LT
          }

          ENTRY main {
            x = f32[2] parameter(0)
            e = f32[2] exponential(x)
            c = f32[2] call(e), to_apply=twice
            zero = s32[] constant(0)
            a = f32[2] abs(c)
            start = (s32[], f32[2]) tuple(zero, a)
            loop = (s32[], f32[2]) while(start), condition=condition, body=body
            y = f32[2] get-tuple-element(loop), index=1
            k = s32[] constant(1)
            b = f32[2] conditional(k, y, y), branch_computations={twice, floor}
            ROOT r = f32[2] ceil(b)
          }
          """
              .replace(
                  "ENTRY",
                  "floor {\n u = f32[2] parameter(0)\n ROOT f = f32[2] floor(u)\n}\nENTRY"));

  private static final Program RUN = Program.of(PROGRAM, Literal.of(new float[] {0.5f, 1.75f}));

  /** A system that computes another op. */
  private static Runner faulty(String op, String otherOp) {
    return program -> {
      String text = Printer.print(program.module());
      HloModule other = Parser.parse(text.replace(" " + op + "(", " " + otherOp + "("));
      return new Program(other, program.arguments()).run(Interpreter.reference());
    };
  }

  private static Optional<Located> located(Runner system) {
    return new Locator(
            system, new ToleranceProfile.Compiled(), EvaluatorOptions.defaults(), work -> {})
        .locate(RUN);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          exponential | sine        | e | []
          negate      | cosine      | twice | [c]
          abs         | floor       | a | []
          sqrt        | negate      | none | []
          maximum     | minimum     | m | [loop, iteration 0, body]
          floor       | negate      | f | [b, branch 1]
          ceil        | negate      | r | []
          """)
  void aWrongOpIsFound(String op, String otherOp, String instruction, String within) {
    Optional<Located> found = located(faulty(op, otherOp));
    assertThat(found.map(it -> it.instruction().name()).orElse("none")).isEqualTo(instruction);
    assertThat(found.map(it -> it.within().toString()).orElse("[]")).isEqualTo(within);
  }

  /** A system that is wrong where it sees both ops in one program. */
  @Test
  void instructionsThatAreWrongTogether() {
    Runner system =
        program -> {
          String text = Printer.print(program.module());
          boolean sees = text.contains(" exponential(") && text.contains(" abs(");
          return sees ? faulty("abs", "sine").run(program) : faulty("", "").run(program);
        };
    Located found = located(system).orElseThrow();
    assertThat(found.instruction().name()).isEqualTo("a");
    assertThat(found.together().stream().map(HloInstruction::name)).containsExactly("e", "c");
    assertThat(found.program().module().entry().parameters()).hasSize(1);
  }

  /** By bisection of what comes before, and of what has to be computed with it. */
  @Test
  void instructionsThatAreWrongTogetherInALongProgram() {
    StringBuilder text = new StringBuilder("HloModule m\nENTRY e {\n v0 = f32[2] parameter(0)\n");
    for (int i = 1; i <= 300; i++) {
      String op = i == 200 ? "exponential" : i == 201 ? "abs" : "negate";
      text.append(" v" + i + " = f32[2] " + op + "(v" + (i - 1) + ")\n");
    }
    text.append(" ROOT r = f32[2] sqrt(v300)\n}");
    AtomicInteger runs = new AtomicInteger();
    Runner system =
        program -> {
          runs.incrementAndGet();
          String part = Printer.print(program.module());
          boolean isFused =
              Pattern.compile("%([\\w.]+) = \\S+ exponential.*abs\\(%\\1\\)", Pattern.DOTALL)
                  .matcher(part)
                  .find();
          return (isFused ? faulty("abs", "negate") : faulty("", "")).run(program);
        };
    Located found =
        new Locator(
                system, new ToleranceProfile.Compiled(), EvaluatorOptions.defaults(), work -> {})
            .locate(Program.of(Parser.parse(text.toString()), Literal.of(new float[] {1, 2})))
            .orElseThrow();
    assertThat(found.instruction().name()).isEqualTo("v201");
    assertThat(found.together().stream().map(HloInstruction::name)).containsExactly("v200");
    assertThat(runs.get()).isLessThan(40);
  }

  /** What the system refuses, and where nobody can say what is right. */
  @Test
  void whatIsNotKnown() {
    Locator locator =
        new Locator(
            program -> {
              if (Printer.print(program.module()).contains(" ceil(")) {
                throw new HloException("", "no ceil");
              }
              return program.run(Interpreter.reference());
            },
            new ToleranceProfile.Compiled(),
            EvaluatorOptions.defaults(),
            work -> {});
    assertThat(locator.locate(RUN)).isEmpty();
    assertThat(locator.unknown()).containsExactly("refused by the system: 1 instruction, %r");
  }

  @Test
  void agreeingSystems() {
    assertThat(located(faulty("", ""))).isEmpty();
  }

  /** An instruction on which the system breaks is found as one whose value is wrong. */
  @Test
  void whatBreaksTheSystem() {
    Located found =
        located(
                program -> {
                  if (Printer.print(program.module()).contains(" ceil(")) {
                    throw new IllegalStateException("no ceil");
                  }
                  return program.run(Interpreter.reference());
                })
            .orElseThrow();
    assertThat(found.instruction().name()).isEqualTo("r");
    assertThat(found.comparison()).isEmpty();
    assertThat(found.failure()).isEqualTo("it threw java.lang.IllegalStateException: no ceil");
  }

  @Test
  void whatEndsTheProcessOfTheSystem() {
    Located found =
        located(
                program -> {
                  if (Printer.print(program.module()).contains(" ceil(")) {
                    throw new HloException(HloException.Kind.ENDED, "child: ended with SIGSEGV");
                  }
                  return program.run(Interpreter.reference());
                })
            .orElseThrow();
    assertThat(found.instruction().name()).isEqualTo("r");
    assertThat(found.failure()).isEqualTo("child: ended with SIGSEGV");
  }

  /** Parts of a program do not name instructions that they do not have. */
  @Test
  void controlPredecessors() {
    HloModule ordered =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              x = f32[] parameter(0)
              z = f32[] negate(x)
              ROOT r = f32[] sqrt(x), control-predecessors={z}
            }
            """);
    Located found =
        new Locator(
                faulty("sqrt", "abs"),
                new ToleranceProfile.Compiled(),
                EvaluatorOptions.defaults(),
                work -> {})
            .locate(Program.of(ordered, Literal.of(4f)))
            .orElseThrow();
    assertThat(found.instruction().name()).isEqualTo("r");
  }
}
