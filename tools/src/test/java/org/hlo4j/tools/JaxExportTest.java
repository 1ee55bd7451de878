package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reading and calling files of jax.export, and their errors. */
class JaxExportTest {
  private static final Path EXPORTS =
      Path.of("src/test/resources/org/hlo4j/tools/exports").toAbsolutePath();

  @TempDir Path folder;

  private static JaxExport export(String name) throws IOException {
    return JaxExport.read(EXPORTS.resolve(name).resolve("export.bin"));
  }

  /** Of parameters, x and y. */
  private static final Path TRAINING_STEP =
      Path.of("../examples/src/main/resources/org/hlo4j/examples/training_step.bin");

  private static final Map<String, Literal> PARAMETERS =
      Map.of(
          "w1", Literal.full(Shape.of(ElementType.F32, 1, 8), 0.5),
          "b1", Literal.full(Shape.of(ElementType.F32, 8), 0.25),
          "w2", Literal.full(Shape.of(ElementType.F32, 8, 1), 0.125),
          "b2", Literal.zeros(Shape.of(ElementType.F32, 1)));

  private static final Literal X = Literal.full(Shape.of(ElementType.F32, 32, 1), 0.5);
  private static final Literal Y = Literal.full(Shape.of(ElementType.F32, 32, 1), 0.25);

  @ParameterizedTest
  @CsvSource({"reference", "compiled"})
  void casesPass(String evaluator) {
    Cli.Ran ran = new Cli(folder).run("test", "-q", EXPORTS.toString(), "--evaluator", evaluator);
    assertThat(ran).isEqualTo(new Cli.Ran(0, "19 passed, 0 failed, 0 unsupported\n", ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "batch_mlp      | [b] | [cpu]            | ((*,), {}) | *",
        "multi_platform | [b] | [cpu, cuda, tpu] | ((*,), {}) | *",
        "x64_platforms  | []  | [tpu, cpu]       | ((*,), {}) | *",
        "narrow_types   | []  | [cpu]            | ((*, *, *, *, *), {}) | (*, *, *, *, *, *)",
      })
  void signature(String name, String sizes, String platforms, String in, String out)
      throws IOException {
    JaxExport export = export(name);
    assertThat(export.sizeVariables().toString()).isEqualTo(sizes);
    assertThat(export.platforms().toString()).isEqualTo(platforms);
    assertThat(export.inTree().toString()).isEqualTo(in);
    assertThat(export.outTree().toString()).isEqualTo(out);
  }

  @Test
  void functionIsCompiledOncePerShapes() throws IOException {
    Evaluator evaluator = Interpreter.reference();
    int[] compiled = new int[1];
    JaxFunction function =
        new JaxFunction(
            export("batch_mlp"),
            (module, bound) -> {
              compiled[0]++;
              return evaluator.compile(module).bind(bound)::run;
            });
    for (int batch : new int[] {1, 3, 1, 3}) {
      Literal result = (Literal) function.call(Literal.zeros(Shape.of(ElementType.F32, batch, 8)));
      assertThat(result.shape()).isEqualTo(Shape.of(ElementType.F32, batch, 4));
    }
    assertThat(compiled[0]).isEqualTo(2);
  }

  /** Arguments are bound for each set of shapes, once, whatever their order is. */
  @Test
  void argumentsAreBoundOncePerShapes() throws IOException {
    Evaluator evaluator = Interpreter.compiled();
    List<String> compiled = new ArrayList<>();
    JaxFunction function =
        new JaxFunction(
            JaxExport.read(TRAINING_STEP),
            (module, bound) -> {
              compiled.add(bound.keySet().toString());
              return evaluator.compile(module).bind(bound)::run;
            });
    Object first = function.call(PARAMETERS, X, Y);
    JaxFunction bound = function.bind(PARAMETERS);
    assertThat(bound.call(X, Y)).isEqualTo(first);
    assertThat(bound.call(Y, X)).isEqualTo(function.call(PARAMETERS, Y, X));
    assertThat(bound.bind(X).call(Y)).isEqualTo(first);
    assertThat(bound.bind(X, Y).call()).isEqualTo(first);
    assertThat(compiled).hasSize(4);
    assertThat(compiled.get(0)).isEqualTo("[]");
    assertThat(Splitter.on(", ").splitToList(compiled.get(1))).hasSize(4);
    assertThat(Splitter.on(", ").splitToList(compiled.get(3))).hasSize(6);
  }

  /** Arrays by their index: two of the dictionary, and the last argument. */
  @Test
  void bindsArraysAnywhere() throws IOException {
    List<String> compiled = new ArrayList<>();
    JaxFunction function =
        new JaxFunction(
            JaxExport.read(TRAINING_STEP),
            (module, bound) -> {
              compiled.add(bound.size() + " of " + module.parameterNames().size());
              return Interpreter.reference().compile(module).bind(bound)::run;
            });
    List<Literal> all = new ArrayList<>();
    List.of("b1", "b2", "w1", "w2").forEach(name -> all.add(PARAMETERS.get(name)));
    all.addAll(List.of(X, Y));
    List<Literal> wanted = function.callFlat(all);
    assertThat(JaxExport.read(TRAINING_STEP).outTree().unflatten(wanted.iterator()))
        .isEqualTo(function.call(PARAMETERS, X, Y));
    JaxFunction bound =
        function.bindFlat(Map.of(1, all.get(1), 2, all.get(2))).bindFlat(Map.of(5, Y));
    assertThat(bound.callFlat(List.of(all.get(0), all.get(3), X))).isEqualTo(wanted);
    assertThat(function.bind(PARAMETERS).callFlat(List.of(X, Y))).isEqualTo(wanted);
    assertThat(compiled).containsExactly("0 of 6", "3 of 6", "4 of 6").inOrder();
    String signature = JaxExport.read(TRAINING_STEP).toString();
    assertThat(bound.toString()).isEqualTo(signature + ", 3 arguments bound");
    assertThat(refusal(() -> bound.bindFlat(Map.of(5, Y)).callFlat(List.of())))
        .isEqualTo("bindFlat: got input 5, want one of " + signature + " that is not bound");
    assertThat(refusal(() -> bound.bindFlat(Map.of(6, Y)).callFlat(List.of())))
        .isEqualTo("bindFlat: got input 6, want one of " + signature + " that is not bound");
    assertThat(refusal(() -> bound.callFlat(List.of(X))))
        .isEqualTo(
            "callFlat: got 1 arrays, want 3 for those inputs of "
                + signature
                + " that are not bound");
    assertThat(refusal(() -> bound.call(X)))
        .isEqualTo(
            "call: got arguments of " + signature + ", want callFlat, for bindFlat bound some");
    assertThat(refusal(() -> bound.bind(PARAMETERS).callFlat(List.of())))
        .isEqualTo(
            "bind: got arguments of " + signature + ", want bindFlat, for bindFlat bound some");
  }

  /** The same literal as a bound argument and as another one. */
  @Test
  void whatIsBoundGoesByPosition() throws IOException {
    Evaluator evaluator = Interpreter.reference();
    JaxFunction function =
        new JaxFunction(
            JaxExport.read(TRAINING_STEP),
            (module, bound) -> evaluator.compile(module).bind(bound)::run);
    JaxFunction bound = function.bind(PARAMETERS, X);
    assertThat(bound.call(X)).isEqualTo(function.call(PARAMETERS, X, X));
    assertThat(bound.call(Y)).isEqualTo(function.call(PARAMETERS, X, Y));
  }

  /** No run writes its result there, though nothing is compiled for the bound argument yet. */
  @Test
  void whatIsBoundIsWrittenToByNobody() throws IOException {
    Literal x = Literal.zeros(X.arrayShape());
    JaxFunction function =
        new JaxFunction(
            JaxExport.read(TRAINING_STEP),
            (module, bound) -> Interpreter.reference().compile(module).bind(bound)::run);
    JaxFunction bound = function.bind(PARAMETERS, x);
    String shape = x.shape().toString();
    Executable negated =
        Interpreter.reference()
            .compile(
                Parser.parse(
                    "HloModule m ENTRY e { p = S parameter(0) ROOT r = S negate(p) }"
                        .replace("S ", shape + " ")));
    assertThat(refusal(() -> negated.unsafeRunInto(x, X)))
        .isEqualTo(
            "run: result got an array of "
                + shape
                + " that is also a constant, an argument, bound, handed out or there twice, want"
                + " one of its own, as newResult() makes them");
    assertThat(bound.call(Y)).isEqualTo(function.call(PARAMETERS, x, Y));
  }

  @Test
  @SuppressWarnings({"NullAway", "CheckReturnValue"}) // bad input on purpose
  void wrongBoundArguments() throws IOException {
    JaxFunction function =
        new JaxFunction(
            JaxExport.read(TRAINING_STEP),
            (module, bound) -> Interpreter.reference().compile(module).bind(bound)::run);
    assertThat(refusal(() -> function.bind(PARAMETERS, X, Y, Y)))
        .isEqualTo(
            "bind: got 4 positional arguments, want at most 3: " + JaxExport.read(TRAINING_STEP));
    assertThat(refusal(() -> function.bind(PARAMETERS).bind(X, Y, Y)))
        .isEqualTo(
            "bind: got 3 positional arguments, want at most 2: " + JaxExport.read(TRAINING_STEP));
    assertThat(refusal(() -> function.bind(Map.of("w1", X))))
        .isEqualTo(
            "args[0]: got a Map with the keys [w1], want a Map with the keys [b1, b2, w1, w2]");
    assertThat(refusal(() -> function.bind(PARAMETERS, null)))
        .isEqualTo("args[1]: got null, want a Literal");
    assertThat(refusal(() -> function.bind((Object[]) null)))
        .isEqualTo("args[0]: got null, want a Map with the keys [b1, b2, w1, w2]");
    assertThat(refusal(() -> function.bind(List.of(), Map.of("z", X))))
        .isEqualTo("bind: got the keyword z, want some of [], which are not bound");
    assertThat(refusal(() -> function.bind(null, Map.of())))
        .isEqualTo("bind: the list of arguments is null");
    assertThat(refusal(() -> function.bind(PARAMETERS).call(X)))
        .isEqualTo(
            "args: got a List of 2, want a List of 3: ({'b1': *, 'b2': *, 'w1': *, 'w2': *}, *,"
                + " *)");
  }

  private static String refusal(Runnable call) {
    return assertThrows(HloException.class, call::run).getMessage();
  }

  @Test
  void vjpIsRead() throws IOException {
    JaxExport gradient = export("with_vjp").vjp().orElseThrow();
    assertThat(gradient.inputs().toString()).isEqualTo("[float32[b,8], float32[b,3], float32[]]");
    assertThat(gradient.outputs().toString()).isEqualTo("[float32[b,8], float32[b,3]]");
  }

  private static String refusal(JaxExport export, List<?> arguments, Map<String, ?> keywords) {
    return assertThrows(HloException.class, () -> export.call(arguments, keywords, "cpu"))
        .getMessage();
  }

  @Test
  void argumentErrorsUseFunctionSignature() throws IOException {
    JaxExport export = export("with_vjp");
    Literal x = Literal.zeros(Shape.of(ElementType.F32, 2, 8));
    Literal y = Literal.zeros(Shape.of(ElementType.F32, 5, 3));
    assertThat(refusal(export, List.of(x), Map.of()))
        .isEqualTo("args: got a List of 1, want a List of 2: (*, *)");
    assertThat(refusal(export, List.of(x, List.of()), Map.of()))
        .isEqualTo("args[1]: got a List of 0, want a Literal");
    assertThat(refusal(export, List.of(x, y), Map.of("z", y)))
        .isEqualTo("kwargs: got a Map with the keys [z], want a Map with the keys []");
    assertThat(refusal(export, List.of(x, y), Map.of()))
        .isEqualTo(
            export.functionName()
                + ": args[1] got f32[5,3], want float32[b,3] with b = 2 of args[0]");
    assertThat(refusal(export, List.of(x, Literal.of(1)), Map.of()))
        .isEqualTo(export.functionName() + ": args[1] got s32[], want float32[b,3]");
    assertThat(refusal(export, List.of(x, y.convertElementType(ElementType.F64)), Map.of()))
        .isEqualTo(
            export.functionName()
                + ": args[1] got f64[5,3], want float32[b,3]\n"
                + "  fits: args[1].convertElementType(F32)");
    assertThat(assertThrows(HloException.class, () -> export.call((Object[]) null)).getMessage())
        .isEqualTo("args: got a List of 1, want a List of 2: (*, *)");
    assertThat(assertThrows(HloException.class, () -> export.call(null, y)).getMessage())
        .isEqualTo("args[0]: got null, want a Literal");
    assertThat(refusal(export, List.of(new float[2][8], y), Map.of()))
        .isEqualTo("args[0]: got float[][], want a Literal: Literal.of(…)");
    assertThat(refusal(export, List.of(1.5, y), Map.of()))
        .isEqualTo("args[0]: got Double, want a Literal: Literal.of(…)");
    assertThat(refusal(export, List.of("x", y), Map.of()))
        .isEqualTo("args[0]: got String, want a Literal");
  }

  @Test
  void otherPlatformIsRejected() throws IOException {
    JaxExport export = export("multi_platform");
    Literal x = Literal.zeros(Shape.of(ElementType.F32, 2, 8));
    HloException refusal =
        assertThrows(HloException.class, () -> export.call(List.of(x), Map.of(), "rocm"));
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo(
            export.functionName()
                + ": platform got rocm, want one of [cpu, cuda, tpu], which it was exported for");
  }

  @Test
  void corruptedFilesParseOrFailCleanly() throws IOException {
    byte[] good = Files.readAllBytes(EXPORTS.resolve("with_vjp/export.bin"));
    for (int i = 0; i < (Nightly.isOn() ? 3000 : 300); i++) {
      byte[] bad = good.clone();
      bad[(i * 7919) % bad.length] = (byte) (i * 31);
      try {
        var _ =
            JaxExport.read(i % 3 == 0 ? java.util.Arrays.copyOf(bad, i % bad.length) : bad)
                .module();
      } catch (HloException refused) {
        assertThat(refused.getMessage()).isNotEmpty();
      }
    }
  }

  @Test
  void runCommandNamesMissingArguments() {
    Cli.Ran ran = new Cli(folder).run("run", EXPORTS.resolve("batch_mlp/export.bin").toString());
    assertThat(ran.err())
        .contains("got 0 of 1 arguments (args[0]: float32[b,8]), want --input for each");
  }
}
