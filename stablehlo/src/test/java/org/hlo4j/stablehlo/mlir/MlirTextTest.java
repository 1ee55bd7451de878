package org.hlo4j.stablehlo.mlir;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.stablehlo.dialect.StandardDialects;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Parsing and printing of operations. */
class MlirTextTest {
  /** The function header before each tested op, with arguments of many types. */
  private static final String HEAD =
      """
      func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %p: tensor<2x3xi1>, %i: tensor<i32>, \
      %s: tensor<f32>, %t: !stablehlo.token, %z: tensor<2x3xcomplex<f32>>, %n: tensor<2xi64>) {
      """;

  private static Operation parse(String text) {
    return MlirParser.parse(text, StandardDialects.INSTANCE);
  }

  private static String print(Operation module) {
    return MlirPrinter.print(module, StandardDialects.INSTANCE, false);
  }

  /** An op, and its printed form if that differs. */
  private static String[] op(String text, String... printed) {
    return new String[] {text, printed.length == 0 ? text : printed[0]};
  }

  private static String printedOp(String op) {
    String text = print(parse(HEAD + op + "\nreturn\n}"));
    int start = text.indexOf("{\n", text.indexOf("@f(")) + 2;
    return text.substring(start, text.indexOf("    return", start)).stripTrailing().stripIndent();
  }

  @TestFactory
  Stream<DynamicTest> ops() {
    return Stream.of(
            // One type for all, or a function type where they differ.
            op("%0 = stablehlo.add %a, %b {k = 1 : i64} : tensor<2x3xf32>"),
            op(
                "%0 = stablehlo.einsum %a, %b, config = \"ab,ab->ab\" : (tensor<2x3xf32>,"
                    + " tensor<2x3xf32>) -> tensor<2x3xf32>"),
            op(
                "%0 = stablehlo.unary_einsum %a, config = \"ab->b\" : (tensor<2x3xf32>) ->"
                    + " tensor<3xf32>"),
            op("ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>"),
            op("ml_program.global @x(#ml_program.extern<tensor<4xi32>>) : tensor<?xi32>"),
            op("ml_program.global mutable @y : tensor<?xi32> {a.b = 1 : i64}"),
            op(
                "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) ->"
                    + " tensor<2x3xf32>",
                "%0 = stablehlo.add %a, %b : tensor<2x3xf32>"),
            op("%0 = stablehlo.abs %z : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>"),
            op("%0 = stablehlo.select %p, %a, %b : tensor<2x3xi1>, tensor<2x3xf32>"),
            op("%0 = stablehlo.complex %a, %b : tensor<2x3xcomplex<f32>>"),
            op("%0 = stablehlo.tuple %a, %i : tuple<tensor<2x3xf32>, tensor<i32>>"),
            op("%0:2 = stablehlo.optimization_barrier %a, %i : tensor<2x3xf32>, tensor<i32>"),
            op("%0 = chlo.erf %a : tensor<2x3xf32> -> tensor<2x3xf32>"),
            op("%0 = stablehlo.replica_id : tensor<ui32>"),
            op("%0 = stablehlo.iota dim = 1 : tensor<2x3xf32>"),
            // Attributes by keyword.
            op("%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>"),
            op(
                "%0 = stablehlo.pad %a, %s, low = [1, -1], high = [0, 0], interior = [0, 2] :"
                    + " (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>"),
            op(
                "%0 = \"stablehlo.reverse\"(%a) {dimensions = dense<[0, 1]> : tensor<2xi64>} :"
                    + " (tensor<2x3xf32>) -> tensor<2x3xf32>",
                "%0 = stablehlo.reverse %a, dims = [0, 1] : tensor<2x3xf32>"),
            op(
                "%0 = stablehlo.fft %z, type = FFT, length = [3] : (tensor<2x3xcomplex<f32>>) ->"
                    + " tensor<2x3xcomplex<f32>>"),
            op(
                "%0, %1 = stablehlo.rng_bit_generator %n, algorithm = PHILOX : (tensor<2xi64>) ->"
                    + " (tensor<2xi64>, tensor<f32>)",
                "%output_state, %output = stablehlo.rng_bit_generator %n, algorithm = PHILOX :"
                    + " (tensor<2xi64>) -> (tensor<2xi64>, tensor<f32>)"),
            // Custom assembly formats.
            op("%0 = stablehlo.slice %a [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>"),
            op(
                "%0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<2x3xf32>,"
                    + " tensor<2x3xf32>) -> tensor<2x3xi1>"),
            op("%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2x3xf32>"),
            op(
                "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims ="
                    + " [1] x [1], precision = [HIGH, DEFAULT] : (tensor<2x3xf32>,"
                    + " tensor<2x3xf32>) -> tensor<2xf32>"),
            op(
                "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f]x[i, o]->[b, f], window ="
                    + " {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} :"
                    + " (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"),
            op(
                "%0 = stablehlo.custom_call @\"my op\"(%a) {backend_config = {x = 1 : i32}} :"
                    + " (tensor<2x3xf32>) -> tensor<2x3xf32>"),
            op("stablehlo.composite \"a.b\" {decomposition = @f} : () -> ()"),
            op(
                "%0 = func.call @g(%a) : (tensor<2x3xf32>) -> f32",
                "%0 = call @g(%a) :" + " (tensor<2x3xf32>) -> f32"),
            op(
                "check.expect_close %a, %b, max_ulp_difference = 3 : tensor<2x3xf32>,"
                    + " tensor<2x3xf32>"),
            op("check.expect_eq_const %i, dense<3> : tensor<i32>"),
            op("%0 = sdy.sharding_constraint %a <@mesh, [{\"x\"}, {}]> : tensor<2x3xf32>"),
            op("%0 = sdy.all_reduce {\"x\"} %a out_sharding=<@mesh, [{}, {}]> : tensor<2x3xf32>"),
            op("%0 = sdy.data_flow_edge %a sharding=<@mesh, [{}, {}]> : tensor<2x3xf32>"),
            op("%0 = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<2x3xf32>"),
            op("sdy.sharding_group %a group_id=3 : tensor<2x3xf32>"),
            // The generic form of what the custom one cannot express.
            op(
                "%0 = \"sdy.reshard\"(%a) <{sharding = #sdy.sharding}> : (tensor<2x3xf32>) ->"
                    + " tensor<2x3xf32>"),
            op(
                "\"ml_program.global\"() <{sym_name = \"x\", sym_visibility = \"hello\", type ="
                    + " tensor<4xf32>}> : () -> ()"),
            op(
                """
                %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] \
                out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<1x3xf32>) {
                  sdy.return %x : tensor<1x3xf32>
                } : (tensor<2x3xf32>) -> tensor<2x3xf32>\
                """),
            // What computes sizes.
            op("%0 = arith.addi %i, %i overflow<nsw> {k} : tensor<i32>"),
            op("%0 = arith.cmpi slt, %n, %n : tensor<2xi64>"),
            op("%0 = arith.select %p, %a, %b : tensor<2x3xi1>, tensor<2x3xf32>"),
            op("%0 = arith.index_cast %i : tensor<i32> to tensor<index>"),
            op("%0 = tensor.rank %a : tensor<2x3xf32>"),
            op("%0 = shape.const_shape [1, 2] : tensor<2xindex>"),
            op(
                """
                %0 = shape.const_witness true
                %1 = shape.assuming_all %0, %0
                %2 = shape.assuming %1 -> i1 {
                  %3 = arith.constant true
                  cf.assert %3, "no"
                  shape.assuming_yield %3 : i1
                }\
                """),
            // Regions.
            op(
                "%0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [0,"
                    + " 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>"),
            op(
                """
                %0 = stablehlo.reduce(%a init: %s) across dimensions = [0] : (tensor<2x3xf32>, \
                tensor<f32>) -> tensor<3xf32>
                 reducer(%x: tensor<f32>, %y: tensor<f32>)  {
                  stablehlo.return %y : tensor<f32>
                }\
                """),
            op(
                """
                %0:2 = stablehlo.while(%k = %i, %x = %a) : tensor<i32>, tensor<2x3xf32> \
                attributes {q}
                cond {
                  %c = stablehlo.constant dense<true> : tensor<i1>
                  stablehlo.return %c : tensor<i1>
                } do {
                  stablehlo.return %k, %x : tensor<i32>, tensor<2x3xf32>
                }\
                """),
            op(
                """
                %0 = "stablehlo.case"(%i) ({
                  stablehlo.return %s : tensor<f32>
                }, {
                  %1 = stablehlo.negate %s : tensor<f32>
                  stablehlo.return %1 : tensor<f32>
                }) : (tensor<i32>) -> tensor<f32>\
                """),
            op(
                """
                %0:2 = chlo.scan(%a) inits (%s) dimension=0 attributes {is_reverse = true} {
                ^bb0(%x: tensor<3xf32>, %y: tensor<f32>):
                  stablehlo.return %x, %y : tensor<3xf32>, tensor<f32>
                } : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<f32>)\
                """),
            // The generic form, properties before regions.
            op(
                """
                %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
                ^bb0(%x: tensor<f32>, %y: tensor<f32>):
                  %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
                  stablehlo.return %1 : tensor<i1>
                }) {mhlo.note = "x"} : (tensor<2x3xf32>) -> tensor<2x3xf32>\
                """))
        .map(row -> DynamicTest.dynamicTest(row[0], () -> sameBothWays(row[0], row[1])));
  }

  private static void sameBothWays(String text, String printed) {
    assertThat(printedOp(text)).isEqualTo(printed);
    Operation module = parse(HEAD + text + "\nreturn\n}");
    String generic = MlirPrinter.printGeneric(module, StandardDialects.INSTANCE, true);
    SameModel.assertSame(parse(generic), module);
  }

  /** Attributes that print as they were written. */
  @TestFactory
  Stream<DynamicTest> attributes() {
    return Stream.of(
            "[1, 2 : i8, -3 : index, true, unit]",
            "{\"a b\" = \"x\\0A\\22\\C3\\A9\", c}",
            "[@f, @\"a b\"::@g]",
            "[1.500000e+00 : f32, 0x7FC00000 : f32, 1.000000e-01]",
            "[i32, tensor<?x3xf32>, (i1) -> (), memref<2x?xf32>, tensor<*xf32>, none]",
            "[array<i64: 1, 2>, array<i1: true>, array<f32: 1.500000e+00>, array<i64>]",
            "[dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, dense<> : tensor<0x2xf32>]",
            "[dense<(1.000000e+00,0xFFC00000)> : tensor<2xcomplex<f32>>]",
            "[dense<[true, false]> : tensor<2xi1>, dense<[7, -8]> : tensor<2xi4>]",
            "dense_resource<__elided__> : tensor<4xf32>",
            "#sdy.sharding<@mesh, [{\"x\", ?}, {}]>",
            "#stablehlo<precision HIGHEST>",
            "#stablehlo.gather<offset_dims = [1], start_index_map = [0]>",
            "#stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>",
            "#stablehlo.channel_handle<handle = 1, type = 0>",
            "#stablehlo.result_accuracy<atol = 1.000000e+00, ulps = 2, mode ="
                + " #stablehlo.result_accuracy_mode<TOLERANCE>>",
            "tensor<2x?xf32, #stablehlo.bounds<?, 4>>",
            "tensor<2x!quant.uniform<i8<-127:127>:f32, 5.000000e-01:3>>",
            "tensor<2x!quant.uniform<u8:f32:0, {5.000000e-01:3,2.500000e-01}>>",
            "!stablehlo.future<tensor<2xf32>>",
            "loc(callsite(\"a\"(\"f.py\":1:2) at fused<\"m\">[\"b\", unknown]))",
            "loc(\"f.py\":1:2 to 3:4)")
        .map(text -> DynamicTest.dynamicTest(text, () -> samePrinted(text)));
  }

  private static void samePrinted(String text) {
    Operation function = parse("module attributes {x = " + text + "} {}");
    assertThat(String.valueOf(function.attributes().get("x"))).isEqualTo(text);
  }

  @Test
  void floatsPrintAsInMlir() {
    assertThat(
            printedOp(
                "%0 = stablehlo.constant dense<[0.1, 1.0e22, 123456789.0, 0.7071067811865476]> :"
                    + " tensor<4xf64>"))
        .isEqualTo(
            "%cst = stablehlo.constant dense<[1.000000e-01, 1.000000e+22, 0x419D6F3454000000,"
                + " 0.70710678118654757]> : tensor<4xf64>");
    assertThat(
            printedOp(
                "%0 = stablehlo.constant dense<[0.1, 65504.0, 1.0e-7, -0.0]> : tensor<4xf16>"))
        .isEqualTo(
            "%cst = stablehlo.constant dense<[9.997550e-02, 6.550400e+04, 1.192090e-07,"
                + " -0.000000e+00]> : tensor<4xf16>");
    assertThat(printedOp("%0 = stablehlo.constant dense<3.4028234664e+38> : tensor<f32>"))
        .isEqualTo("%cst = stablehlo.constant dense<3.40282347E+38> : tensor<f32>");
  }

  @Test
  void hexBlobsAreDecoded() {
    String blob = "dense<\"0x0000803F00000040\"> : tensor<2xf32>";
    assertThat(printedOp("%0 = stablehlo.constant " + blob))
        .isEqualTo("%cst = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>");
    // Booleans are bits in old texts and bytes in new ones.
    assertThat(printedOp("%0 = stablehlo.constant dense<\"0x05\"> : tensor<3xi1>"))
        .isEqualTo("%c = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>");
    assertThat(printedOp("%0 = stablehlo.constant dense<\"0x010001\"> : tensor<3xi1>"))
        .isEqualTo("%c = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>");
  }

  @Test
  void aliasesAndResourcesInAnyOrder() {
    Operation module =
        parse(
            """
            #early = #stablehlo<precision HIGH>
            !t = tensor<2xf32>
            func.func @f(%a: !t loc("a")) -> !t attributes {p = #early, q = #late} {
              %c = stablehlo.constant dense_resource<blob> : !t loc(#loc2)
              return %c : !t loc(#loc1)
            } loc(#loc)
            #loc = loc(unknown)
            #loc2 = loc("add"(#loc1))
            #loc1 = loc("f.py":3:4)
            #late = [#early]
            {-#
              dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } }
            #-}
            """);
    assertThat(MlirPrinter.print(module, StandardDialects.INSTANCE, true))
        .isEqualTo(
            """
            module {
              func.func @f(%a: tensor<2xf32> loc(#loc1)) -> tensor<2xf32> attributes \
            {p = #stablehlo<precision HIGH>, q = [#stablehlo<precision HIGH>]} {
                %c = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> \
            loc(#loc2)
                return %c : tensor<2xf32> loc(#loc3)
              } loc(unknown)
            } loc(unknown)
            #loc1 = loc("a")
            #loc2 = loc("add"("f.py":3:4))
            #loc3 = loc("f.py":3:4)
            """);
  }

  @Test
  void valueNamesInNestedRegionsRoundTrip() {
    Operation module =
        parse(
            """
            func.func @f() {
              %c, %0 = "a.b"() ({
                %1 = "a.c"() : () -> i32
              }) : () -> (i32, i32)
              %x:2 = "a.b"() : () -> (i32, i32)
              "a.d"(%x#1, %c) : (i32, i32) -> ()
              return
            }
            """);
    assertThat(print(module))
        .isEqualTo(
            """
            module {
              func.func @f() {
                %c, %0 = "a.b"() ({
                  %1 = "a.c"() : () -> i32
                }) : () -> (i32, i32)
                %x:2 = "a.b"() : () -> (i32, i32)
                "a.d"(%x#1, %c) : (i32, i32) -> ()
                return
              }
            }
            """);
  }

  @Test
  void segmentsKeepLineNumbers() {
    String text = "module @a {}\n// -----\n\n// nothing\n// -----\nmodule @b {}\nmodule @c {}\n";
    assertThat(MlirParser.parseAll(text, StandardDialects.INSTANCE)).hasSize(2);
    HloException refusal =
        assertThrows(
            HloException.class,
            () -> MlirParser.parseAll(text + "// -----\nx.y\n", StandardDialects.INSTANCE));
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo(
            """
            9:1: got x.y, want an op that is known
              x.y
              ^\
            """);
  }

  /** Long constants are decoded on first use, which also reports their errors. */
  @Test
  void longConstantsAreDecodedLazily() {
    String ones = "1, ".repeat(3000);
    Operation right = parse(constant(ones + "2", 3001));
    assertThat(elements(right).longAt(3000)).isEqualTo(2);
    Operation wrong = parse(constant(ones + "300", 3001));
    HloException refusal = assertThrows(HloException.class, () -> elements(wrong));
    assertThat(refusal.summary()).isEqualTo("1:9031: got 300, want a value of s8");
    assertThrows(HloException.class, () -> parse(constant(ones + "2", 3002)));
  }

  /** Each string is read by itself: the time grows with the length of the text. */
  @Test
  void manyStrings() {
    String text = "module attributes {x = [" + "\"a\", ".repeat(300_000) + "\"\\41\"]} {}";
    Operation module = assertTimeoutPreemptively(Duration.ofSeconds(15), () -> parse(text));
    Attribute.Array array = (Attribute.Array) module.attributes().find("x").orElseThrow();
    assertThat(array.elements()).hasSize(300_001);
    assertThat(array.elements().getLast()).isEqualTo(new Attribute.Str("A"));
  }

  private static String constant(String elements, int count) {
    return "module attributes {x = dense<[" + elements + "]> : tensor<" + count + "xi8>} {}";
  }

  private static Literal elements(Operation module) {
    return ((Attribute.Dense) module.attributes().find("x").orElseThrow()).elements();
  }
}
