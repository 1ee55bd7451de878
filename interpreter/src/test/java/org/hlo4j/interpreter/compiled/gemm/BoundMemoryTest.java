package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which bound arguments a program lets go of once its products keep them packed. The parameters of
 * the programs that are bound begin with w; the others are given in each run.
 */
final class BoundMemoryTest {
  private static final int MORE_RUNS = 3;
  private static final String DOT = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";

  /** How many arrays are held at last, of how many bytes, and how many bytes kernels keep. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a product                 | 0 arrays, 0 B        | 172.8 kB | x = f32[40,300] parameter(0); w = f32[300,144] parameter(1); ROOT d = f32[40,144] dot(x, w), DOT
          a vector, too             | 1 arrays, 576 B      | 172.8 kB | x = f32[40,300] parameter(0); w = f32[300,144] parameter(1); wb = f32[144] parameter(2); d = f32[40,144] dot(x, w), DOT; b = f32[40,144] broadcast(wb), dimensions={1}; ROOT s = f32[40,144] add(d, b)
          two products, one form    | 0 arrays, 0 B        | 172.8 kB | x = f32[40,300] parameter(0); y = f32[9,300] parameter(1); w = f32[300,144] parameter(2); d = f32[40,144] dot(x, w), DOT; e = f32[9,144] dot(y, w), DOT; ROOT t = (f32[40,144], f32[9,144]) tuple(d, e)
          two products, two forms   | 0 arrays, 0 B        | 165.9 kB | x = f32[40,144] parameter(0); w = f32[144,144] parameter(1); d = f32[40,144] dot(x, w), DOT; ROOT e = f32[40,144] dot(d, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}
          computed once             | 0 arrays, 0 B        | 172.8 kB | x = f32[40,300] parameter(0); w = f32[300,144] parameter(1); a = f32[300,144] sqrt(w); ROOT d = f32[40,144] dot(x, a), DOT
          a padded convolution      | 0 arrays, 0 B        | 13.8 kB  | x = f32[1,20,20,8] parameter(0); w = f32[3,3,8,48] parameter(1); ROOT c = f32[1,20,20,48] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          a part of a kernel        | 1 arrays, 13.8 kB    | 6144 B   | x = f32[1,20,20,8] parameter(0); w = f32[3,3,8,48] parameter(1); ROOT c = f32[1,21,21,48] convolution(x, w), window={size=3x3 stride=2x2 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f
          a result                  | 1 arrays, 172.8 kB   | 172.8 kB | x = f32[40,300] parameter(0); w = f32[300,144] parameter(1); d = f32[40,144] dot(x, w), DOT; ROOT t = (f32[40,144], f32[300,144]) tuple(d, w)
          another kernel            | 1 arrays, 172.8 kB   | 172.8 kB | x = f32[40,300] parameter(0); w = f32[300,144] parameter(1); y = f32[300,144] parameter(2); d = f32[40,144] dot(x, w), DOT; a = f32[300,144] multiply(w, y); ROOT t = (f32[40,144], f32[300,144]) tuple(d, a)
          an epilogue               | 1 arrays, 82.9 kB    | 82.9 kB  | x = f32[144,144] parameter(0); w = f32[144,144] parameter(1); d = f32[144,144] dot(x, w), DOT; ROOT s = f32[144,144] add(d, w)
          a left side, too          | 1 arrays, 82.9 kB    | 82.9 kB  | x = f32[144,144] parameter(0); w = f32[144,144] parameter(1); d = f32[144,144] dot(x, w), DOT; e = f32[144,144] dot(w, x), DOT; ROOT t = (f32[144,144], f32[144,144]) tuple(d, e)
          a narrow type             | 1 arrays, 86.4 kB    | 172.8 kB | x = bf16[40,300] parameter(0); w = bf16[300,144] parameter(1); ROOT d = bf16[40,144] dot(x, w), DOT
          a branch                  | 1 arrays, 172.8 kB   | 0 B      | p = pred[] parameter(0); x = f32[40,300] parameter(1); w = f32[300,144] parameter(2); t = (f32[40,300], f32[300,144]) tuple(x, w); ROOT c = f32[40,144] conditional(p, t, t), true_computation=multiplied, false_computation=sliced
          few columns               | 1 arrays, 36 B       | 0 B      | x = f32[3,3] parameter(0); w = f32[3,3] parameter(1); ROOT d = f32[3,3] dot(x, w), DOT
          """)
  void whatIsHeldAtLast(String name, String held, String kept, String body) {
    assumeTrue(Machine.isVectorApiOn(), "only tiles read packed operands");
    Model model = new Model(body, 1);
    Literal want = model.program.run(model.arguments);
    Executable bound = model.program.bind(model.weights);
    warm(bound, model.inputs);
    assertThat(bound.run(model.inputs)).isEqualTo(want);
    assertThat(bound.explain()).contains("held: %s; kept by kernels: %s\n".formatted(held, kept));
  }

  private static void warm(Executable bound, Literal[] inputs) {
    bound.run(inputs);
    MicroKernels.await();
    for (int i = 0; i < MORE_RUNS; i++) {
      bound.run(inputs);
    }
  }

  /** Constants are kept like bound arguments; the module holds them anyway. */
  @Test
  void constantsArePackedOnce() {
    assumeTrue(Machine.isVectorApiOn(), "only tiles read packed operands");
    Model model =
        new Model(
            "x = f32[40,300] parameter(0); w = f32[300,144] parameter(1);"
                + " ROOT d = f32[40,144] dot(x, w), DOT",
            1);
    String text =
        model.text.replace("parameter(1)", "constant(" + model.weight().toHloText() + ")");
    Executable program = Interpreter.compiled().compile(Parser.parse(text));
    assertThat(program.explain()).contains(", right constant, ");
    assertThat(program.explain()).contains(", keeps 172.8 kB");
    warm(program, model.inputs);
    assertThat(program.run(model.inputs)).isEqualTo(model.program.run(model.arguments));
  }

  private static final String PRODUCT =
      "x = f32[40,300] parameter(0); w = f32[300,144] parameter(1); y = f32[300,144] parameter(2);"
          + " d = f32[40,144] dot(x, w), DOT; e = f32[40,144] dot(x, y), DOT;"
          + " ROOT s = f32[40,144] subtract(d, e)";

  /** The literal that was bound is garbage once nobody but the program had it. */
  @Test
  void whatIsLetGoIsGarbage() throws InterruptedException {
    assumeTrue(Machine.isVectorApiOn(), "only tiles read packed operands");
    Model model = new Model(PRODUCT, 1);
    Map<String, Literal> weights = new HashMap<>();
    weights.put("w", model.weight().convertElementType(F64).convertElementType(F32));
    WeakReference<Object> storage = new WeakReference<>(weights.get("w").unsafeStorage());
    Executable bound = model.program.bind(weights);
    weights.clear();
    warm(bound, model.inputs);
    for (int i = 0; i < 100 && storage.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(storage.get()).isNull();
  }

  /** What is bound later may need what was let go. */
  @Test
  void whatWasLetGoIsThereAgainIfItIsNeeded() {
    assumeTrue(Machine.isVectorApiOn(), "only tiles read packed operands");
    Model model = new Model(PRODUCT, 1);
    Literal want = model.program.run(model.arguments);
    Executable bound = model.program.bind(model.weights);
    warm(bound, model.inputs);
    assertThat(bound.explain()).contains("held: 0 arrays");
    Executable all = bound.bind(Map.of("x", model.inputs[0], "y", model.inputs[1]));
    assertThat(all.run()).isEqualTo(want);
    Executable more = bound.bind(Map.of("y", model.inputs[1]));
    warm(more, new Literal[] {model.inputs[0]});
    assertThat(more.run(model.inputs[0])).isEqualTo(want);
    assertThat(more.explain()).contains("held: 0 arrays, 0 B; kept by kernels: 345.6 kB");
    assertThat(CompletableFuture.supplyAsync(() -> bound.run(model.inputs)).join()).isEqualTo(want);
    assertThat(bound.profile(2, model.inputs).steps()).hasSize(2);
    Literal result = bound.newResult();
    bound.unsafeRunInto(result, model.inputs);
    assertThat(result).isEqualTo(want);
  }

  /** The same literal under two names is packed once, and held as long as either is read. */
  @Test
  void oneLiteralUnderTwoNames() {
    assumeTrue(Machine.isVectorApiOn(), "only tiles read packed operands");
    Model model = new Model(PRODUCT, 1);
    Executable bound = model.program.bind(Map.of("w", model.weight(), "y", model.weight()));
    warm(bound, new Literal[] {model.inputs[0]});
    assertThat(bound.explain()).contains("held: 0 arrays, 0 B; kept by kernels: 172.8 kB");
    assertThat(bound.run(model.inputs[0])).isEqualTo(Literal.zeros(Shape.of(F32, 40, 144)));
  }

  /** Sums of padding and what is not finite are computed again, from the packed kernel. */
  @Test
  void aKernelThatIsNotFinite() {
    assumeTrue(Machine.isVectorApiOn(), "only tiles read packed operands");
    Model model =
        new Model(
            "x = f32[1,20,20,8] parameter(0); w = f32[3,3,8,48] parameter(1);"
                + " ROOT c = f32[1,20,20,48] convolution(x, w), window={size=3x3 pad=1_1x1_1},"
                + " dim_labels=b01f_01io->b01f",
            1);
    LiteralBuilder builder = new LiteralBuilder((Shape.Array) model.weight().shape());
    for (int i = 0; i < model.weight().elementCount(); i++) {
      builder.setDouble(i, i % 97 == 0 ? Double.POSITIVE_INFINITY : (i % 7) / 8.0);
    }
    Literal weight = builder.build();
    Literal want = model.program.run(model.inputs[0], weight);
    Executable bound = model.program.bind(Map.of("w", weight));
    warm(bound, model.inputs);
    assertThat(bound.explain()).contains("held: 0 arrays");
    assertThat(bound.run(model.inputs)).isEqualTo(want);
  }

  /** A listener is told the arguments. */
  @Test
  void whatAListenerSees() {
    Model model = new Model(PRODUCT, 1);
    Map<String, Literal> seen = new HashMap<>();
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .valueListener((device, instruction, value) -> seen.put(instruction.name(), value))
            .build();
    Executable bound =
        Interpreter.compiled(options).compile(Parser.parse(model.text)).bind(model.weights);
    warm(bound, model.inputs);
    assertThat(seen.get("w")).isEqualTo(model.weight());
  }

  private static final class Model {
    final String text;
    final Executable program;
    final Literal[] arguments;
    final Literal[] inputs;
    final Map<String, Literal> weights = new HashMap<>();

    Model(String body, long seed) {
      text =
          """
          HloModule m

          multiplied {
            t0 = (f32[40,300], f32[300,144]) parameter(0)
            x0 = f32[40,300] get-tuple-element(t0), index=0
            w0 = f32[300,144] get-tuple-element(t0), index=1
            ROOT d0 = f32[40,144] dot(x0, w0), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          }

          sliced {
            t1 = (f32[40,300], f32[300,144]) parameter(0)
            x1 = f32[40,300] get-tuple-element(t1), index=0
            ROOT s1 = f32[40,144] slice(x1), slice={[0:40], [0:144]}
          }

          ENTRY e {
          """
              + body.replace("; ", "\n").replace("DOT", DOT)
              + "\n}\n";
      program = Interpreter.compiled().compile(Parser.parse(text));
      Random random = new Random(seed);
      List<Literal> given = new ArrayList<>();
      List<Literal> all = new ArrayList<>();
      for (int i = 0; i < program.parameterNames().size(); i++) {
        Shape.Array shape = (Shape.Array) program.signature().parameters().get(i);
        Literal value = KernelTester.Values.UP_TO_ONE.literal(shape, random);
        all.add(value);
        if (program.parameterNames().get(i).startsWith("w")) {
          weights.put(program.parameterNames().get(i), value);
        } else {
          given.add(value);
        }
      }
      arguments = all.toArray(new Literal[0]);
      inputs = given.toArray(new Literal[0]);
    }

    Literal weight() {
      return Objects.requireNonNull(weights.get("w"));
    }
  }
}
