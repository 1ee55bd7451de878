package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import java.util.Collections;
import java.util.stream.Stream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Fusion;
import org.junit.jupiter.api.Test;

/** Which instructions are fused, and which are not. */
final class FusingTest {
  private static final String REDUCTIONS =
      """
      add {
        p = f32[] parameter(0)
        q = f32[] parameter(1)
        ROOT s = f32[] add(p, q)
      }

      most {
        m = f32[] parameter(0)
        n = f32[] parameter(1)
        ROOT t = f32[] maximum(m, n)
      }

      """;

  private static String text(String body) {
    return Rewrites.text(new Fusing(ExpectedGenerators.all()), "", body);
  }

  private static String entry(String body) {
    return Rewrites.entry(new Fusing(ExpectedGenerators.all()), REDUCTIONS, body);
  }

  @Test
  void elementwiseChainIsOneLoop() {
    assertThat(
            text(
                """
                x = f32[8] parameter(0)
                y = f32[8] parameter(1)
                two = f32[] constant(2)
                twos = f32[8] broadcast(two), dimensions={}
                a = f32[8] multiply(x, twos)
                b = f32[8] exponential(a)
                ROOT c = f32[8] add(b, y), metadata={op_name="sum"}
                """))
        .isEqualTo(
            """
            fused_computation {
              two.1 = f32[] constant(2)
              param_0 = f32[8] parameter(0)
              param_1 = f32[8] parameter(1)
              twos = f32[8] broadcast(two.1), dimensions={}
              a = f32[8] multiply(param_0, twos)
              b = f32[8] exponential(a)
              ROOT c = f32[8] add(b, param_1)
            }

            ENTRY entry {
              x = f32[8] parameter(0)
              y = f32[8] parameter(1)
              ROOT add_fusion = f32[8] fusion(x, y), kind=kLoop, calls=fused_computation
            }
            """);
  }

  @Test
  void expensiveOpIsFusedWithAllItsUsers() {
    assertThat(
            text(
                """
                x = f32[8] parameter(0)
                a = f32[8] exponential(x)
                b = f32[8] negate(a)
                c = f32[8] sqrt(a)
                ROOT r = (f32[8], f32[8]) tuple(b, c)
                """))
        .isEqualTo(
            """
            fused_computation {
              param_0 = f32[8] parameter(0)
              a = f32[8] exponential(param_0)
              b = f32[8] negate(a)
              c = f32[8] sqrt(a)
              ROOT tuple = (f32[8], f32[8]) tuple(b, c)
            }

            ENTRY entry {
              x = f32[8] parameter(0)
              sqrt_fusion = (f32[8], f32[8]) fusion(x), kind=kLoop, calls=fused_computation
              get-tuple-element = f32[8] get-tuple-element(sqrt_fusion), index=0
              get-tuple-element.1 = f32[8] get-tuple-element(sqrt_fusion), index=1
              ROOT r = (f32[8], f32[8]) tuple(get-tuple-element, get-tuple-element.1)
            }
            """);
  }

  @Test
  void broadcastScalarIsDuplicatedIntoAllUsers() {
    StringBuilder body =
        new StringBuilder(
            """
            r0 = f32[8] parameter(0)
            s = f32[] parameter(1)
            b = f32[8] broadcast(s), dimensions={}
            """);
    StringBuilder wanted =
        new StringBuilder("r0 = f32[8] parameter(0)\ns.1 = f32[] parameter(1)\n");
    for (int i = 1; i <= 9; i++) {
      body.append("m%d = f32[8] multiply(r%d, b)\n".formatted(i, i - 1));
      String call = "r%d = f32[8] custom-call(m%d), custom_call_target=\"f\"\n".formatted(i, i);
      body.append(i == 9 ? "ROOT " : "").append(call);
      String number = i == 1 ? "" : "." + (i - 1);
      wanted.append(
          "multiply_fusion%s = f32[8] fusion(s.1, r%d), kind=kLoop, calls=fused_computation%s\n"
              .formatted(number, i - 1, number));
      wanted.append(i == 9 ? "ROOT " : "");
      wanted.append(call.replace("m" + i + ")", "multiply_fusion" + number + ")"));
    }
    assertThat(entry(body.toString())).isEqualTo(wanted.toString());
  }

  @Test
  void differenceFromABroadcastVectorIsRecomputed() {
    assertThat(
            entry(
                """
                x = f32[64,4] parameter(0)
                m = f32[4] parameter(1)
                zero = f32[] constant(0)
                b = f32[64,4] broadcast(m), dimensions={1}
                d = f32[64,4] subtract(x, b)
                q = f32[64,4] multiply(d, d)
                v = f32[4] reduce(q, zero), dimensions={0}, to_apply=add
                w = f32[64,4] broadcast(v), dimensions={1}
                ROOT r = f32[64,4] multiply(d, w)
                """))
        .isEqualTo(
            lines(
                """
                x = f32[64,4] parameter(0)
                m.1 = f32[4] parameter(1)
                reduce_fusion = f32[4] fusion(m.1, x), kind=kInput, calls=fused_computation
                ROOT multiply_fusion = f32[64,4] fusion(m.1, x, reduce_fusion), kind=kLoop, \
                calls=fused_computation.1
                """));
  }

  @Test
  void expensiveOpIsNotDuplicatedAcrossLoops() {
    String body =
        """
        x = f32[8] parameter(0)
        a = f32[8] exponential(x)
        b = f32[2,4] reshape(a)
        c = f32[4,2] transpose(b), dimensions={1,0}
        d = f32[3] slice(a), slice={[0:3]}
        ROOT r = (f32[4,2], f32[3]) tuple(c, d)
        """;
    assertThat(entry(body)).contains("a = f32[8] exponential(x)\n");
  }

  @Test
  void intermediateValueMayBeAResult() {
    assertThat(
            entry(
                """
                x = f32[8] parameter(0)
                k = f32[8] parameter(1)
                next = f32[8] add(x, k)
                root = f32[8] sqrt(next)
                step = f32[8] divide(x, root)
                ROOT r = (f32[8], f32[8]) tuple(next, step)
                """))
        .isEqualTo(
            lines(
                """
                x = f32[8] parameter(0)
                k = f32[8] parameter(1)
                divide_fusion = (f32[8], f32[8]) fusion(x, k), kind=kLoop, calls=fused_computation
                get-tuple-element = f32[8] get-tuple-element(divide_fusion), index=0
                get-tuple-element.1 = f32[8] get-tuple-element(divide_fusion), index=1
                ROOT r = (f32[8], f32[8]) tuple(get-tuple-element, get-tuple-element.1)
                """));
  }

  /** There are two loops over x; the second depends on the first through the custom call. */
  @Test
  void fusionsMakeNoCycles() {
    String body =
        """
        x = f32[8] parameter(0)
        a = f32[8] exponential(x)
        b = f32[8] custom-call(a), custom_call_target="mine"
        c = f32[8] add(b, x)
        ROOT r = (f32[8], f32[8]) tuple(a, c)
        """;
    assertThat(entry(body)).isEqualTo(lines(body));
  }

  @Test
  void multiOutputFusionNeedsAGenerator() {
    Generators single =
        ExpectedGenerators.withFusion(fusion -> fusion.shape() instanceof Shape.Array);
    String body =
        """
        x = f32[8] parameter(0)
        a = f32[8] exponential(x)
        b = f32[8] negate(a)
        c = f32[8] sqrt(a)
        ROOT r = (f32[8], f32[8]) tuple(b, c)
        """;
    assertThat(Rewrites.entry(new Fusing(single), body)).isEqualTo(lines(body));
  }

  @Test
  void cheapOpsAreDuplicated() {
    assertThat(
            entry(
                """
                x = bf16[8] parameter(0)
                a = f32[8] convert(x)
                z = f32[] constant(0)
                b = f32[8] exponential(a)
                c = f32[16] pad(a, z), padding=0_8
                ROOT r = (f32[8], f32[16]) tuple(b, c)
                """))
        .isEqualTo(
            lines(
                """
                x = bf16[8] parameter(0)
                exponential_fusion = f32[8] fusion(x), kind=kLoop, calls=fused_computation
                pad_fusion = f32[16] fusion(x), kind=kLoop, calls=fused_computation.1
                ROOT r = (f32[8], f32[16]) tuple(exponential_fusion, pad_fusion)
                """));
  }

  @Test
  void expensiveOpIsNotRepeatedByABroadcast() {
    String body =
        """
        x = f32[8] parameter(0)
        y = f32[8,100] parameter(1)
        a = f32[8] exponential(x)
        b = f32[8,100] broadcast(a), dimensions={0}
        ROOT c = f32[8,100] add(b, y)
        """;
    assertThat(entry(body))
        .isEqualTo(
            lines(
                """
                x = f32[8] parameter(0)
                y = f32[8,100] parameter(1)
                a = f32[8] exponential(x)
                ROOT add_fusion = f32[8,100] fusion(a, y), kind=kLoop, calls=fused_computation
                """));
  }

  @Test
  void largeTransposeIsNotFused() {
    String body =
        """
        x = f32[200,100] parameter(0)
        e = f32[200,100] exponential(x)
        turned = f32[100,200] transpose(e), dimensions={1,0}
        ROOT result = f32[100,200] negate(turned)
        """;
    assertThat(entry(body)).isEqualTo(lines(body));
  }

  private static final String DENSE =
      """
      x = f32[8,16] parameter(0)
      w = f32[16,32] parameter(1)
      b = f32[32] parameter(2)
      zero = f32[] constant(0)
      zeros = f32[8,32] broadcast(zero), dimensions={}
      d = f32[8,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      bs = f32[8,32] broadcast(b), dimensions={1}
      s = f32[8,32] add(d, bs)
      ROOT r = f32[8,32] maximum(s, zeros)
      """;

  @Test
  void dotIsFusedWithItsEpilogue() {
    assertThat(entry(DENSE))
        .isEqualTo(
            lines(
                """
                x = f32[8,16] parameter(0)
                w = f32[16,32] parameter(1)
                b = f32[32] parameter(2)
                ROOT maximum_fusion = f32[8,32] fusion(x, w, b), kind=kOutput, calls=fused_computation
                """));
  }

  /**
   * An activation that the next product reads from memory is not computed again by another user.
   */
  @Test
  void valueThatIsStoredAnywayIsNotDuplicated() {
    String residual =
        DENSE.replace("ROOT r", "r")
            + """
            v = f32[32,32] parameter(3)
            e = f32[8,32] dot(r, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
            ROOT y = f32[8,32] add(e, r)
            """;
    assertThat(entry(residual))
        .isEqualTo(
            lines(
                """
                x = f32[8,16] parameter(0)
                w = f32[16,32] parameter(1)
                b = f32[32] parameter(2)
                maximum_fusion = f32[8,32] fusion(x, w, b), kind=kOutput, calls=fused_computation
                v = f32[32,32] parameter(3)
                ROOT add_fusion = f32[8,32] fusion(maximum_fusion, v), kind=kOutput, calls=fused_computation.1
                """));
  }

  @Test
  void dotIsNotFusedWithoutAGenerator() {
    Generators simple =
        ExpectedGenerators.withFusion(fusion ->
            fusion.called().get(0).instructions().stream()
                .noneMatch(instruction -> instruction.op() instanceof Dot));
    assertThat(Rewrites.entry(new Fusing(simple), DENSE))
        .isEqualTo(
            lines(
                """
                x = f32[8,16] parameter(0)
                w = f32[16,32] parameter(1)
                b = f32[32] parameter(2)
                d = f32[8,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
                ROOT maximum_fusion.1 = f32[8,32] fusion(b, d), kind=kLoop, calls=fused_computation.1
                """));
  }

  @Test
  void nothingIsFusedWithoutGenerators() {
    Generators none = ExpectedGenerators.withFusion(fusion -> false);
    assertThat(Rewrites.entry(new Fusing(none), DENSE)).isEqualTo(lines(DENSE));
  }

  @Test
  void dynamicSizesAndComplexNumbersAreNotFused() {
    String body =
        """
        x = f32[<=8] parameter(0)
        a = f32[<=8] negate(x)
        b = f32[<=8] sqrt(a)
        z = c64[8] parameter(1)
        c = c64[8] negate(z)
        d = c64[8] sqrt(c)
        ROOT r = (f32[<=8], c64[8]) tuple(b, d)
        """;
    assertThat(entry(body)).isEqualTo(lines(body));
  }

  @Test
  void loopBodiesAreFusedSeparately() {
    String text =
        Rewrites.text(
            new Fusing(ExpectedGenerators.all()),
            """
            again {
              s = f32[8] parameter(0)
              ROOT no = pred[] constant(true)
            }

            body {
              t = f32[8] parameter(0)
              a = f32[8] sqrt(t)
              ROOT u = f32[8] add(a, t)
            }
            """,
            """
            x = f32[8] parameter(0)
            e = f32[8] exponential(x)
            w = f32[8] while(e), condition=again, body=body
            ROOT n = f32[8] negate(w)
            """);
    assertThat(text).contains("ROOT add_fusion = f32[8] fusion(t), kind=kLoop");
    assertThat(text).contains("w = f32[8] while(e), condition=again, body=body\n");
  }

  @Test
  void metadataOfTheRootIsKept() {
    var module =
        Rewrites.module(
            "",
            """
            x = f32[8] parameter(0)
            a = f32[8] sqrt(x)
            ROOT b = f32[8] add(a, x), metadata={op_name="sum"}
            """);
    var root = Pipelines.all().run(module).module().entry().root();
    assertThat(root.op()).isEqualTo(new Fusion(Fusion.Kind.LOOP));
    assertThat(root.metadata().opName()).isEqualTo("sum");
  }

  /** The last one could join either of two loops that are full then. */
  @Test
  void copiesOfAProgramAreFusedAlike() {
    String body =
        """
        x = f32[8] parameter(0)
        y = f32[8] parameter(1)
        x0 = f32[8] exponential(x)
        x1 = f32[8] sine(x)
        x2 = f32[8] cosine(x)
        x3 = f32[8] tanh(x)
        x4 = f32[8] log(x)
        x5 = f32[8] sqrt(x)
        x6 = f32[8] rsqrt(x)
        y0 = f32[8] exponential(y)
        y1 = f32[8] sine(y)
        y2 = f32[8] cosine(y)
        y3 = f32[8] tanh(y)
        y4 = f32[8] log(y)
        y5 = f32[8] sqrt(y)
        y6 = f32[8] rsqrt(y)
        z = f32[8] power(x, y)
        ROOT r = (SHAPES) tuple(NAMES)
        """
            .replace("SHAPES", String.join(", ", Collections.nCopies(15, "f32[8]")))
            .replace("NAMES", "x0, x1, x2, x3, x4, x5, x6, y0, y1, y2, y3, y4, y5, y6, z");
    assertThat(Stream.generate(() -> text(body)).limit(30).distinct().count()).isEqualTo(1);
  }
}
