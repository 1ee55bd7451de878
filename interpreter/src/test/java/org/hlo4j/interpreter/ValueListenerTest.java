package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Evaluators.class)
class ValueListenerTest {
  @Parameter private Evaluators evaluators = Evaluators.REFERENCE;

  private static final HloModule LOOP =
      Parser.parse(
          """
          HloModule loop
          body { i = s32[] parameter(0)  one = s32[] constant(1)  ROOT next = s32[] add(i, one) }
          below { j = s32[] parameter(0)  two = s32[] constant(2)
            ROOT less = pred[] compare(j, two), direction=LT }
          ENTRY main { zero = s32[] constant(0)
            ROOT last = s32[] while(zero), condition=below, body=body }
          """);

  @Test
  void everyValueInOrderOfEvaluation() {
    List<String> told = new ArrayList<>();
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .valueListener((device, instruction, value) ->
                told.add(device + " " + instruction.name() + " " + value))
            .build();
    evaluators.alone(options).run(LOOP);
    assertThat(told)
        .containsExactly(
            "0 zero s32[] 0",
            "0 j s32[] 0",
            "0 two s32[] 2",
            "0 less pred[] true",
            "0 i s32[] 0",
            "0 one s32[] 1",
            "0 next s32[] 1",
            "0 j s32[] 1",
            "0 two s32[] 2",
            "0 less pred[] true",
            "0 i s32[] 1",
            "0 one s32[] 1",
            "0 next s32[] 2",
            "0 j s32[] 2",
            "0 two s32[] 2",
            "0 less pred[] false",
            "0 last s32[] 2")
        .inOrder();
  }

  @Test
  void whatAFusionComputesInside() {
    HloModule module =
        Parser.parse(
            """
            HloModule fused
            inner { p = s32[2] parameter(0)  twice = s32[2] add(p, p)
              ROOT minus = s32[2] negate(twice) }
            ENTRY main { x = s32[2] constant({1, 2})
              ROOT f = s32[2] fusion(x), kind=kLoop, calls=inner }
            """);
    List<String> told = new ArrayList<>();
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .valueListener(
                (device, instruction, value) -> told.add(instruction.name() + " " + value))
            .build();
    evaluators.alone(options).run(module);
    assertThat(told)
        .containsExactly(
            "x s32[2] {1, 2}",
            "p s32[2] {1, 2}",
            "twice s32[2] {2, 4}",
            "minus s32[2] {-2, -4}",
            "f s32[2] {-2, -4}")
        .inOrder();
  }

  @Test
  void everyDevice() {
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    HloModule module = Parser.parse("HloModule id ENTRY main { ROOT id = u32[] partition-id() }");
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .valueListener((device, instruction, value) -> told.add(device + " " + value))
            .build();
    evaluators
        .alone(options)
        .runOnDevices(module, new DeviceGrid(1, 2), List.of(List.of(), List.of()));
    assertThat(told).containsExactly("0 u32[] 0", "1 u32[] 1");
  }

  /** Asks what the loop gives with something else in the place of an instruction's value. */
  @ParameterizedTest
  @CsvSource({
    "next, nothing,  2, 'zero 0, next 1, next 2, last 2'",
    "i,    constant, 3, 'zero 0, next 3, last 3'", // a value, whatever the instruction is
    "next, operands, 3, 'zero 0, next 3, last 3'", // the op of other operands
    "next, value,    5, 'zero 0, next 5, last 5'", // a function of the value
    "last, never,    7, 'zero 0, last 7'", // nothing of the loop runs
    "last, twice,    2, 'zero 0, next 1, next 2, next 1, next 2, last 2'"
  })
  void othersInThePlaceOfValues(String name, String change, int result, String values) {
    List<String> told = new ArrayList<>();
    ValueListener listener =
        new ValueListener() {
          @Override
          public void onValue(int device, HloInstruction at, Literal value) {
            if (List.of("zero", "next", "last").contains(at.name())) {
              told.add(at.name() + " " + value.longAt(0));
            }
          }

          @Override
          public Literal value(
              int device,
              HloInstruction at,
              List<Literal> operands,
              Function<List<Literal>, Literal> op) {
            return switch (at.name().equals(name) ? change : "nothing") {
              case "constant" -> Literal.of(2);
              case "operands" -> op.apply(List.of(Literal.of(2), operands.get(1)));
              case "value" -> Literal.of((int) op.apply(operands).longAt(0) + 4);
              case "never" -> Literal.of(7);
              case "twice" -> {
                Literal first = op.apply(operands);
                assertThat(op.apply(operands)).isEqualTo(first);
                yield first;
              }
              default -> op.apply(operands);
            };
          }
        };
    EvaluatorOptions options = EvaluatorOptions.builder().valueListener(listener).build();
    assertThat(evaluators.alone(options).run(LOOP)).isEqualTo(Literal.of(result));
    assertThat(String.join(", ", told)).isEqualTo(values);
  }

  @Test
  void whatTheListenerThrowsEndsTheRun() {
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .valueListener((device, instruction, value) -> {
              throw new HloException("", "enough of " + instruction.name());
            })
            .build();
    HloException end = assertThrows(HloException.class, () -> evaluators.alone(options).run(LOOP));
    assertThat(end).hasMessageThat().isEqualTo("enough of zero");
  }

  @Test
  void toBuilderKeepsAllOptions() {
    ValueListener listener = (device, instruction, value) -> {};
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .valueListener(listener)
            .seed(3)
            .maxSteps(4)
            .maxBytes(5)
            .deadline(Duration.ofSeconds(6))
            .threads(7)
            .maxCodeBytes(8)
            .transfers(Transfers.create())
            .customCall("f", (call, operands) -> Literal.of(1))
            .build();
    assertThat(options.toBuilder().build().toString()).isEqualTo(options.toString());
    assertThat(options.toBuilder().seed(9).build().seed()).isEqualTo(9);
  }
}
