package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import java.util.Random;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LayoutAssignmentTest {
  private static final String COMPUTATIONS =
      """
      add {
        p = f32[] parameter(0)
        q = f32[] parameter(1)
        ROOT o = f32[] add(p, q)
      }

      most {
        p = f32[] parameter(0)
        q = f32[] parameter(1)
        ROOT o = f32[] maximum(p, q)
      }

      ge {
        p = f32[] parameter(0)
        q = f32[] parameter(1)
        ROOT o = pred[] compare(p, q), direction=GE
      }
      """;

  /** Two convolutions; what stands between them and after them reads {@code v}. */
  private static final String TWO =
      """
      x = f32[2,3,8,8] parameter(0)
      k = f32[4,3,3,3] parameter(1)
      l = f32[4,4,3,3] parameter(2)
      c = f32[4] parameter(3)
      z = f32[] constant(0)
      u = f32[2,4,8,8] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01
      v = f32[2,4,8,8] convolution(u, l), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01
      """;

  @Test
  void convolutions() {
    assertThat(entry(TWO + "ROOT r = f32[2,4,8,8] negate(v)"))
        .isEqualTo(
            lines(
                """
                x = f32[2,3,8,8] parameter(0)
                k = f32[4,3,3,3] parameter(1)
                l = f32[4,4,3,3] parameter(2)
                c = f32[4] parameter(3)
                transpose = f32[2,8,8,3] transpose(x), dimensions={0,2,3,1}
                transpose.1 = f32[3,3,3,4] transpose(k), dimensions={2,3,1,0}
                u = f32[2,8,8,4] convolution(transpose, transpose.1), \
                window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
                transpose.2 = f32[3,3,4,4] transpose(l), dimensions={2,3,1,0}
                v = f32[2,8,8,4] convolution(u, transpose.2), \
                window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
                r = f32[2,8,8,4] negate(v)
                ROOT transpose.3 = f32[2,4,8,8] transpose(r), dimensions={0,3,1,2}
                """));
  }

  /** The order of dimensions that each op between images gets. */
  @Test
  void betweenImages() {
    assertThat(after("b = f32[2,4,8,8] broadcast(c), dimensions={1}", "s = f32[2,4,8,8] add(v, b)"))
        .containsMatch("broadcast.* = f32\\[2,8,8,4\\] broadcast\\(c\\), dimensions=\\{3\\}");
    assertThat(after("s = f32[2,4,8,8] clamp(z, v, z)"))
        .contains("s = f32[2,8,8,4] clamp(z, v, z)");
    assertThat(after("s = f32[2,4,8,8] reverse(v), dimensions={1,2}"))
        .contains("s = f32[2,8,8,4] reverse(v), dimensions={3,1}");
    assertThat(after("s = f32[2,5,8,9] pad(v, z), padding=0_0x1_0x0_0x0_1"))
        .contains("s = f32[2,8,9,5] pad(v, z), padding=0_0x0_0x0_1x1_0");
    assertThat(after("s = f32[2,2,8,4] slice(v), slice={[0:2], [1:3], [0:8], [0:8:2]}"))
        .contains("s = f32[2,8,4,2] slice(v), slice={[0:2:1], [0:8:1], [0:8:2], [1:3:1]}");
    assertThat(after("s = f32[2,8,8,8] concatenate(u, v), dimensions={1}"))
        .contains("s = f32[2,8,8,8] concatenate(u, v), dimensions={3}");
    assertThat(
            after(
                "s = f32[2,4,4,4] reduce-window(v, z), window={size=1x1x2x2 stride=1x1x2x2},"
                    + " to_apply=most"))
        .contains(
            "s = f32[2,4,4,4] reduce-window(v, z), window={size=1x2x2x1 stride=1x2x2x1},"
                + " to_apply=most");
    assertThat(
            after(
                "w = f32[2,4,4,4] reduce-window(v, z), window={size=1x1x2x2 stride=1x1x2x2},"
                    + " to_apply=most",
                "s = f32[2,4,8,8] select-and-scatter(v, w, z), window={size=1x1x2x2"
                    + " stride=1x1x2x2}, select=ge, scatter=add"))
        .contains(
            "s = f32[2,8,8,4] select-and-scatter(v, w, z), window={size=1x2x2x1 stride=1x2x2x1},"
                + " select=ge, scatter=add");
  }

  /** The mean of each image has no dimension out of order, so that nothing is transposed. */
  @Test
  void reductions() {
    assertThat(entry(TWO + "ROOT s = f32[2,4] reduce(v, z), dimensions={2,3}, to_apply=add"))
        .contains("ROOT s = f32[2,4] reduce(v, z), dimensions={1,2}, to_apply=add");
    assertThat(entry(TWO + "ROOT s = f32[4,8] reduce(v, z), dimensions={0,2}, to_apply=add"))
        .contains(
            lines(
                """
                s = f32[8,4] reduce(v, z), dimensions={0,1}, to_apply=add
                ROOT transpose.3 = f32[4,8] transpose(s), dimensions={1,0}
                """));
  }

  /** A sum over features and space would change its order. */
  @Test
  void sumsKeepTheirOrder() {
    assertThat(entry(TWO + "ROOT s = f32[2] reduce(v, z), dimensions={1,2,3}, to_apply=add"))
        .contains("ROOT s = f32[2] reduce(transpose.3, z), dimensions={1,2,3}, to_apply=add");
  }

  /** So would windows over features and space, and ties would go to other elements. */
  @Test
  void windowsKeepTheirOrder() {
    String window = "window={size=1x2x2x1}";
    assertThat(
            entry(TWO + "ROOT s = f32[2,3,7,8] reduce-window(v, z), " + window + ", to_apply=add"))
        .contains("reduce-window(transpose.3, z), " + window);
    assertThat(
            entry(
                TWO
                    + """
                    g = f32[2,4,8,8] sign(v)
                    i = f32[2,3,7,8] slice(u), slice={[0:2], [0:3], [0:7], [0:8]}
                    ROOT s = f32[2,4,8,8] select-and-scatter(g, i, z), window={size=1x2x2x1}, \
                    select=ge, scatter=add
                    """))
        .contains("select-and-scatter(g, i, z), " + window);
  }

  /** The gradient of a kernel reads both images as they are stored. */
  @Test
  void gradientOfKernel() {
    assertThat(
            entry(
                TWO
                    + """
                    ROOT g = f32[3,3,4,4] convolution(u, v), window={size=8x8 pad=1_1x1_1}, \
                    dim_labels=fb01_io01->01bf
                    """))
        .contains(
            "ROOT g = f32[3,3,4,4] convolution(u, v), window={size=8x8 pad=1_1x1_1},"
                + " dim_labels=f01b_i01o->01bf");
  }

  /** An image that several ops read as it was is transposed once. */
  @Test
  void transposesOnce() {
    String text =
        entry(
            TWO
                + """
                d = f32[2,256] reshape(v)
                e = f32[512] reshape(v)
                ROOT t = (f32[2,256], f32[512]) tuple(d, e)
                """);
    assertThat(text.split("transpose\\(v\\)")).hasLength(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // One convolution would need two transposes.
        """
        x = f32[2,3,8,8] parameter(0)
        k = f32[4,3,3,3] parameter(1)
        ROOT u = f32[2,4,6,6] convolution(x, k), window={size=3x3}, dim_labels=bf01_oi01->bf01
        """,
        // Features are last.
        """
        x = f32[2,8,8,3] parameter(0)
        k = f32[3,3,3,3] parameter(1)
        u = f32[2,6,6,3] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f
        ROOT v = f32[2,4,4,3] convolution(u, k), window={size=3x3}, dim_labels=b01f_01io->b01f
        """,
        // Nothing can read the result of the first convolution as it would be stored.
        """
        x = f32[2,4,8,8] parameter(0)
        k = f32[4,4,3,3] parameter(1)
        u = f32[2,4,8,8] convolution(x, k), window={size=3x3 pad=1_1x1_1}, \
        dim_labels=bf01_oi01->bf01
        f = f32[512] reshape(u)
        s = f32[512] sort(f), dimensions={0}, to_apply=lt
        y = f32[2,4,8,8] reshape(s)
        ROOT v = f32[2,4,8,8] convolution(y, k), window={size=3x3 pad=1_1x1_1}, \
        dim_labels=bf01_oi01->bf01
        """,
        // There is no space.
        """
        x = f32[2,3] parameter(0)
        k = f32[3,3] parameter(1)
        u = f32[2,3] convolution(x, k), dim_labels=bf_oi->bf
        ROOT v = f32[2,3] convolution(u, k), dim_labels=bf_oi->bf
        """
      })
  void unchanged(String body) {
    String computations =
        """
        lt {
          a = f32[] parameter(0)
          b = f32[] parameter(1)
          ROOT r = pred[] compare(a, b), direction=LT
        }
        """;
    assertThat(Rewrites.entry(new LayoutAssignment(), computations, body)).isEqualTo(lines(body));
  }

  /** Returns the module after the pass; a sum of {@code s}, in its own order, is the result. */
  private static String after(String... between) {
    String line = String.join("\n", between) + "\n";
    String rest = "ROOT r = f32[] reduce(s, z), dimensions={0,1,2,3}, to_apply=add\n";
    return entry(TWO + line + rest);
  }

  private static String entry(String body) {
    HloModule module = Rewrites.module(COMPUTATIONS, body);
    Random random = new Random(1);
    Literal[] arguments =
        module.entry().parameters().stream()
            .map(each -> numbers(((Parameter) each.op()).shape(), random))
            .toArray(Literal[]::new);
    HloModule after = new LayoutAssignment().run(module, new Session(module));
    SameBitsTest.assertSameBits(
        body,
        Interpreter.reference().run(module, arguments),
        Interpreter.reference().run(after, arguments));
    return Rewrites.entry(new LayoutAssignment(), COMPUTATIONS, body);
  }

  private static Literal numbers(Shape shape, Random random) {
    Shape.Array array = (Shape.Array) shape;
    float[] values = new float[(int) array.elementCount()];
    IntStream.range(0, values.length).forEach(i -> values[i] = (float) random.nextGaussian());
    return Literal.of(Shape.of(ElementType.F32, array.sizes().toArray()), values);
  }
}
