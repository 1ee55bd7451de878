package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@link Executable#bind} does once: work on bound arguments and constants alone. */
final class BindTest {
  private static final String PARAMETERS =
      """
      HloModule m

      add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
      twice { u = f32[3] parameter(0) ROOT t = f32[3] add(u, u) }
      started { u = f32[3] parameter(0) ROOT t = f32[3] add(u, u) }
      later {
        u = f32[3] parameter(0)
        a = ((f32[3]), f32[3], u32[]) async-start(u), calls=started
        ROOT d = f32[3] async-done(a)
      }
      after { a = f32[] parameter(0) b = f32[] parameter(1) n = f32[] negate(a) ROOT s = f32[] add(a, b), control-predecessors={n} }

      ENTRY e {
        w = f32[3] parameter(0)
        x = f32[3] parameter(1)
        v = f32[3,3] parameter(2)
      """;

  private static HloModule module(String body) {
    return Parser.parse(PARAMETERS + body.replace(";", "\n") + "\n}\n");
  }

  private static Literal literal(Shape shape, long seed) {
    return KernelTester.Values.EIGHTHS.literal((Shape.Array) shape, new Random(seed));
  }

  /** With w and v bound. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a function of weights | r = f32[3] sqrt(w); ROOT s = f32[3] multiply(r, x)
          of constants, too | c = f32[3] constant({1, 2, 3}); r = f32[3] add(w, c); ROOT s = f32[3] multiply(r, x)
          one result twice | r = f32[3] exponential(w); a = f32[3] add(r, x); ROOT s = f32[3] multiply(r, a)
          the whole program | ROOT r = f32[3] negate(w)
          a transposed matrix | t = f32[3,3] transpose(v), dimensions={1,0}; r = f32[3,3] exponential(t); ROOT s = f32[3] dot(r, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          a sum of weights | z = f32[] constant(0); r = f32[3] reduce(v, z), dimensions={0}, to_apply=add; ROOT s = f32[3] add(r, x)
          the name of the results | results = f32[3] sqrt(w); r = f32[3] negate(results); s = f32[3] sqrt(r); ROOT t = f32[3] add(s, x)
          a called function is inlined | r = f32[3] call(w), to_apply=twice; ROOT s = f32[3] add(r, x)
          an asynchronous one, twice | r = f32[3] sqrt(w); c = f32[3] call(r), to_apply=later; d = f32[3] call(c), to_apply=later; ROOT s = f32[3] add(d, x)
          a predecessor in a combiner | i = s32[1] constant({1}); u = f32[] constant(5); r = f32[3] scatter(w, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=after; ROOT s = f32[3] add(r, x)
          """)
  void isComputedOnce(String name, String body) {
    HloModule module = module(body);
    Executable program = Interpreter.compiled().compile(module);
    List<Shape> shapes = program.signature().parameters();
    Map<String, Literal> bound = new HashMap<>();
    bound.put("w", literal(shapes.get(0), 1));
    bound.put("v", literal(shapes.get(2), 2));
    Literal x = literal(shapes.get(1), 3);
    Executable once = program.bind(bound);
    assertThat(once.run(x)).isEqualTo(program.run(bound.get("w"), x, bound.get("v")));
    assertThat(once.run(x)).isEqualTo(once.run(x));
    assertThat(once.explain()).contains("once: ");
    assertThat(once.explain()).doesNotContain("exponential");
    assertThat(once.module()).isSameInstanceAs(module);
    assertThat(once.parameterNames()).containsExactly("x");
  }

  /** What the rest computes by itself: broadcasts, values larger than what they are made of. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nothing to do | ROOT s = f32[3] multiply(w, x)
          a broadcast | b = f32[3,3] broadcast(w), dimensions={0}; c = f32[3,3] broadcast(x), dimensions={1}; ROOT s = f32[3,3] multiply(b, c)
          a large outer product | b = f32[3,900,900] broadcast(w), dimensions={0}; i = f32[3,900,900] iota(), iota_dimension=1; m = f32[3,900,900] multiply(b, i); c = f32[3,900,900] broadcast(x), dimensions={0}; ROOT s = f32[3,900,900] add(m, c)
          random numbers | z = f32[] constant(0); o = f32[] constant(1); g = f32[3] rng(z, o), distribution=rng_uniform; p = f32[3] multiply(g, w); q = f32[3] subtract(p, p); ROOT s = f32[3] add(q, x)
          bits of NaNs matter | r = f32[3] sqrt(w); b = s32[3] bitcast-convert(r); c = f32[3] convert(b); ROOT s = f32[3] multiply(c, x)
          """)
  void isNotComputedOnce(String name, String body) {
    Executable program = Interpreter.compiled().compile(module(body));
    List<Shape> shapes = program.signature().parameters();
    Literal w = literal(shapes.get(0), 1);
    Literal x = literal(shapes.get(1), 3);
    Literal v = literal(shapes.get(2), 2);
    Executable bound = program.bind(Map.of("w", w, "v", v));
    assertThat(bound.run(x)).isEqualTo(program.run(w, x, v));
    assertThat(bound.explain()).doesNotContain("once: ");
  }

  /** A custom call names a mesh of the module. */
  @Test
  void meshesStayKnown() {
    String text =
        """
        HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=1]>}}
        ENTRY e {
          w = f32[4] parameter(0)
          x = f32[4] parameter(1)
          r = f32[4] sqrt(w)
          s = f32[4] add(r, x)
          ROOT t = f32[4] custom-call(s), custom_call_target="xla.sdy.GlobalToLocalShape",
            frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\\"x\\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\\"x\\"}>"}
        }
        """;
    Executable program = Interpreter.compiled().compile(Parser.parse(text));
    Literal w = Literal.of(new float[] {1, 4, 9, 16});
    Literal x = Literal.of(new float[] {1, 1, 1, 1});
    assertThat(program.bind(Map.of("w", w)).run(x)).isEqualTo(program.run(w, x));
  }

  @Test
  void argumentsBoundOneAfterTheOther() {
    Executable program =
        Interpreter.compiled()
            .compile(
                module(
                    "r = f32[3] sqrt(w); s = f32[3] multiply(r, x); ROOT t = f32[3] dot(v, s),"
                        + " lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
    List<Shape> shapes = program.signature().parameters();
    Literal w = literal(shapes.get(0), 1);
    Literal x = literal(shapes.get(1), 3);
    Literal v = literal(shapes.get(2), 2);
    Literal want = program.run(w, x, v);
    Executable all = program.bind(Map.of("w", w)).bind(Map.of("v", v)).bind(Map.of("x", x));
    assertThat(all.run()).isEqualTo(want);
    assertThat(program.bind(Map.of("x", x)).run(w, v)).isEqualTo(want);
  }

  /**
   * Layouts are chosen for the whole program, once: not again for what is left of it, where other
   * orders of sums would pay off. What that makes of the bound kernels is computed once.
   */
  @ParameterizedTest
  @CsvSource({"k1 k2", "k1 k2 b1 b2", "x b1", "k1"})
  void layoutsStay(String names) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            max { p = f32[] parameter(0) q = f32[] parameter(1) ROOT z = f32[] maximum(p, q) }
            ENTRY e {
              x = f32[1,8,10,10] parameter(0)
              k1 = f32[4,8,3,3] parameter(1)
              k2 = f32[4,4,3,3] parameter(2)
              b1 = f32[1,8,10,10] parameter(3)
              b2 = f32[1,4,12,12] parameter(4)
              c1 = f32[1,4,8,8] convolution(x, k1), window={size=3x3}, dim_labels=bf01_oi01->bf01
              c2 = f32[1,4,6,6] convolution(c1, k2), window={size=3x3}, dim_labels=bf01_oi01->bf01
              lo = f32[] constant(-inf)
              r = f32[4] reduce(c2, lo), dimensions={0,2,3}, to_apply=max
              g1 = f32[1,4,8,8] convolution(b1, k1), window={size=3x3}, dim_labels=bf01_oi01->bf01
              g2 = f32[1,4,10,10] convolution(b2, k2), window={size=3x3}, dim_labels=bf01_oi01->bf01
              ROOT t = (f32[4], f32[1,4,8,8], f32[1,4,10,10]) tuple(r, g1, g2)
            }
            """);
    Executable program = Interpreter.compiled().compile(module);
    Map<String, Literal> bound = new HashMap<>();
    Map<String, Literal> others = new HashMap<>();
    for (HloInstruction parameter : module.entry().parameters()) {
      Shape.Array shape = (Shape.Array) parameter.shape();
      Literal value = KernelTester.Values.UP_TO_ONE.literal(shape, new Random(shape.hashCode()));
      (names.contains(parameter.name()) ? bound : others).put(parameter.name(), value);
    }
    Map<String, Literal> all = new HashMap<>(bound);
    all.putAll(others);
    Executable rest = program.bind(bound);
    assertThat(rest.run(others)).isEqualTo(program.run(all));
    assertThat(rest.explain()).doesNotContain("layout=");
    Executable oneByOne = program;
    for (Map.Entry<String, Literal> argument : bound.entrySet()) {
      oneByOne = oneByOne.bind(Map.of(argument.getKey(), argument.getValue()));
    }
    assertThat(oneByOne.run(others)).isEqualTo(program.run(all));
  }

  /** Kernels keep packed operands only if there is room beside the arrays of a run. */
  @Test
  void packedOperandsCountAsBytes() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              x = f32[300,256] parameter(0)
              w = f32[256,256] parameter(1)
              ROOT d = f32[300,256] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
            }
            """);
    Literal w = literal(module.entry().parameters().get(1).shape(), 1);
    long peak = 4 * (2 * 300 * 256 + 256 * 256);
    for (long room : new long[] {256 * 256 * 4, 256 * 256 * 4 - 1}) {
      EvaluatorOptions options = EvaluatorOptions.builder().maxBytes(peak + room).build();
      String plan = Interpreter.compiled(options).compile(module).bind(Map.of("w", w)).explain();
      assertThat(plan.contains("keeps 262.1 kB"))
          .isEqualTo(Machine.isVectorApiOn() && room == 256 * 256 * 4);
    }
  }
}
