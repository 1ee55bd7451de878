package org.hlo4j.check;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.Output;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.compare.DifferenceCheck;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.external.ExternalRunner;
import org.hlo4j.check.locate.Blame;
import org.hlo4j.check.locate.Locator;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.check.shrink.Shrinker;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;

/** Programs of which each device has arguments of its own. */
final class DeviceProgramsTest {
  private static final String TEXT =
      """
      HloModule m, replica_count=2

      add {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        ROOT s = f32[] add(a, b)
      }

      ENTRY e {
        x = f32[2] parameter(0)
        sine = f32[2] sine(x)
        sum = f32[2] all-reduce(sine), replica_groups={{0,1}}, to_apply=add
        power = f32[2] exponential(sum)
        ROOT y = f32[2] multiply(power, x)
      }
      """;

  private static final Literal ONE = Literal.of(new float[] {1, 2});
  private static final Literal OTHER = Literal.of(new float[] {3, 4});
  private static final Program PROGRAM = program(TEXT);
  private static final ToleranceProfile COMPILED = new ToleranceProfile.Compiled();
  private static final EvaluatorOptions OPTIONS = EvaluatorOptions.defaults();

  private static Program program(String text) {
    return Program.ofDevices(Parser.parse(text), List.of(List.of(ONE), List.of(OTHER)));
  }

  /** A system in which a text is another one. */
  private static Runner with(String pattern, String replacement) {
    return program ->
        program
            .with(
                Parser.parse(Printer.print(program.module()).replaceAll(pattern, replacement)),
                program.arguments())
            .run(Interpreter::compiled, OPTIONS);
  }

  private static Optional<Located> located(Runner system) {
    return new Locator(system, COMPILED, OPTIONS, work -> {}).locate(PROGRAM);
  }

  @Test
  void argumentsAndResultsAreTuplesOfTheDevices() {
    assertThat(PROGRAM.isOfEachDevice()).isTrue();
    assertThat(PROGRAM.arguments()).containsExactly(Literal.tuple(ONE, OTHER));
    assertThat(PROGRAM.argumentsOfDevices())
        .containsExactly(List.of(ONE), List.of(OTHER))
        .inOrder();
    Program negated =
        program(
            "HloModule m, replica_count=2\nENTRY e { x = f32[2] parameter(0) ROOT y = f32[2]"
                + " negate(x) }");
    assertThat(negated.run(Interpreter::reference, OPTIONS))
        .isEqualTo(
            Literal.tuple(Literal.of(new float[] {-1, -2}), Literal.of(new float[] {-3, -4})));
  }

  /** Without arguments, the module says it. */
  @Test
  void devicesWithoutArguments() {
    Program numbers =
        Program.of(
            Parser.parse(
                "HloModule m, replica_count=2\nENTRY e { id = u32[] replica-id() ROOT r = s32[]"
                    + " convert(id) }"));
    assertThat(numbers.run(Interpreter::compiled, OPTIONS))
        .isEqualTo(Literal.tuple(Literal.of(0), Literal.of(1)));
  }

  @Test
  void devicesWithDifferentNumbersOfArguments() {
    HloModule module = PROGRAM.module();
    List<List<Literal>> uneven = List.of(List.of(ONE), List.of());
    HloException refused =
        assertThrows(HloException.class, () -> Program.ofDevices(module, uneven));
    assertThat(refused.summary()).isEqualTo("program: got 0 arguments, want 1");
  }

  /** Each device has a verdict; the roundings of all of them count. */
  @Test
  void comparedDeviceByDevice() {
    Literal want = PROGRAM.run(Interpreter::reference, OPTIONS);
    Literal got = Literal.tuple(want.element(0), OTHER);
    Comparison comparison = Comparison.of(PROGRAM, got, COMPILED, OPTIONS);
    assertThat(comparison.outputs().stream().map(Output::path))
        .containsExactly(ImmutableList.of(0), ImmutableList.of(1))
        .inOrder();
    assertThat(comparison.outputs().stream().map(Output::verdict))
        .containsExactly(Verdict.SAME, Verdict.WRONG)
        .inOrder();
    Literal mine = PROGRAM.run(Interpreter::compiled, OPTIONS);
    assertThat(Comparison.briefly(PROGRAM, mine, COMPILED, OPTIONS).verdict().isGood()).isTrue();
    Program changed = program(TEXT.replace("exponential", "tanh"));
    assertThat(Comparison.ofPrograms(PROGRAM, PROGRAM, COMPILED, OPTIONS).verdict())
        .isEqualTo(Verdict.SAME);
    assertThat(Comparison.ofPrograms(changed, PROGRAM, COMPILED, OPTIONS).verdict())
        .isEqualTo(Verdict.WRONG);
  }

  /** Devices shift values at the same time, each in the order of its own calls. */
  @Test
  void comparedTheSameEachTime() {
    String lines =
        IntStream.range(0, 20)
            .mapToObj(i -> "s%d = f32[64] sine(s%d)\n".formatted(i + 1, i))
            .collect(joining());
    HloModule module =
        Parser.parse(
            "HloModule m, replica_count=8\nENTRY e { s0 = f32[64] parameter(0)\n"
                + lines
                + "ROOT y = f32[64] cosine(s20) }");
    Literal argument = Literal.of(new float[64]);
    Program program = Program.ofDevices(module, Collections.nCopies(8, List.of(argument)));
    Literal want = program.run(Interpreter::reference, OPTIONS);
    List<Literal> shifted = new ArrayList<>(want.elements());
    float[] next = new float[64];
    Arrays.fill(next, Math.nextDown(1f));
    shifted.set(3, Literal.of(next));
    ToleranceProfile profile = new ToleranceProfile.Native();
    Comparison first = Comparison.of(program, Literal.tuple(shifted), profile, OPTIONS);
    assertThat(first.verdict()).isEqualTo(Verdict.ROUNDED);
    for (int i = 0; i < 5; i++) {
      assertThat(Comparison.of(program, Literal.tuple(shifted), profile, OPTIONS)).isEqualTo(first);
    }
  }

  @Test
  void checkedOnAllDevices() {
    assertThat(DifferenceCheck.ofCompiled(2).difference(PROGRAM)).isEmpty();
    assertThat(
            DifferenceCheck.of(with(" sine\\(", " cosine("))
                .difference(PROGRAM)
                .orElseThrow()
                .text())
        .startsWith("element [0], f32[2] at ");
  }

  @Test
  void locatedOnADevice() {
    Located found = located(with(" sine\\(", " negate(")).orElseThrow();
    assertThat(found.instruction().name()).isEqualTo("sine");
    assertThat(found.within()).containsExactly("device 0");
  }

  /** A collective is computed alone by all devices, from what they have. */
  @Test
  void locatedAtACollective() {
    Located found = located(with("\\{\\{0,1\\}\\}, to_apply", "{{0},{1}}, to_apply")).orElseThrow();
    assertThat(found.instruction().name()).isEqualTo("sum");
    assertThat(found.within()).isEmpty();
    assertThat(found.program().isOfEachDevice()).isTrue();
    assertThat(Shrinker.size(found.program())).isEqualTo(5);
    assertThat(found.comparison().orElseThrow().verdict()).isEqualTo(Verdict.WRONG);
  }

  @Test
  void locatedNowhere() {
    assertThat(located(with("nothing", ""))).isEmpty();
  }

  @Test
  void pairOfTwoPrograms() {
    Located found =
        Locator.pair(
                PROGRAM, program(TEXT.replace("sine(", "cosine(")), COMPILED, OPTIONS, work -> {})
            .orElseThrow();
    assertThat(found.instruction().name()).isEqualTo("sine");
    assertThat(found.within()).containsExactly("device 0");
  }

  /** The smaller program has an argument for each device, or is one for a single device. */
  @Test
  void shrunk() {
    Runner wrongSum = with("\\{\\{0,1\\}\\}, to_apply", "{{0},{1}}, to_apply");
    DifferenceCheck check = DifferenceCheck.of(wrongSum);
    Program small =
        Shrinker.of(check.like(check.difference(PROGRAM).orElseThrow())).shrink(PROGRAM);
    assertThat(small.isOfEachDevice()).isTrue();
    assertThat(small.argumentsOfDevices()).hasSize(2);
    assertThat(Shrinker.size(small)).isAtMost(5);
    DifferenceCheck sine = DifferenceCheck.of(with(" sine\\(", " cosine("));
    Program alone = Shrinker.of(sine.like(sine.difference(PROGRAM).orElseThrow())).shrink(PROGRAM);
    assertThat(alone.deviceCount()).isEqualTo(1);
    assertThat(Shrinker.size(alone)).isAtMost(2);
  }

  /** What a device takes from infeed is its own, and so is what outfeed gets. */
  @Test
  void feedsOfEachDevice() {
    Program fed =
        Program.of(
                Parser.parse(
                    """
                    HloModule m, replica_count=2

                    ENTRY e {
                      t = token[] after-all()
                      i = (s32[], token[]) infeed(t)
                      x = s32[] get-tuple-element(i), index=0
                      o = token[] outfeed(x, t), outfeed_shape=s32[]
                      ROOT r = s32[] negate(x)
                    }
                    """))
            .fedFrom(device -> shape -> Optional.of(Literal.of(device + 5)), OPTIONS);
    assertThat(fed.infeed())
        .containsExactly(Literal.tuple(Literal.of(5)), Literal.tuple(Literal.of(6)))
        .inOrder();
    assertThat(fed.run(Interpreter::compiled, OPTIONS))
        .isEqualTo(
            Literal.tuple(
                Literal.tuple(Literal.of(-5), Literal.tuple(Literal.of(5))),
                Literal.tuple(Literal.of(-6), Literal.tuple(Literal.of(6)))));
  }

  /** A command gets one list of arguments. */
  @Test
  void commandsTakeWholeArrays() {
    try (ExternalRunner command =
        new ExternalRunner("cat {hlo} {results}", Duration.ofMinutes(1), ImmutableMap.of())) {
      assertThat(assertThrows(HloException.class, () -> command.run(PROGRAM)).summary())
          .isEqualTo(
              "command got a program of which each of 2 devices has arguments of its own, want one"
                  + " with whole arrays: it gets one list");
    }
  }

  private static final String GLOBAL =
      """
      HloModule m, num_partitions=2

      ENTRY e {
        x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
        ROOT y = f32[4] sine(x), sharding={devices=[2]<=[2]}
      }
      """;

  /** Behind the partitioner each device has its slice. */
  private static final String PARTITIONED =
      """
      HloModule m, num_partitions=2

      ENTRY e {
        x = f32[2] parameter(0), sharding={devices=[2]<=[2]}
        sine = f32[2] sine(x)
        ROOT y = f32[2] collective-permute(sine), channel_id=1, source_target_pairs={{0,0},{1,1}}
      }
      """;

  @Test
  void blamedBehindThePartitioner() {
    Literal whole = Literal.of(new float[] {1, 2, 3, 4});
    List<Blame.Stage> stages =
        List.of(
            stage("before", GLOBAL),
            stage("spmd-partitioning", PARTITIONED),
            stage("swap", PARTITIONED.replace("{{0,0},{1,1}}", "{{0,1},{1,0}}")),
            stage("cosine", PARTITIONED.replace("sine(x)", "cosine(x)")));
    Blame blame =
        Blame.of(
            stages,
            ImmutableList.of(whole),
            COMPILED,
            any -> Runner.of(Interpreter.reference()),
            OPTIONS,
            work -> {});
    assertThat(
            blame.steps().stream()
                .map(step -> step.comparison().orElseThrow().verdict())
                .map(verdict -> verdict.toString().toLowerCase(Locale.ROOT)))
        .containsExactly("same", "same", "wrong", "wrong")
        .inOrder();
    Blame last =
        new Blame(
            ImmutableList.of(blame.steps().get(0), blame.steps().get(1), blame.steps().get(3)));
    Located found =
        last.locate(last.steps().get(2), ImmutableList.of(whole), COMPILED, OPTIONS, work -> {})
            .orElseThrow();
    assertThat(found.instruction().name()).isEqualTo("sine");
    assertThat(found.within()).containsExactly("device 0");
  }

  private static Blame.Stage stage(String name, String text) {
    return new Blame.Stage(name, Parser.parse(text));
  }
}
