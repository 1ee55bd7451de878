package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.pjrt.CpuPlugin.refusal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.CustomCallTarget;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions in Java as the handlers of custom calls on XLA's CPU plugin. */
final class PjrtCustomCallsTest {
  private static final Literal X = Literal.of(new float[] {1, 2, 3});

  private static void register(String name, CustomCallTarget function) {
    PjrtCustomCalls.register(CpuPlugin.plugin(), name, function);
  }

  private static Literal run(HloModule module, Literal... arguments) {
    return Pjrt.evaluator(CpuPlugin.client()).run(module, arguments);
  }

  /** Returns a program of one call of f32[3]. */
  private static HloModule call(String target) {
    return Parser.parse(
        "ENTRY e { x = f32[3] parameter(0)"
            + " ROOT r = f32[3] custom-call(x), custom_call_target=\""
            + target
            + "\" }");
  }

  /** Returns StableHLO of one call of f32[3], with a backend_config. */
  private static String stableHlo(String target, String config) {
    return "module @m { func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> { %0 ="
        + " stablehlo.custom_call @"
        + target
        + "(%a) {api_version = 4 : i32, backend_config = {"
        + config
        + "}} : (tensor<3xf32>) -> tensor<3xf32> return %0 : tensor<3xf32> } }";
  }

  /** What both evaluators and the plugin give a function is the same, and so is the result. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "f32[3] custom-call(x), custom_call_target=\"same.plain\"",
        "f32[3] custom-call(x), custom_call_target=\"same.text\", backend_config=\"a \\\"b\\\"\"",
        "f32[3] custom-call(x), custom_call_target=\"same.typed\","
            + " api_version=API_VERSION_TYPED_FFI, backend_config={n = array<i64: 1, 2>}",
        "(f32[3], s32[]) custom-call(x, i), custom_call_target=\"same.two\"",
        "(f32[3]) custom-call(x), custom_call_target=\"same.tupleOfOne\"",
        "((f32[3], pred[2,0]), s8[2,3]) custom-call(x), custom_call_target=\"same.nested\"",
        "f32[3] custom-call(pair), custom_call_target=\"same.operandPair\"",
        "f32[2,3]{0,1} custom-call(t), custom_call_target=\"same.columns\","
            + " operand_layout_constraints={f32[3,2]{0,1}}",
        "c64[2,3,4]{1,0,2} custom-call(t), custom_call_target=\"same.order\","
            + " operand_layout_constraints={f32[3,2]{1,0}}",
        "(s4[5], u4[3], s2[3], bf16[2], f8e4m3fn[3], f64[], u64[1]) custom-call(n, x),"
            + " custom_call_target=\"same.types\"",
      })
  void aFunctionSeesWhatItSeesInAnEvaluator(String call) {
    HloModule module =
        Parser.parse(
            "ENTRY e { x = f32[3] parameter(0) i = s32[] constant(7)"
                + " y = f32[2,3] broadcast(x), dimensions={1} t = f32[3,2] transpose(y),"
                + " dimensions={1,0} n = s4[5] constant({-8, 7, -1, 0, 3})"
                + " pair = (f32[3], s32[]) tuple(x, i) ROOT r = "
                + call
                + " }");
    String name = call.replaceAll(".*custom_call_target=\"([\\w.]+)\".*", "$1");
    List<String> seen = new ArrayList<>();
    CustomCallTarget function =
        (instruction, operands) -> {
          seen.add(
              instruction.op()
                  + " "
                  + instruction.name()
                  + instruction.attributes()
                  + operands.stream().map(each -> each.shape() + each.toHloText()).toList());
          return counting(instruction.shape().withoutLayout());
        };
    Literal want =
        Interpreter.reference(EvaluatorOptions.builder().customCall(name, function).build())
            .run(module, X);
    register(name, function);
    assertThat(run(module, X)).isEqualTo(want);
    assertThat(seen).hasSize(2);
    assertThat(seen.get(1)).isEqualTo(seen.get(0));
  }

  /** Returns a value of a shape whose elements are 1, 2, …, or what they are in its type. */
  private static Literal counting(Shape shape) {
    if (shape instanceof Shape.Tuple tuple) {
      return Literal.tuple(tuple.elements().stream().map(PjrtCustomCallsTest::counting).toList());
    }
    Shape.Array array = (Shape.Array) shape;
    int[] numbers = IntStream.rangeClosed(1, (int) array.elementCount()).toArray();
    return Literal.of(Shape.of(ElementType.S32, array.sizes()), numbers)
        .convertElementType(array.elementType());
  }

  /** A program that was no module of ours has its attributes, of each kind that XLA passes on. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "b = true, c = false",
        "i16 = -300 : i16, i32 = -70000 : i32, i64 = -5000000000 : i64, i8 = -3 : i8",
        "u16 = 65535 : ui16, u32 = 4294967295 : ui32, u64 = 18446744073709551615 : ui64,"
            + " u8 = 250 : ui8",
        "d = 1.000000e-01 : f64, f = 1.500000e+00 : f32",
        "s = \"\", t = \"a \\22b\\22 \\C3\\A4\"",
        "f32 = array<f32: 1.500000e+00, -2.000000e+00>, f64 = array<f64: 1.000000e-01>",
        "a = array<i64>, i16 = array<i16: -1>, i32 = array<i32: 1, 2>, i8 = array<i8: -1, 1>",
        "u8 = dense<[1, 255]> : tensor<2xui8>",
        "d = {e = {}, f = {g = \"h\", i = 1 : i64}}",
      })
  void attributesOfEachKind(String config) {
    String name = "attributes" + Integer.toHexString(config.hashCode());
    List<String> seen = new ArrayList<>();
    register(
        name,
        (call, operands) -> {
          seen.add(call.attributes().getOrDefault("backend_config", "{}"));
          return operands.get(0);
        });
    try (PjrtExecutable executable = CpuPlugin.compile(stableHlo(name, config))) {
      assertThat(executable.run(X)).containsExactly(X);
    }
    assertThat(seen).containsExactly("{" + config + "}");
  }

  private static final class Checked extends Exception {
    private static final long serialVersionUID = 1L;

    Checked(String message) {
      super(message);
    }
  }

  private static Literal thrown(Throwable any) {
    PjrtCustomCallsTest.<RuntimeException>throwUnchecked(any);
    return X;
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> void throwUnchecked(Throwable any) throws E {
    throw (E) any;
  }

  private static int deep(int n) {
    return n == Integer.MAX_VALUE ? 0 : 1 + deep(n + 1);
  }

  /** Whatever a function throws is an error of the run, and the process lives. */
  @SuppressWarnings("NullAway") // what a function of somebody else may return
  private static Literal missing() {
    return null;
  }

  @Test
  void whatAFunctionThrows() {
    Literal[] unused = new Literal[1];
    List<CustomCallTarget> functions =
        List.of(
            (call, in) -> thrown(new HloException(Kind.UNSUPPORTED, "no such thing")),
            (call, in) -> thrown(new HloException(Kind.LIMIT, "too much")),
            (call, in) -> thrown(new IllegalStateException("state")),
            (call, in) -> thrown(new NullPointerException()),
            (call, in) -> thrown(new Checked("with a \0 in it")),
            (call, in) -> thrown(new AssertionError("broken")),
            (call, in) -> Literal.of(deep(0)),
            (call, in) -> Literal.of(new double[Integer.MAX_VALUE]),
            (call, in) -> missing(),
            (call, in) -> Literal.of(new float[] {1}),
            (call, in) -> Literal.of(new double[] {1, 2, 3}),
            (call, in) -> Literal.tuple(in.get(0), in.get(0)),
            (call, in) -> Literal.token(),
            (call, in) -> in.get(1),
            (call, in) -> unused[1]);
    register("throws", functions.get(0));
    List<String> refusals = new ArrayList<>();
    try (PjrtExecutable executable = CpuPlugin.client().compile(call("throws"))) {
      for (CustomCallTarget function : functions) {
        PjrtCustomCalls.replace(CpuPlugin.plugin(), "throws", function);
        refusals.add(refusal(() -> executable.run(X)).lines().findFirst().orElse(""));
      }
      PjrtCustomCalls.replace(CpuPlugin.plugin(), "throws", (call, in) -> in.get(0));
      assertThat(executable.run(X)).containsExactly(X);
    }
    String of = "PJRT_LoadedExecutable_Execute: ";
    assertThat(refusals)
        .containsExactly(
            of + "UNIMPLEMENTED: custom-call: throws: no such thing",
            of + "RESOURCE_EXHAUSTED: custom-call: throws: too much",
            of + "INTERNAL: custom-call: throws: java.lang.IllegalStateException: state",
            of + "INTERNAL: custom-call: throws: java.lang.NullPointerException",
            of + "INTERNAL: custom-call: throws: " + Checked.class.getName() + ": with a   in it",
            of + "INTERNAL: custom-call: throws: java.lang.AssertionError: broken",
            of + "INTERNAL: custom-call: throws: java.lang.StackOverflowError",
            of
                + "RESOURCE_EXHAUSTED: custom-call: throws: java.lang.OutOfMemoryError: Requested"
                + " array size exceeds VM limit",
            of + "INVALID_ARGUMENT: custom-call: throws: the function gave null, want f32[3]",
            of + "INVALID_ARGUMENT: custom-call: throws: the function gave f32[1], want f32[3]",
            of + "INVALID_ARGUMENT: custom-call: throws: the function gave f64[3], want f32[3]",
            of
                + "INVALID_ARGUMENT: custom-call: throws: the function gave (f32[3], f32[3]), want"
                + " f32[3]",
            of + "INVALID_ARGUMENT: custom-call: throws: the function gave token[], want f32[3]",
            of
                + "INTERNAL: custom-call: throws: java.lang.IndexOutOfBoundsException: index (1)"
                + " must be less than size (1)",
            of
                + "INTERNAL: custom-call: throws: java.lang.ArrayIndexOutOfBoundsException: Index 1"
                + " out of bounds for length 1")
        .inOrder();
  }

  @Test
  void namesAreTakenOnce() {
    register("once", (call, in) -> in.get(0));
    assertThat(refusal(() -> register("once", (call, in) -> in.get(0))))
        .isEqualTo(
            "custom-call: got a second function of once, want one; PjrtCustomCalls.replace replaces"
                + " it");
    assertThat(PjrtCustomCalls.names(CpuPlugin.plugin())).contains("once");
    assertThat(refusal(() -> register("", (call, in) -> in.get(0))))
        .isEqualTo("custom-call: got \"\", want a name");
    assertThat(
            refusal(() ->
                PjrtCustomCalls.replace(CpuPlugin.plugin(), "never", (call, in) -> in.get(0))))
        .startsWith("custom-call: got never, want one of [");
    assertThat(refusal(() -> register("TopK", (call, in) -> in.get(0))))
        .isEqualTo("custom-call: got TopK, a name of XLA's, want another");
  }

  @Test
  void callsOfThePluginFromAFunctionAreRefused() {
    PjrtClient client = CpuPlugin.client();
    register("calls", (call, in) -> client.buffer(in.get(0)).toLiteral());
    assertThat(refusal(() -> run(call("calls"), X)).lines().findFirst().orElse(""))
        .isEqualTo(
            "PJRT_LoadedExecutable_Execute: INVALID_ARGUMENT: custom-call: calls:"
                + " PJRT_Client_BufferFromHostBuffer: called by a function that the plugin had"
                + " called, which would wait for itself");
  }

  @Test
  void whatAFunctionClosesIsFreedByTheNextCall() {
    try (PjrtClient client = CpuPlugin.plugin().client()) {
      PjrtBuffer buffer = client.buffer(X);
      register(
          "closes",
          (call, in) -> {
            buffer.close();
            return in.get(0);
          });
      try (PjrtExecutable executable = client.compile(call("closes"))) {
        assertThat(executable.run(X)).containsExactly(X);
        assertThat(client.liveHandles()).isEqualTo(1); // the executable
      }
      assertThat(refusal(buffer::toLiteral)).isEqualTo("pjrt: buffer f32[3] is closed");
    }
  }

  @Test
  void clientsOfAPluginShareFunctions() {
    register("shared", (call, in) -> Literal.of(new float[] {7, 8, 9}));
    Literal want = Literal.of(new float[] {7, 8, 9});
    assertThat(run(call("shared"), X)).isEqualTo(want);
    try (PjrtClient other = CpuPlugin.plugin().client()) {
      assertThat(other.compile(call("shared")).run(X)).containsExactly(want);
    }
  }

  @Test
  void aSerializedProgramHasItsCalls() {
    register(
        "serialized",
        (call, in) ->
            Literal.of(new float[] {call.attributes().toString().contains("k = 5") ? 5 : 0, 0, 0}));
    HloModule module = call("serialized\", backend_config=\"k = 5");
    try (PjrtExecutable executable = CpuPlugin.client().compile(module);
        PjrtExecutable again = CpuPlugin.client().load(executable.serialize())) {
      assertThat(again.run(X)).containsExactly(Literal.of(new float[] {5, 0, 0}));
    }
  }

  @Test
  void eightThreads() throws Exception {
    register(
        "threads",
        (call, in) -> {
          float x = in.get(0).toFloats()[0];
          return Literal.of(new float[] {x, x + 1, x + 2});
        });
    try (PjrtExecutable executable = CpuPlugin.client().compile(call("threads"));
        ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Callable<Boolean>> work = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        float first = i;
        work.add(() -> {
          Literal want = Literal.of(new float[] {first, first + 1, first + 2});
          return IntStream.range(0, 100)
              .allMatch(
                  k -> executable.run(Literal.of(new float[] {first, 0, 0})).equals(List.of(want)));
        });
      }
      for (Future<Boolean> done : threads.invokeAll(work)) {
        assertThat(done.get()).isTrue();
      }
    }
  }

  /** The calls of LAPACK, which the plugin lacks, are answered by the compiled evaluator. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "potrf; uplo = 76 : ui8; (A, s32[B])",
        "getrf; ; (A, s32[B,3], s32[B])",
        "geqrf; ; (A, T[B,3])",
        "syevd; mode = 86 : ui8, uplo = 76 : ui8; (A, R[B,3], s32[B])",
        "sytrd; uplo = 76 : ui8; (A, R[B,3], R[B,2], T[B,2], s32[B])",
        "gesdd; mode = 65 : ui8; (A, R[B,3], A, A, s32[B])",
        "gehrd; high = 3 : i32, low = 1 : i32; (A, T[B,2], s32[B])",
      })
  void lapack(String row) {
    String[] cells = row.split("; ");
    for (String type : List.of("s f32 f32", "d f64 f64", "c c64 f32", "z c128 f64")) {
      for (String batch : List.of("", "2", "0", "2,1")) {
        HloModule module = Parser.parse(lapack(cells, type.split(" "), batch));
        Literal a = symmetric((Shape.Array) module.entry().parameters().get(0).shape());
        Literal want = Interpreter.compiled().run(module, a);
        assertWithMessage("%s", module).that(run(module, a)).isEqualTo(want);
      }
    }
  }

  private static String lapack(String[] cells, String[] types, String batch) {
    String letter = types[0];
    boolean isComplex = letter.equals("c") || letter.equals("z");
    String routine = isComplex ? cells[0].replace("sy", "he") : cells[0];
    int rank = batch.isEmpty() ? 2 : 2 + batch.split(",").length;
    String order =
        (rank - 2) + "," + (rank - 1) + (rank > 2 ? "," + (rank == 3 ? "0" : "1,0") : "");
    return ("ENTRY e { a = A parameter(0) ROOT r = "
            + cells[2]
            + " custom-call(a), operand_layout_constraints={A},"
            + " api_version=API_VERSION_TYPED_FFI, custom_call_target=\"lapack_"
            + letter
            + routine
            + "_ffi\", backend_config={"
            + cells[1]
            + "} }")
        .replaceAll("\\bA\\b", "T[B,3,3]{" + order + "}")
        .replaceAll("\\bT\\[", types[1] + "[")
        .replaceAll("\\bR\\[", types[2] + "[")
        .replaceAll("\\[B,?", batch.isEmpty() ? "[" : "[" + batch + ",")
        .replace(",]", "]");
  }

  private static Literal symmetric(Shape.Array shape) {
    double[] numbers = {4, 1, 2, 1, 5, 3, 2, 3, 9, 1, 2, 3, 2, 1, 2, 3, 2, 1};
    double[] own = Arrays.copyOf(numbers, (int) shape.elementCount());
    return Literal.of(Shape.of(ElementType.F64, shape.sizes()), own)
        .convertElementType(shape.elementType());
  }
}
