package org.hlo4j.stablehlo.mlir;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.dialect.StandardDialects;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Errors of the parser for invalid MLIR text. */
class MlirErrorTest {
  private static HloException refusal(String text) {
    return assertThrows(
        HloException.class, () -> MlirParser.parse(text, StandardDialects.INSTANCE));
  }

  private static String[] row(String text, String summary) {
    return new String[] {text, summary};
  }

  private static String[] op(String text, String summary) {
    return row("func.func @f(%a: tensor<2xf32>, %i: tensor<i32>) {\n" + text + "\n}", summary);
  }

  private static String[] attribute(String text, String summary) {
    return row("module attributes {x =\n" + text + "} {}", summary);
  }

  @TestFactory
  Stream<DynamicTest> summaries() {
    return Stream.of(
            // Values.
            op(
                "%0 = stablehlo.abs %b : tensor<2xf32>",
                "2:20: got %b, which is not defined before, want a value that is"),
            op(
                "%0 = stablehlo.abs %a : tensor<3xf32>",
                "2:20: got %a of type tensor<2xf32>, want tensor<3xf32>"),
            op(
                "%a = stablehlo.abs %a : tensor<2xf32>",
                "2:1: got %a, which is defined already, want another name"),
            op(
                "%0:2 = stablehlo.abs %a : tensor<2xf32>",
                "2:1: got 2 results, want 1 of stablehlo.abs"),
            op(
                "%0 = stablehlo.abs %a#1 : tensor<2xf32>",
                "2:20: got %a#1, want one of the 1 results of its op"),
            op(
                "%0 = stablehlo.add %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
                "2:20: got 1 operands, want 2, as many as types"),
            op(
                "func.func @g() {\n\"a.b\"(%a) : (tensor<2xf32>) -> ()\n}",
                "3:7: got %a of another function, want a value of this one"),
            row(
                "func.func private @f(tensor<2x!quant.uniform<i8:f32, 0.0>>)",
                "1:31: got the scale 0.0, want one above 0"),
            // Ops and their attributes.
            op(
                "%0 = stablehlo.complex %a, %a : complex<f32>",
                "2:33: got complex<f32>, want a tensor of complex numbers"),
            op(
                "%0 = stablehlo.select %a, %a, %a : tensor<2xi1>",
                "2:36: got tensor<2xi1>, want two types, that of the predicate and that of the"
                    + " others"),
            op("%0 = stablehlo.add %a %a : tensor<2xf32>", "2:23: got %a, want :"),
            op(
                "%0 = stablehlo.dot %a, %a, precision = [LOW] : (tensor<2xf32>, tensor<2xf32>) ->"
                    + " tensor<f32>",
                "2:41: got precision LOW, want one of DEFAULT, HIGH, HIGHEST"),
            op(
                "%0 = arith.cmpi less, %i, %i : tensor<i32>",
                "2:17: got less, want one of [eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge]"),
            op(
                "%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f]x[i, o]->[b, f], window ="
                    + " {stride = [], stride = []}",
                "2:96: got 'stride' twice, want it once"),
            attribute(
                "#stablehlo.conv<[b, f, -1]x[i, o, 0]->[b, f, 0]>",
                "2:24: got -1, want a spatial dimension from 0 on"),
            op(
                "%0 = stablehlo.ads %a : tensor<2xf32>",
                "2:6: got stablehlo.ads, want an op that is known"),
            op(
                "%0 = stablehlo.sort %a : tensor<2xf32>",
                "2:6: got stablehlo.sort, want an op with a form of its own or"
                    + " \"stablehlo.sort\"(...)"),
            op(
                "%0 = \"stablehlo.iota\"() : () -> tensor<2xf32>",
                "2:6: stablehlo.iota: attribute iota_dimension is missing"),
            op(
                "%0 = stablehlo.iota dim = 0 {iota_dimension = 0 : i64} : tensor<2xf32>",
                "2:29: got attribute iota_dimension twice, want it once"),
            op(
                "%0 = stablehlo.compare XX, %a, %a : (tensor<2xf32>, tensor<2xf32>) ->"
                    + " tensor<2xi1>",
                "2:24: got comparison_direction XX, want one of EQ, NE, GE, GT, LE, LT"),
            op(
                "\"cf.br\"()[^bb1] : () -> ()",
                "2:10: got [, want no successors, as regions of StableHLO have one block"),
            op("return\n^bb1:", "3:1: got ^bb1, want }, as regions of StableHLO have one block"),
            // Types.
            attribute("tensor<2xfoo>", "2:10: got foo, want a type"),
            attribute(
                "!stablehlo.foobar",
                "2:1: got the unknown type !stablehlo.foobar, want one" + " of stablehlo"),
            attribute(
                "tensor<99999999999999999999xf32>",
                "2:8: got 99999999999999999999, want a number of 64 bits with sign"),
            attribute(
                "tensor<2xtensor<f32>>", "2:10: got elements of type tensor<f32>, want numbers"),
            attribute(
                "!quant.uniform<i8<-300:3>:f32, 0.5>",
                "2:1: got the range -300:3, want one in -128:127"),
            attribute(
                "!quant.uniform<i8<3:3>:f32, 0.5:3>",
                "2:1: got the range 3:3, want one in -128:127"),
            attribute(
                "!quant.uniform<i3:f32, 0.5>",
                "2:1: got the storage type i3, want i or u with 2, 4, 8, 16 or 32 bits"),
            attribute(
                "!quant.uniform<i8:i8, 0.5>",
                "2:1: got i8 to quantize, want a float type of StableHLO"),
            attribute(
                "!quant.uniform<i8:f32, 0.5:200>",
                "2:1: got the zero point 200, want one from -128 to 127"),
            attribute(
                "!quant.uniform<u8<1:255>:f32, 0.5>",
                "2:1: got the zero point 0, want one from 1 to 255"),
            attribute(
                "!quant.uniform<i8:f16:0, {0.5, 1.0e-9}>",
                "2:1: got the scale 1.0E-9, want one from 5.960464477539063E-8 to 65504.0, the"
                    + " numbers of f16"),
            attribute(
                "!quant.uniform<i8:f16, 65519.0>",
                "2:1: got the scale 65519.0, want one from 5.960464477539063E-8 to 65504.0, the"
                    + " numbers of f16"),
            // Numbers and elements.
            attribute("300 : i8", "2:1: got 300, want a value of i8"),
            attribute("1.5 : i8", "2:1: got 1.5 : i8, want a float type"),
            attribute(
                "dense<[1, 2]> : tensor<3xi8>",
                "2:7: got elements of sizes 2, want those of tensor<3xi8>"),
            attribute(
                "dense<[[1], [2, 3]]> : tensor<2x2xi8>",
                "2:13: got a list of 2, want 1 as in those before"),
            attribute("dense<[1, 300]> : tensor<2xi8>", "2:11: got 300, want a value of s8"),
            attribute("dense<1.5> : tensor<2xi8>", "2:7: got 1.5, want a value of s8"),
            attribute("dense<-> : tensor<2xf32>", "2:7: got -, want a value of f32"),
            attribute("dense<.5> : tensor<2xf32>", "2:7: got .5, want a value of f32"),
            attribute("dense<(1.0, 2.0)> : tensor<2xf32>", "2:7: got a pair, want a value of f32"),
            attribute(
                "dense<1.0> : tensor<2xcomplex<f32>>",
                "2:7: got a number, want a pair (real, imaginary)"),
            attribute(
                "dense<\"0x0102\"> : tensor<2xf32>",
                "2:7: got 2 bytes of elements for tensor<2xf32>, want 8, or 4 if all are the same"),
            attribute(
                "dense<\"0x01zz\"> : tensor<2xi8>",
                "2:12: got a string, want 0x and two hexadecimal digits for each byte"),
            attribute(
                "dense<1> : tensor<?xi8>",
                "2:12: got the elements of another type, want a static tensor"),
            attribute(
                "dense_resource<blob> : tensor<2xf32>",
                "2:16: got resource blob, which is not in the file, want {-# … #-} with it"),
            // Structs, words and dictionaries.
            attribute(
                "#stablehlo<precision LOW>",
                "2:22: got precision LOW, want one of DEFAULT, HIGH, HIGHEST"),
            attribute(
                "#stablehlo.gather<offset_dims = [0], offset_dims = [0]>",
                "2:38: got offset_dims twice, want it once"),
            attribute("{a, a}", "2:5: got a twice, want each name once"),
            attribute(
                "affine_map<(d0) -> (d0)>",
                "2:1: got affine_map, which StableHLO does not have, want another attribute"),
            // Strings, brackets and the end.
            attribute("\"a\nb\"", "2:1: got a string without an end, want \" on the same line"),
            attribute(
                "\"\\zz\"",
                "2:2: got an unknown escape, want \\\\, \\\", \\n, \\t or two"
                    + " hexadecimal digits"),
            row("module {", "1:9: got the end of the text, want }"),
            row("module {} }", "1:11: got }, want an operation"),
            // Aliases and locations.
            row(
                "#a = #b\nmodule attributes {x = #a} {}",
                "1:6: got #b, which is not defined, want the alias of an attribute"),
            row(
                "#a = [#b]\n#b = [#a]\nmodule {}",
                "2:7: got #a within its own definition, want no cycle"),
            row("#a = 1\n#a = 2\nmodule {}", "2:1: got #a, which is defined already, want another"),
            row(
                "#a = 1\nmodule {} loc(#a)",
                "2:15: got #a = 1 : i64, want the alias of a location"),
            row(
                "module {} loc(\"f\":3:4 to 2:1)",
                "1:26: got a range that ends before it begins, want it behind"))
        .map(row ->
            DynamicTest.dynamicTest(
                row[1],
                () -> {
                  HloException refusal = refusal(row[0]);
                  assertThat(refusal.summary()).isEqualTo(row[1]);
                  assertThat(refusal.kind()).isEqualTo(HloException.Kind.PARSE);
                }));
  }

  /** All errors are reported at once, without those that only follow from another. */
  @Test
  void allErrorsAreReported() {
    assertThat(
            refusal(
                """
                func.func @f(%arg0: tensor<2xf32>) -> tensor<2xf32> {
                  %0 = stablehlo.addd %arg0, %arg0 : tensor<2xf32>
                  %1 = stablehlo.abs %0 : tensor<2xf32>
                  %2 = "stablehlo.sort"(%arg0) ({
                  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
                    %3 = stablehlo.compare LT, %x, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
                    stablehlo.return %3 : tensor<i1>
                  }) : (tensor<2xf32>) -> tensor<2xf32>
                  return %arg1 : tensor<2xf32>
                }
                """))
        .hasMessageThat()
        .isEqualTo(
            """
            2:8: got stablehlo.addd, want an op that is known
                %0 = stablehlo.addd %arg0, %arg0 : tensor<2xf32>
                     ^
              nearest known name: stablehlo.add
              6:36: got %z, which is not defined before, want a value that is
                    %3 = stablehlo.compare LT, %x, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
                                                   ^
              9:10: got %arg1, which is not defined before, want a value that is
                  return %arg1 : tensor<2xf32>
                         ^
                nearest known name: %arg0\
            """);
  }

  /** Limits of nesting depth and expanded size. */
  @TestFactory
  Stream<DynamicTest> limits() {
    StringBuilder doubling = new StringBuilder("#a0 = \"x\"\n");
    StringBuilder chain = new StringBuilder("#l0 = loc(unknown)\n");
    for (int i = 1; i < 1001; i++) {
      doubling.append("#a%d = [#a%d, #a%d]\n".formatted(i, i - 1, i - 1));
      chain.append("#l%d = loc(\"x\"(#l%d))\n".formatted(i, i - 1));
    }
    return Stream.of(
            row("module attributes {x = " + "[".repeat(100_000), "levels of nesting"),
            row("module attributes {x = " + "complex<".repeat(100_000), "levels of nesting"),
            row("module attributes {x = dense<" + "[".repeat(100_000), "more than 64 dimensions"),
            row("module {".repeat(100_000), "nesting"),
            row("module {} loc(" + "callsite(".repeat(100_000), "levels of nesting"),
            row(doubling + "module {}", "want fewer"),
            row(chain + "module {}", "levels of nesting"),
            row("%0:2147483647 = \"a.b\"() : () -> ()", "want 1 to 1000000 in all"))
        .map(row ->
            DynamicTest.dynamicTest(
                row[1] + " " + row[0].length(),
                () -> assertThat(refusal(row[0]).summary()).contains(row[1])));
  }

  /** A mutated text yields a module or one HloException. */
  @Test
  void mutatedTextsParseOrFailCleanly() {
    String text =
        """
        #loc1 = loc("a"("f":1:2))
        module @m attributes {a = #stablehlo.gather<offset_dims = [1]>, b = array<i64: 1, 2>} {
          func.func @f(%a: tensor<2x?x!quant.uniform<i8:f32:1, {0.5:1}>>, %b: tensor<f32>) {
            %0:2 = stablehlo.while(%i = %b, %j = %b) : tensor<f32>, tensor<f32>
            cond {
              %c = stablehlo.constant dense<[true, false]> : tensor<2xi1>
              stablehlo.return %c : tensor<2xi1>
            } do {
              %d = stablehlo.constant dense<"0x0000803F"> : tensor<2xf32> loc(#loc1)
              stablehlo.return %i, %j : tensor<f32>, tensor<f32>
            }
            %1 = stablehlo.reduce(%b init: %0#1) applies stablehlo.add across dimensions = [0] : \
        (tensor<f32>, tensor<f32>) -> tensor<f32>
            return
          }
        }
        {-# dialect_resources: { builtin: { blob: "0x0400000000" } } #-}
        """;
    Random random = new Random(1);
    String marks = "{}()[]<>\"%#@!^:,=-.x0 9\n\\/?*";
    for (int i = 0; i < (Nightly.isOn() ? 10_000 : 1_500); i++) {
      StringBuilder changed = new StringBuilder(text);
      for (int k = random.nextInt(4); k >= 0; k--) {
        int at = random.nextInt(changed.length());
        switch (random.nextInt(3)) {
          case 0 -> changed.setCharAt(at, marks.charAt(random.nextInt(marks.length())));
          case 1 -> changed.delete(at, Math.min(changed.length(), at + random.nextInt(20)));
          default -> changed.insert(at, marks.charAt(random.nextInt(marks.length())));
        }
      }
      try {
        Operation module = MlirParser.parse(changed.toString(), StandardDialects.INSTANCE);
        MlirPrinter.print(module, StandardDialects.INSTANCE, true);
      } catch (HloException refusal) {
        assertWithMessage("%s", changed).that(refusal.summary()).isNotEmpty();
      }
    }
  }

  @Test
  void missingRegionsAndBlocks() {
    Operation module =
        MlirParser.parse(
            """
            module {
              "a.b"() : () -> ()
              "a.c"() ({}) : () -> ()
            }
            """,
            StandardDialects.INSTANCE);
    Operation none = module.region(0).block().operations().get(0);
    Operation empty = module.region(0).block().operations().get(1);
    assertThat(assertThrows(HloException.class, () -> none.region(0)).summary())
        .isEqualTo("2:3: a.b: got 0 regions, want at least 1");
    assertThat(assertThrows(HloException.class, () -> empty.region(0).block()).summary())
        .isEqualTo("region got no blocks, want one");
  }
}
