package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableMap;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.schema.AttributeText;
import org.junit.jupiter.api.Test;

/** Every construct of the grammar, and how it is parsed. */
final class ParserTest {
  private static void assertPrints(String text, String... lines) {
    assertThat(Printer.print(Parser.parse(text), PrintOptions.SHORT_PARSABLE))
        .isEqualTo(String.join("\n", lines) + "\n");
  }

  private static HloInstruction root(String instruction) {
    return Parser.parse(instruction).entry().root();
  }

  @Test
  void wholeModuleRoundTrips() {
    String text =
        """
        HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[2,3]{0,1})->f32[2]{0}}, num_partitions=4

        FileNames
        1 "programs.py"

        FunctionNames
        1 "<module>"

        FileLocations
        1 {file_name_id=1 function_name_id=1 line=372 end_line=372 column=4 end_column=4}

        StackFrames
        1 {file_location_id=1 parent_frame_id=1}


        %sum.1 (a.1: f32[], b-2: f32[]) -> f32[] {
          %a.1 = f32[] parameter(0)
          %b-2 = f32[] parameter(1)
          ROOT %c = f32[] add(%a.1, %b-2), metadata={op_type="add" op_name="jit(f)/\\"add\\"" source_file="f.py" source_line=7 source_column=3 stack_frame_id=1}
        }, execution_thread="main"

        ENTRY %main.9 (x: f32[2,3]) -> f32[2] {
          %x = f32[2,3]{0,1:T(8,128)(2,1)L(4)E(4)S(1)} parameter(0), sharding={devices=[1,4]<=[2,2]T(1,0)}
          %zero = f32[] constant(-0.0)
          %later = f32[3]{0} constant({1, -inf, nan}), frontend_attributes={a="}",b={"c":1}}, control-predecessors={%zero}
          ROOT %r = f32[2]{0} reduce(%x, %zero), dimensions={1}, to_apply=%sum.1, statistics={visualizing_index=0,a=1}, backend_config={"known":"}"}
        }
        """;
    assertThat(Printer.print(Parser.parse(text))).isEqualTo(text);
  }

  @Test
  void shapesAreInferredAndDefaultsApplied() {
    assertPrints(
        """
        add { x = f32[] parameter(0) y = f32[] parameter(1) s = add(x, y) }
        main {
          v = f32[4,2] parameter(0) // a comment
          z = f32[] constant(1e-3)  /* another
             of two lines */
          r = reduce(v, z), dimensions={0,
             1}, to_apply=%add
          b = f32[3] broadcast(r)
        }\
        """,
        "HloModule module_main, entry_computation_layout={(f32[4,2]{1,0})->f32[3]{0}}",
        "",
        "add {",
        "  x = f32[] parameter(0)",
        "  y = f32[] parameter(1)",
        "  ROOT s = f32[] add(x, y)",
        "}",
        "",
        "ENTRY main {",
        "  v = f32[4,2]{1,0} parameter(0)",
        "  z = f32[] constant(0.001)",
        "  r = f32[] reduce(v, z), dimensions={0,1}, to_apply=add",
        "  ROOT b = f32[3]{0} broadcast(r), dimensions={}",
        "}");
  }

  @Test
  void singleInstructionWithNestedOperands() {
    assertPrints(
        "ROOT %r = multiply(f32[] add(f32[] a, f32[] constant(2)), f32[])",
        "HloModule module_r, entry_computation_layout={(f32[], f32[])->f32[]}",
        "",
        "ENTRY entry_r {",
        "  a = f32[] parameter(0)",
        "  constant.anon = f32[] constant(2)",
        "  add.anon = f32[] add(a, constant.anon)",
        "  p1 = f32[] parameter(1)",
        "  ROOT r = f32[] multiply(add.anon, p1)",
        "}");
  }

  @Test
  void namesAreUniqueInTheModule() {
    assertPrints(
        """
        HloModule same:
        add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r.1 = f32[] add(x, y) }
        ENTRY e { x = f32[4] parameter(0) y = f32[] constant(0) ROOT r.1 = f32[] reduce(x, y),
          dimensions={0}, to_apply=add, control-predecessors={y} }\
        """,
        "HloModule same, entry_computation_layout={(f32[4]{0})->f32[]}",
        "",
        "add {",
        "  x = f32[] parameter(0)",
        "  y = f32[] parameter(1)",
        "  ROOT r.1 = f32[] add(x, y)",
        "}",
        "",
        "ENTRY e {",
        "  x.1 = f32[4]{0} parameter(0)",
        "  y.1 = f32[] constant(0)",
        "  ROOT r.2 = f32[] reduce(x.1, y.1), dimensions={0}, to_apply=add",
        "}");
  }

  @Test
  void inlineComputationBodies() {
    assertPrints(
        """
        f32[2]{0} conditional(s32[], f32[2]{0}, f32[2]{0}), branch_computations={
        {
          tmp_0 = f32[2]{0} parameter(0)
          ROOT tmp_1 = f32[2]{0} ceil(f32[2]{0} tmp_0)
        },
        {
          tmp_0 = f32[2]{0} parameter(0)
          ROOT tmp_1 = f32[2]{0} floor(f32[2]{0} tmp_0)
        }
        }\
        """,
        "HloModule module_root, entry_computation_layout={(s32[], f32[2]{0},"
            + " f32[2]{0})->f32[2]{0}}",
        "",
        "_ {",
        "  tmp_0 = f32[2]{0} parameter(0)",
        "  ROOT tmp_1 = f32[2]{0} ceil(tmp_0)",
        "}",
        "",
        "_.1 {",
        "  tmp_0.1 = f32[2]{0} parameter(0)",
        "  ROOT tmp_1.1 = f32[2]{0} floor(tmp_0.1)",
        "}",
        "",
        "ENTRY entry_root {",
        "  p0 = s32[] parameter(0)",
        "  p1 = f32[2]{0} parameter(1)",
        "  p2 = f32[2]{0} parameter(2)",
        "  ROOT root = f32[2]{0} conditional(p0, p1, p2), branch_computations={_, _.1}",
        "}");
  }

  @Test
  void asyncOpShorthand() {
    HloModule module =
        Parser.parse(
            "e { p = f32[4] parameter(0) s = ((f32[4]), f32[2], s32[]) slice-start(p),"
                + " slice={[0:2]} ROOT d = f32[2] slice-done(s) }");
    assertThat(module.computations()).hasSize(2);
    assertThat(module.computations().get(0).root().op().opcode()).isEqualTo("slice");
    assertThat(module.entry().root().op().opcode()).isEqualTo("async-done");
    assertThat(Printer.print(module)).doesNotContain("wrapped");
  }

  @Test
  void entryAndRootNeedNotBeLast() {
    HloModule module =
        Parser.parse(
            "ENTRY e { ROOT x = s32[] parameter(0) y = negate(x) } f { z = s32[] parameter(0) }");
    assertThat(module.entry().name()).isEqualTo("e");
    assertThat(module.entry().root().name()).isEqualTo("x");
    assertThat(module.computations()).hasSize(2);
  }

  @Test
  void opComponentsAreTakenFromTheShape() {
    assertThat(root("f32[2,3]{0,1} broadcast(f32[3] v), dimensions={1}").op())
        .isEqualTo(new Broadcast(Shape.of(ElementType.F32, 2, 3), Dims.of(1)));
    String dims = " dot(s8[2] a, s8[2] b), lhs_contracting_dims={0}, rhs_contracting_dims={0}";
    Dot dot = Dot.general(Dims.of(), Dims.of(0), Dims.of(), Dims.of(0));
    assertThat(root("s8[]" + dims).op()).isEqualTo(dot);
    assertThat(root("s32[]" + dims).op()).isEqualTo(dot.withPreferredElementType(ElementType.S32));
  }

  @Test
  void oldAndNewMetadataSyntax() {
    HloInstruction root =
        root(
            "r = negate(f32[] x), metadata={op_type=\"neg\", op_name='a\\'b', source_line=3,"
                + " source_file=\"f.py\" scheduling_name=\"s\"}");
    assertThat(root.metadata().opName()).isEqualTo("a'b");
    assertThat(root.metadata().source()).hasValue(new SourceLine("f.py", 3));
    assertThat(root.metadata().others())
        .isEqualTo(ImmutableMap.of("op_type", "\"neg\"", "scheduling_name", "\"s\""));
  }

  @Test
  void unknownAttributesAreKept() {
    assertThat(root("r = negate(f32[] x), brand_new=[2,2]<=[4], padding_like=1_2x3_4").attributes())
        .isEqualTo(ImmutableMap.of("brand_new", "[2,2]<=[4]", "padding_like", "1_2x3_4"));
  }

  @Test
  void shapes() {
    Shape.Array layout = (Shape.Array) Parser.parseShape("bf16[2,3]{0,1:T(2,128)(4,1)#(u32)S(1)}");
    assertThat(layout.layout()).hasValue(new Layout(Dims.of(0, 1), "T(2,128)(4,1)#(u32)S(1)"));
    for (String text :
        new String[] {
          "f32[]",
          "f32[<=4,?]{1,0}",
          "()",
          "(s32[], (pred[2]), token[])",
          "opaque[]",
          "f32[]{:T(128)}",
          "(f32[1], f32[2], f32[3], f32[4], f32[5], /*index=5*/f32[6])",
          "u4[3]{0:E(4)P((s32[2]{0}, s32[]))M(8)}"
        }) {
      assertThat(Parser.parseShape(text).toString()).isEqualTo(text);
    }
  }

  @Test
  void literals() {
    assertThat(Parser.parseLiteral("s32[2,2] {{1 2}, {3, -4,},}"))
        .isEqualTo(Literal.of(new int[][] {{1, 2}, {3, -4}}));
    assertThat(Parser.parseLiteral("u64[] 18446744073709551615").longAt(0)).isEqualTo(-1);
    assertThat(Parser.parseLiteral("pred[4] {true, 0, false, 1}").toBooleans())
        .isEqualTo(new boolean[] {true, false, false, true});
    assertThat(Parser.parseLiteral("f32[3] {nan(0x1), -nan, -0}").bitsAt(0)).isEqualTo(0x7f800001L);
    assertThat(Parser.parseLiteral("f32[3] {nan(0x1), -nan, -0}").bitsAt(1)).isEqualTo(0xffc00000L);
    assertThat(Parser.parseLiteral("f32[3] {nan(0x1), -nan, -0}").bitsAt(2)).isEqualTo(0x80000000L);
    assertThat(Parser.parseLiteral("c64[1] {(1, -inf)}").imaginaryAt(0))
        .isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(Parser.parseLiteral("f32[2,0] {}").elementCount()).isEqualTo(0);
    assertThat(Parser.parseLiteral("f32[2,0] {{}, {}}").elementCount()).isEqualTo(0);
    assertThat(Parser.parseLiteral("f32[100] {...}"))
        .isEqualTo(Literal.elided(Shape.of(ElementType.F32, 100)));
    assertThat(Parser.parseLiteral("(s32[], ()) ( 1, ( ) )").element(0)).isEqualTo(Literal.of(1));
  }

  @Test
  void stringEscapes() {
    String all = "a\"b\\c\nd\te";
    assertThat(AttributeText.unescaped("a\\\"b\\\\c\\nd\\te")).isEqualTo(all);
    assertThat(AttributeText.quoted(all)).isEqualTo("\"a\\\"b\\\\c\\nd\\te\"");
    assertThat(AttributeText.unescaped("\\x41\\101\\'\\?")).isEqualTo("AA'?");
  }
}
