package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Splitter;
import com.google.common.collect.Maps;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arguments given by name, all at each run or some of them once. */
final class ArgumentsByNameTest {
  private static final HloModule LAYER =
      Parser.parse(
          """
          HloModule layer

          ENTRY e {
            x = f32[2] parameter(0)
            weight = f32[2] parameter(1)
            bias = f32[] parameter(2)
            p = f32[2] multiply(x, weight)
            b = f32[2] broadcast(bias), dimensions={}
            ROOT s = f32[2] add(p, b)
          }
          """);

  private static final Literal X = Literal.of(new float[] {1, 2});
  private static final Literal WEIGHT = Literal.of(new float[] {3, 4});
  private static final Literal BIAS = Literal.of(10f);
  private static final float[] RESULT = {13, 18};

  private static Executable layer(Evaluators evaluators) {
    return evaluators.alone(EvaluatorOptions.defaults()).compile(LAYER);
  }

  /** Arguments as {@code name shape}, of zeros; {@code name null} is null. */
  @SuppressWarnings("NullAway") // bad input on purpose
  private static Map<String, Literal> zeros(String arguments) {
    Map<String, Literal> all = new HashMap<>();
    for (String argument : Splitter.on(", ").omitEmptyStrings().split(arguments)) {
      String name = argument.substring(0, argument.indexOf(' '));
      String shape = argument.substring(name.length() + 1);
      all.put(name, shape.equals("null") ? null : zeros(Shape.parse(shape)));
    }
    return all;
  }

  private static Literal zeros(Shape shape) {
    return Literal.zeros((Shape.Array) shape);
  }

  private static String refusal(Runnable call) {
    return assertThrows(HloException.class, call::run).summary();
  }

  @ParameterizedTest
  @EnumSource(Evaluators.class)
  void theOrderOfNamesDoesNotMatter(Evaluators evaluators) {
    Map<String, Literal> arguments = Map.of("bias", BIAS, "x", X, "weight", WEIGHT);
    LiteralSubject.assertThat(layer(evaluators).run(arguments)).holds(RESULT);
    LiteralSubject.assertThat(evaluators.evaluator().run(LAYER, arguments)).holds(RESULT);
  }

  /** The list of what is wanted is the same in all. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "x f32[2], weight f32[2]          | 2 arguments | missing bias",
        "''                               | 0 arguments | missing x, weight, bias",
        "x f32[2], wieght f32[2], bias f32[] | 3 arguments"
            + "| unknown wieght f32[2] (nearest known name: weight); missing weight",
        "x f32[2], weight f32[2], bias f32[], other s32[] | 4 arguments | unknown other s32[]",
        "x f32[3], weight f32[2] | 2 arguments"
            + "| missing bias; argument x got f32[3], want f32[2]",
      })
  void namesThatDoNotFitAreToldAllAtOnce(String arguments, String got, String problem) {
    String want = ", want 3: x f32[2], weight f32[2], bias f32[]; ";
    assertThat(refusal(() -> layer(Evaluators.COMPILED).run(zeros(arguments))))
        .isEqualTo("run: got " + got + want + problem);
  }

  @Test
  void weightsOfAnotherElementTypeCanBeConverted() {
    Map<String, Literal> wide = zeros("weight f64[2], bias f64[]");
    assertThat(
            assertThrows(HloException.class, () -> layer(Evaluators.COMPILED).bind(wide))
                .getMessage())
        .isEqualTo(
            "bind: argument weight got f64[2], want f32[2]; argument bias got f64[], want f32[]\n"
                + "  fits: weight.convertElementType(F32), bias.convertElementType(F32)");
    Map<String, Literal> narrow =
        Maps.transformValues(wide, value -> value.convertElementType(ElementType.F32));
    assertThat(layer(Evaluators.COMPILED).bind(narrow).parameterNames()).containsExactly("x");
  }

  @Test
  @SuppressWarnings("NullAway") // bad input on purpose
  void argumentsThatDoNotFitAreToldAllAtOnce() {
    String message =
        "run: argument x got f32[3], want f32[2]; argument weight got s32[2], want f32[2];"
            + " argument bias got null, want f32[]";
    Map<String, Literal> wrong = zeros("x f32[3], weight s32[2], bias null");
    assertThat(refusal(() -> layer(Evaluators.REFERENCE).run(wrong))).isEqualTo(message);
    assertThat(
            refusal(() ->
                layer(Evaluators.REFERENCE)
                    .run(wrong.get("x"), wrong.get("weight"), wrong.get("bias"))))
        .isEqualTo(message);
  }

  @Test
  @SuppressWarnings({"NullAway", "CheckReturnValue"}) // bad input on purpose
  void nullForAllArguments() {
    String message = "arguments are null, want a map from names to literals";
    Map<String, Literal> none = null;
    assertThat(refusal(() -> layer(Evaluators.COMPILED).run(none))).isEqualTo("run: " + message);
    assertThat(refusal(() -> layer(Evaluators.COMPILED).bind(none))).isEqualTo("bind: " + message);
  }

  @Test
  void ofManyParametersTheFirstAreToldAndThoseMissing() {
    StringBuilder text = new StringBuilder("HloModule many\n\nENTRY e {\n");
    IntStream.range(0, 25).forEach(i -> text.append("  p" + i + " = s8[] parameter(" + i + ")\n"));
    Executable many =
        Interpreter.reference().compile(Parser.parse(text + "  ROOT n = s8[] negate(p0)\n}\n"));
    Map<String, Literal> all = new HashMap<>();
    many.parameterNames().forEach(name -> all.put(name, Literal.of((byte) 1)));
    all.remove("p23");
    assertThat(refusal(() -> many.run(all)))
        .isEqualTo(
            "run: got 24 arguments, want 25: p0 s8[], p1 s8[], p2 s8[], p3 s8[], p4 s8[], p5 s8[],"
                + " p6 s8[], p7 s8[], p8 s8[], p9 s8[], p10 s8[], p11 s8[], p12 s8[], p13 s8[], p14"
                + " s8[], p15 s8[], p16 s8[], p17 s8[], p18 s8[], p19 s8[] and 5 more; missing p23"
                + " s8[]");
  }

  @ParameterizedTest
  @EnumSource(Evaluators.class)
  void whatIsBoundIsNoParameterAnyMore(Evaluators evaluators) {
    Executable bound = layer(evaluators).bind(Map.of("weight", WEIGHT));
    assertThat(bound.parameterNames()).containsExactly("x", "bias").inOrder();
    assertThat(bound.signature().toString()).isEqualTo("(f32[2], f32[]) -> f32[2]");
    assertThat(bound.toString()).isEqualTo("executable layer (x: f32[2], bias: f32[]) -> f32[2]");
    assertThat(bound.module()).isSameInstanceAs(LAYER);
    assertThat(bound.explain()).startsWith("bound: (weight: f32[2])\n");
    LiteralSubject.assertThat(bound.run(X, BIAS)).holds(RESULT);
    LiteralSubject.assertThat(bound.run(Map.of("bias", BIAS, "x", X))).holds(RESULT);
    Literal result = Literal.of(new float[2]);
    bound.unsafeRunInto(result, X, BIAS);
    LiteralSubject.assertThat(result).holds(RESULT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "weight", "bias"})
  void eachCanBeBoundAndThenTheOthers(String first) {
    Map<String, Literal> others = new HashMap<>(Map.of("x", X, "weight", WEIGHT, "bias", BIAS));
    Executable one = layer(Evaluators.COMPILED).bind(Map.of(first, others.get(first)));
    others.remove(first);
    LiteralSubject.assertThat(one.run(others)).holds(RESULT);
    Executable all = one.bind(others);
    assertThat(all.parameterNames()).isEmpty();
    LiteralSubject.assertThat(all.run()).holds(RESULT);
    LiteralSubject.assertThat(all.bind(Map.of()).run(Map.of())).holds(RESULT);
    assertThat(refusal(() -> all.run(X))).isEqualTo("run: got 1 argument, want none");
  }

  @Test
  @SuppressWarnings("CheckReturnValue") // bad input on purpose
  void bindingChecksItsArguments() {
    Executable bound = layer(Evaluators.COMPILED).bind(Map.of("weight", WEIGHT));
    assertThat(refusal(() -> layer(Evaluators.COMPILED).bind(zeros("wait f32[2], x f32[3]"))))
        .isEqualTo(
            "bind: got 2 arguments, want some of 3: x f32[2], weight f32[2], bias f32[]; unknown"
                + " wait f32[2]; argument x got f32[3], want f32[2]");
    assertThat(refusal(() -> bound.bind(zeros("weight f32[2], x null"))))
        .isEqualTo(
            "bind: got 2 arguments, want some of 2: x f32[2], bias f32[]; already bound weight"
                + " f32[2]; argument x got null, want f32[2]");
    assertThat(refusal(() -> bound.run(Map.of("weight", WEIGHT, "x", X, "bias", BIAS))))
        .isEqualTo(
            "run: got 3 arguments, want 2: x f32[2], bias f32[]; already bound weight f32[2]");
    assertThat(refusal(() -> bound.run(X)))
        .isEqualTo("run: got 1 argument, want 2: x f32[2], bias f32[]; missing bias");
  }

  @Test
  void whatIsBoundIsNotCopiedAndNotWrittenTo() {
    float[] weight = {3, 4};
    Literal shared = Literal.unsafeOf(Shape.of(ElementType.F32, 2), weight);
    Executable bound = layer(Evaluators.COMPILED).bind(Map.of("weight", shared, "bias", BIAS));
    LiteralSubject.assertThat(bound.run(X)).holds(RESULT);
    weight[1] = 5;
    LiteralSubject.assertThat(bound.run(X)).holds(new float[] {13, 20});
    assertThat(refusal(() -> bound.unsafeRunInto(shared, X)))
        .isEqualTo(
            "run: result got an array of f32[2] that is also a constant, an argument, bound,"
                + " handed out or there twice, want one of its own, as newResult() makes them");
    assertThat(weight).isEqualTo(new float[] {3, 5});
  }

  @Test
  void devicesAreNamed() {
    assertThat(
            refusal(() ->
                Interpreter.reference()
                    .runOnDevices(
                        LAYER,
                        new DeviceGrid(2, 1),
                        List.of(List.of(X, WEIGHT, BIAS), List.of(X)))))
        .isEqualTo(
            "run, device 1: got 1 argument, want 3: x f32[2], weight f32[2], bias f32[]; missing"
                + " weight, bias");
  }
}
