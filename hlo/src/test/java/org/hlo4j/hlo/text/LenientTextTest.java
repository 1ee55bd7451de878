package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Parameter;
import org.junit.jupiter.api.Test;

/** Hand-written text that XLA's parser accepts, and how it is printed; checked against XLA. */
final class LenientTextTest {
  private static String printed(String text) {
    HloModule module = Parser.parse(text);
    Verifier.strict().verify(module);
    return Printer.print(
        module, PrintOptions.SHORT_PARSABLE.with(PrintOptions.Part.CONTROL_PREDECESSORS));
  }

  /** Returns the printed root r of a module with the parameters x of f32[4] and w of f32[4,4]. */
  private static String instruction(String text) {
    String module =
        printed(
            "neg { a = f32[] parameter(0) ROOT b = f32[] negate(a) }\n"
                + "ENTRY e {\n x = f32[4] parameter(0)\n w = f32[4,4] parameter(1)\n ROOT "
                + text
                + "\n}\n");
    return module
        .lines()
        .filter(line -> line.contains("ROOT r = "))
        .findFirst()
        .orElseThrow()
        .strip();
  }

  @Test
  void spacesInShapesAreAccepted() {
    assertThat(instruction("r = f32 [4,4] {0, 1} copy(f32 [4,4] { 1,0 } w)"))
        .isEqualTo("ROOT r = f32[4,4]{0,1} copy(w)");
    assertThat(instruction("r = f32[2] {0} constant({1, 2})"))
        .isEqualTo("ROOT r = f32[2]{0} constant({1, 2})");
    assertThat(Parser.parseLiteral("f32[2] {1, 0}").toString()).isEqualTo("f32[2] {1, 0}");
  }

  @Test
  void trailingCommaAfterOperandsIsAccepted() {
    assertThat(instruction("r = f32[4] add(x, x,)")).isEqualTo("ROOT r = f32[4]{0} add(x, x)");
  }

  @Test
  void signaturesWithoutColonsAreAccepted() {
    HloModule module =
        Parser.parse(
            "ENTRY e (x f32[2], y: (f32[3])) -> f32[2] {"
                + " y = (f32[3]) parameter(1) ROOT x = f32[2] parameter(0) }");
    assertThat(module.entry().programShape().toString()).isEqualTo("(f32[2], (f32[3])) -> f32[2]");
  }

  @Test
  void omittedAttributesAreInferredFromOperands() {
    assertThat(instruction("r = f32[4] map(x), to_apply=neg"))
        .isEqualTo("ROOT r = f32[4]{0} map(x), dimensions={0}, to_apply=neg");
    String outfeed = "t = token[] after-all() ROOT r = token[] outfeed(x, t), outfeed_config=\"a\"";
    assertThat(printed("ENTRY e { x = f32[4] parameter(0) " + outfeed + " }"))
        .contains("outfeed(x, t), outfeed_shape=f32[4]{0}, outfeed_config=\"a\"\n");
  }

  @Test
  void protoEnumNamesIgnoreCase() {
    assertThat(
            instruction(
                "r = f32[4,4] dot(w, w), lhs_contracting_dims={1}, rhs_contracting_dims={0},"
                    + " operand_precision={HIGH}, algorithm=DOT_F32_F32_F32"))
        .endsWith("operand_precision={high}, algorithm=dot_f32_f32_f32");
    assertThat(instruction("r = f32[4] exponential(x), result_accuracy={mode=HIGHEST}"))
        .endsWith("exponential(x), result_accuracy={mode=HIGHEST}");
    assertRefused(
        """
        1:120: got lt, want EQ, NE, GE, GT, LE, LT
          index=0 ROOT r = pred[4] compare(x, x), direction=lt }
                                                            ^\
        """,
        () ->
            Parser.parse(
                "ENTRY e { w = (f32[4]) parameter(0) x = f32[4] get-tuple-element(w), index=0"
                    + " ROOT r = pred[4] compare(x, x), direction=lt }"));
  }

  @Test
  void unspecifiedApiVersionIsTheOriginal() {
    assertThat(
            instruction(
                "r = f32[4] custom-call(x), custom_call_target=\"F\","
                    + " operand_layout_constraints={f32[4]}, api_version=API_VERSION_UNSPECIFIED"))
        .isEqualTo(
            "ROOT r = f32[4]{0} custom-call(x), custom_call_target=\"F\","
                + " operand_layout_constraints={f32[4]{0}}");
  }

  @Test
  void stableTopk() {
    assertThat(instruction("r = (f32[3], s32[3]) topk(x), k=3, is_stable=true"))
        .isEqualTo("ROOT r = (f32[3]{0}, s32[3]{0}) topk(x), k=3, largest=true, is_stable=true");
  }

  private static final String TWO =
      """
      \uFEFFHloModule a
      ENTRY e { ROOT x = f32[2] parameter(0) }
      // -----
      HloModule b
      ENTRY e { ROOT x = f32[3] parameter(0) }
      """;

  @Test
  void parseAllReadsSeveralModules() {
    assertThat(Parser.parseAll(TWO).stream().map(HloModule::name))
        .containsExactly("a", "b")
        .inOrder();
    assertRefused(
        """
        4:1: got HloModule, want one module only; Parser.parseAll reads several
          HloModule b
          ^\
        """,
        () -> Parser.parse(TWO));
    assertRefused(
        """
        5:20: got the unknown element type f33
          ENTRY e { ROOT x = f33[3] parameter(0) }
                             ^
          nearest known name: f32\
        """,
        () -> Parser.parseAll(TWO.replace("f32[3]", "f33[3]")));
  }

  @Test
  void repeatedNamesAreMadeUnique() {
    assertThat(
            printed(
                """
                c {
                  x = f32[] parameter(0)
                  ROOT r = f32[] negate(x)
                }
                d {
                  x.1 = f32[] parameter(0)
                  x.2 = f32[] call(x.1), to_apply=c
                  ROOT r = f32[] negate(x.2), control-predecessors={x.1}
                }
                ENTRY e {
                  x = f32[] parameter(0)
                  x.2 = f32[] negate(x), control-predecessors={x}
                  ROOT r = f32[] call(x.2), to_apply=d, control-predecessors={x, x.2}
                }
                """))
        .endsWith(
            """
            c {
              x = f32[] parameter(0)
              ROOT r = f32[] negate(x)
            }

            d {
              x.1 = f32[] parameter(0)
              x.2 = f32[] call(x.1), to_apply=c
              ROOT r.1 = f32[] negate(x.2), control-predecessors={%x.1}
            }

            ENTRY e {
              x.3 = f32[] parameter(0)
              x.4 = f32[] negate(x.3), control-predecessors={%x.3}
              ROOT r.2 = f32[] call(x.4), to_apply=d, control-predecessors={%x.3, %x.4}
            }
            """);
  }

  @Test
  void severalInstructionsOnOneLine() {
    assertThat(
            printed(
                """
                ENTRY e { a = s32[4] iota(), iota_dimension=0 b = s32[4] all-to-all(a),
                  dimensions={0}, replica_groups= [2 ,2] <= [ 2,2 ] T (1,0) ROOT c = s32[4] copy(b) }
                """))
        .contains(
            "b = s32[4]{0} all-to-all(a), replica_groups=[2,2]<=[2,2]T(1,0), dimensions={0}\n");
  }

  @Test
  void attributesPrintedByDefaultMayBeOmitted() {
    String text =
        printed(
            """
            add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
            ENTRY e {
              x = f32[2,2] parameter(0)
              s = f32[2,2] all-reduce(x), to_apply=add
              k = (f32[2,1], s32[2,1]) topk(s), k=1
              ROOT l = f32[2,2] cholesky(x)
            }
            """);
    assertThat(text).contains(" all-reduce(x), replica_groups={}, to_apply=add\n");
    assertThat(text).contains(" topk(s), k=1, largest=true\n");
  }

  @Test
  void infeedAndRecvShapesAreTuples() {
    String text =
        """
        ENTRY e {
          t = token[] after-all()
          i = (f32[2], token[]) infeed(t)
          r = (s32[3], u32[], token[]) recv(t), channel_id=1
          ROOT d = (s32[3], token[]) recv-done(r), channel_id=1
        }
        """;
    Verifier.strict().verify(Parser.parse(text));
  }

  @Test
  void attributesOfOtherOpsAreRefused() {
    String text =
        """
        c { x = f32[] parameter(0) ROOT r = f32[] negate(x) }
        ENTRY e { x = f32[] parameter(0)
          ROOT s = f32[] negate(x), to_apply=c
        }
        """;
    assertRefused(
        """
        3:29: got to_apply, want an attribute of negate
            ROOT s = f32[] negate(x), to_apply=c
                                      ^\
        """,
        () -> Parser.parse(text));
  }

  @Test
  void controlPredecessorsMustPrecedeTheInstruction() {
    Shape shape = Shape.of(ElementType.F32);
    HloInstruction x = HloInstruction.of("x", new Parameter(0, shape));
    HloInstruction y =
        HloInstruction.create(
            "y",
            new Copy(),
            ImmutableList.of(x),
            ImmutableList.of(),
            shape,
            Metadata.NONE,
            ImmutableMap.of("control-predecessors", "{%z}"));
    HloInstruction z = HloInstruction.of("z", new Copy(), y);
    HloComputation main = HloComputation.create("main", ImmutableList.of(x, y, z), z);
    assertRefused(
        """
        control-predecessors of y got z, want earlier instructions of its computation
          %y = f32[] copy(%x)\
        """,
        () -> Verifier.strict().verify(HloModule.create("m", main)));
  }

  /** Header attributes are printed in XLA's order, whatever their order in the text. */
  @Test
  void headerAttributesInAnyOrder() {
    assertThat(
            Printer.print(
                Parser.parse(
                    """
                    HloModule m, num_partitions=3, replica_count=2, frontend_attributes={ z="1" ,a={0}},
                      buffer_donor={ (0, {}) }, input_output_alias={ {}: (1, {}, may-alias) },
                      is_scheduled=true
                    ENTRY e { x = s32[] parameter(0) ROOT y = s32[] parameter(1) }
                    """)))
        .startsWith(
            "HloModule m, is_scheduled=true, input_output_alias={ {}: (1, {}, may-alias) },"
                + " buffer_donor={ (0, {}) },"
                + " entry_computation_layout={(s32[], s32[])->s32[]}, replica_count=2,"
                + " num_partitions=3, frontend_attributes={a={0},z=\"1\"}\n");
  }

  /** XLA prints an empty {@code padding=} for a scalar, but cannot read it. */
  @Test
  void paddingOfAScalar() {
    String body =
        """
        ENTRY e {
          x = f32[] parameter(0)
          p = f32[] pad(x, x), padding=, frontend_attributes={a="b"}
          q = f32[] pad(p, x), padding=
          ROOT r = f32[] pad(q, x), padding=
        }
        """;
    assertThat(printed("HloModule m\n\n" + body)).endsWith(body);
    assertThat(printed("ENTRY e { x = f32[] parameter(0) ROOT r = f32[] pad(x, x), padding= }"))
        .contains("pad(x, x), padding=\n");
  }

  /** The attribute {@code mode} of an all-reduce no longer has a meaning. */
  @Test
  void obsoleteModesAreDropped() {
    assertThat(
            printed(
                """
                add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = add(a, b) }
                ENTRY e { x = f32[] parameter(0)
                  ROOT r = f32[] all-reduce(x), replica_groups={}, mode=cross_replica, to_apply=add }
                """))
        .contains("all-reduce(x), replica_groups={}, to_apply=add\n");
  }

  /** Spaces between the parts of a layout, and parts with their default value, are dropped. */
  @Test
  void layoutsAreNormalized() {
    assertThat(
            printed(
                "ENTRY e { ROOT x = f32[4,4]{1,0: T(2, 128) (2,1) L(1)E(0)S( 1 ) SC(0:)M(0)}"
                    + " parameter(0) }"))
        .contains("f32[4,4]{1,0:T(2,128)(2,1)S(1)SC(0:)} parameter(0)");
  }
}
