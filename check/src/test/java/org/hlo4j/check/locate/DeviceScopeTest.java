package org.hlo4j.check.locate;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.check.shrink.Shrinker;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;

/** Wrong instructions of programs for several devices. */
final class DeviceScopeTest {
  /** In the loop, device 1 alone adds something to its part. */
  private static final String TEXT =
      """
      HloModule m, num_partitions=2

      add {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        ROOT s = f32[] add(a, b)
      }

      on {
        c = (s32[], f32[2]) parameter(0)
        i = s32[] get-tuple-element(c), index=0
        three = s32[] constant(3)
        ROOT less = pred[] compare(i, three), direction=LT
      }

      body {
        c = (s32[], f32[2]) parameter(0)
        i = s32[] get-tuple-element(c), index=0
        x = f32[2] get-tuple-element(c), index=1
        one = s32[] constant(1)
        next = s32[] add(i, one)
        id = u32[] partition-id()
        number = f32[] convert(id)
        numbers = f32[2] broadcast(number), dimensions={}
        sine = f32[2] sine(numbers)
        sum = f32[2] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
        y = f32[2] add(sum, sine)
        ROOT t = (s32[], f32[2]) tuple(next, y)
      }

      ENTRY e {
        x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
        s = f32[4] custom-call(x), custom_call_target="Sharding", sharding={devices=[2]<=[2]}
        part = f32[2] custom-call(s), custom_call_target="SPMDFullToShardShape", sharding={manual}
        zero = s32[] constant(0)
        start = (s32[], f32[2]) tuple(zero, part)
        loop = (s32[], f32[2]) while(start), condition=on, body=body
        result = f32[2] get-tuple-element(loop), index=1
        ROOT whole = f32[4] custom-call(result), custom_call_target="SPMDShardToFullShape", sharding={devices=[2]<=[2]}
      }
      """;

  private static final Program PROGRAM =
      Program.of(Parser.parse(TEXT), Literal.of(new float[] {1, 2, 3, 4}));

  /** A system that squares in place of the sine, which differs where the argument is not 0. */
  private static Literal faulty(Program program) {
    String text =
        Printer.print(program.module())
            .replaceAll(
                "%(sine[.\\d]*) = f32\\[2\\]\\{0\\} sine\\(%(\\S+)\\)",
                "%$1 = f32[2]{0} multiply(%$2, %$2)");
    return program
        .with(Parser.parse(text), program.arguments())
        .run(Interpreter::compiled, EvaluatorOptions.defaults());
  }

  private static Locator locator(Runner system) {
    return new Locator(
        system, new ToleranceProfile.Compiled(), EvaluatorOptions.defaults(), work -> {});
  }

  @Test
  void wrongOnOneDevice() {
    Located found = locator(DeviceScopeTest::faulty).locate(PROGRAM).orElseThrow();
    assertThat(found.instruction().name()).isEqualTo("sine");
    assertThat(found.within()).containsExactly("loop", "device 1").inOrder();
    assertThat(found.program().arguments())
        .isEqualTo(ImmutableList.of(Literal.of(new float[] {1, 1})));
  }

  @Test
  void rightOnAll() {
    Runner right = program -> program.run(Interpreter::compiled, EvaluatorOptions.defaults());
    assertThat(locator(right).locate(PROGRAM)).isEmpty();
  }

  @Test
  void shrinksAsAWhole() {
    Program small =
        Shrinker.of(program ->
                Runner.unlessRefused(() -> program.run(Interpreter.reference()))
                    .filter(result -> result.arrays().stream().anyMatch(a -> a.elementCount() > 1))
                    .filter(any -> Printer.print(program.module()).contains("all-reduce("))
                    .isPresent())
            .shrink(PROGRAM);
    assertThat(Shrinker.size(small)).isLessThan(Shrinker.size(PROGRAM) / 2);
  }
}
