package org.hlo4j.interpreter.devices;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What all-reduce and reduce-scatter compute: in the order of the group, each addition rounded to
 * the type, or to f32 if that is wider.
 */
@Timeout(60)
final class CollectiveReductionsTest {
  private static final String ADD = "add(a, b)";

  /**
   * Returns the sum of a value of each device, as an all-reduce and as a reduce-scatter have it.
   */
  private static String reduced(String type, String reducer, String... values) {
    int devices = values.length;
    String text =
        """
        HloModule m
        reducer { a = T[] parameter(0) b = T[] parameter(1) REDUCER }
        ENTRY e {
          x = T[] parameter(0)
          all = T[] all-reduce(x), replica_groups={}, to_apply=reducer
          many = T[2,N] broadcast(x), dimensions={}
          part = T[2,1] reduce-scatter(many), replica_groups={}, dimensions={1}, to_apply=reducer
          first = T[1,1] slice(part), slice={[0:1], [0:1]}
          again = T[] reshape(first)
          ROOT both = (T[], T[]) tuple(all, again)
        }
        """
            .replace("REDUCER", reducer.contains("ROOT") ? reducer : "ROOT c = T[] " + reducer)
            .replace("T[", type + "[")
            .replace("N]", devices + "]");
    List<List<Literal>> arguments =
        Arrays.stream(values)
            .map(value -> List.of(Parser.parseLiteral(type + "[] " + value)))
            .toList();
    List<Literal> results =
        Evaluators.both().runOnDevices(Parser.parse(text), new DeviceGrid(devices, 1), arguments);
    Literal sum = results.get(0).element(0);
    assertThat(results)
        .containsExactlyElementsIn(Collections.nCopies(devices, Literal.tuple(sum, sum)));
    return sum.toHloText();
  }

  /** In bf16, 256 + 1 is 256, and in f16, 2048 + 1 is 2048, whatever is added later. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          bf16     | 256 | 1 | 1      | 258
          f16      | 2048 | 1 | 1     | 2050
          f16      | 60000 | 60000 | -60000 | 60000
          f8e5m2   | 8 | 1 | 1        | 10
          f8e4m3fn | 16 | 1 | 1       | 18
          f32      | 16777216 | 1 | 1 | 16777216
          f32      | 1 | 1 | 16777216 | 16777218
          f64      | 16777216 | 1 | 1 | 16777218
          c64      | (1,16777216) | (1,1) | (1,1) | (3,16777216)
          u8       | 200 | 100 | 1    | 45
          pred     | true | false | true | true
          """)
  void sumsAreInOrderInTheTypeOrF32(String type, String x, String y, String z, String sum) {
    String add = type.equals("pred") ? "or(a, b)" : ADD;
    assertThat(reduced(type, add, x, y, z).replace(" ", "")).isEqualTo(sum);
  }

  /** Other reducers of narrow types round each step: 255 * 3 is 764 in bf16, 764 / 3 is 255. */
  @Test
  void otherReducersRoundEachStep() {
    assertThat(reduced("bf16", "multiply(a, b)", "255", "3", "3")).isEqualTo("2288");
    assertThat(reduced("f32", "multiply(a, b)", "16777217", "3", "0.5")).isEqualTo("25165824");
    assertThat(reduced("f32", "subtract(b, a)", "1", "10", "100")).isEqualTo("91");
    assertThat(reduced("f32", "maximum(a, b)", "1", "nan", "3")).isEqualTo("nan");
    assertThat(reduced("s32", "xor(a, b)", "1", "2", "7")).isEqualTo("4");
    assertThat(reduced("s32", "and(a, b)", "3", "6", "7")).isEqualTo("2");
  }

  /** Device 1 takes another branch: each device reduces by its own instruction. */
  @Test
  void branchesMeetWithReducersOfTheirOwn() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
            max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
            t { x = f32[] parameter(0) ROOT r = f32[] all-reduce(x), replica_groups={}, to_apply=add }
            f { x = f32[] parameter(0) ROOT r = f32[] all-reduce(x), replica_groups={}, to_apply=max }
            ENTRY e {
              p = pred[] parameter(0)
              x = f32[] parameter(1)
              ROOT w = f32[] conditional(p, x, x), true_computation=t, false_computation=f
            }
            """);
    List<List<Literal>> arguments =
        List.of(
            List.of(Literal.of(true), Literal.of(3f)), List.of(Literal.of(false), Literal.of(5f)));
    assertThat(Evaluators.both().runOnDevices(module, new DeviceGrid(2, 1), arguments))
        .containsExactly(Literal.of(8f), Literal.of(5f))
        .inOrder();
  }

  /** 20 devices need three loops, of 8 arrays and then of what came before and 7 more. */
  @Test
  void manyDevicesAreReducedInOrder() {
    String[] values =
        IntStream.range(0, 20).mapToObj(i -> i == 0 ? "33554432" : "1").toArray(String[]::new);
    assertThat(reduced("f32", ADD, values)).isEqualTo("33554432");
    assertThat(reduced("bf16", ADD, values)).isEqualTo("3.355e+07");
    values[0] = "512";
    assertThat(reduced("bf16", ADD, values)).isEqualTo("532");
    assertThat(reduced("s32", "subtract(a, b)", values)).isEqualTo("493");
    assertThat(reduced("s32", "subtract(b, a)", values)).isEqualTo("-511");
  }

  /** The first, the last, and one with ops that are no element-wise ones. */
  @Test
  void reducersMayBeAnyComputation() {
    String[] values = IntStream.rangeClosed(1, 10).mapToObj(String::valueOf).toArray(String[]::new);
    assertThat(reduced("f32", "copy(a)", values)).isEqualTo("1");
    assertThat(reduced("f32", "copy(b)", values)).isEqualTo("10");
    String twice = "k = T[] constant(2) d = T[] multiply(b, k) ROOT c = T[] add(a, d)";
    assertThat(reduced("f32", twice, values)).isEqualTo("109");
    String reshaped = "v = T[1] reshape(b) w = T[] reshape(v) ROOT c = T[] subtract(w, a)";
    assertThat(reduced("s32", reshaped, values)).isEqualTo("5");
  }

  /** The reducer is not called for each element. */
  @Test
  void aReductionTakesAFewSteps() {
    String text =
        """
        HloModule m
        add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
        ENTRY e { x = f32[5000] parameter(0)
          ROOT r = f32[5000] all-reduce(x), replica_groups={}, to_apply=add }
        """;
    List<List<Literal>> arguments =
        Collections.nCopies(4, List.of(Literal.zeros(Shape.of(F32, 5000))));
    LongAdder steps = new LongAdder();
    EvaluatorOptions counting = EvaluatorOptions.builder().stepCounter(steps).build();
    for (Evaluator evaluator :
        List.of(Interpreter.reference(counting), Interpreter.compiled(counting))) {
      steps.reset();
      evaluator.runOnDevices(Parser.parse(text), new DeviceGrid(4, 1), arguments);
      assertThat(steps.sum()).isLessThan(40);
    }
  }
}
