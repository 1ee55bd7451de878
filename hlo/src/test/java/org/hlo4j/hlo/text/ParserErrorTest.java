package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.SourcePosition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Errors of the parser, each with its whole message. */
final class ParserErrorTest {
  private static void assertRefused(String text, String... lines) {
    HloException refusal = assertThrows(HloException.class, () -> Parser.parse(text));
    assertThat(refusal).hasMessageThat().isEqualTo(String.join("\n", lines));
  }

  private static String entry(String... instructions) {
    return "HloModule m\n\nENTRY e {\n  x = f32[2,3] parameter(0)\n"
        + String.join("\n", instructions)
        + "\n}\n";
  }

  @Test
  void unknownOpcode() {
    assertRefused(
        entry("  ROOT y = f32[2,3] ad(x, x)"),
        "5:21: got the unknown opcode ad",
        "    ROOT y = f32[2,3] ad(x, x)",
        "                      ^",
        "  nearest known name: add");
  }

  @Test
  void errorsHaveKindAndPosition() {
    HloException refusal =
        assertThrows(HloException.class, () -> Parser.parse(entry("  ROOT y = ad(x, x)")));
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.PARSE);
    assertThat(refusal.position()).hasValue(new SourcePosition(5, 12));
  }

  @Test
  void sourceLineWithoutFileMustFit32Bits() {
    assertRefused(
        entry("  ROOT y = negate(x), metadata={source_line=2147483648}"),
        "5:55: got source_line=2147483648, want the number of a line",
        "  OT y = negate(x), metadata={source_line=2147483648}",
        "                                                    ^");
  }

  @Test
  void independentErrorsAreReportedTogether() {
    assertRefused(
        entry(
            "  first = add(x, firsst)",
            "  uses = multiply(first, first)",
            "  ROOT last = f32[3] reduse(x), dimensions={0}"),
        "5:18: got firsst, want the name of an earlier instruction",
        "    first = add(x, firsst)",
        "                   ^",
        "  7:22: got the unknown opcode reduse",
        "      ROOT last = f32[3] reduse(x), dimensions={0}",
        "                         ^",
        "    nearest known name: reduce");
  }

  @Test
  void misspeltOperand() {
    assertRefused(
        entry("  hidden = add(x, x)", "  ROOT r = add(hiden, x)"),
        "6:16: got hiden, want the name of an earlier instruction",
        "    ROOT r = add(hiden, x)",
        "                 ^",
        "  nearest known name: hidden");
  }

  @Test
  void misspeltAttribute() {
    assertRefused(
        entry("  ROOT y = f32[3,2] transpose(x), dimension={1,0}"),
        "5:35: got dimension, want an attribute of transpose",
        "    ROOT y = f32[3,2] transpose(x), dimension={1,0}",
        "                                    ^",
        "  nearest known name: dimensions");
  }

  @Test
  void missingAttribute() {
    assertRefused(
        entry("  ROOT y = f32[3,2] transpose(x)"),
        "5:21: got transpose without dimensions, want dimensions=…",
        "    ROOT y = f32[3,2] transpose(x)",
        "                      ^");
  }

  @Test
  void attributeOfAnotherOp() {
    assertRefused(
        entry("  ROOT y = add(x, x), dimensions={1,0}"),
        "5:23: got dimensions, want an attribute of add",
        "    ROOT y = add(x, x), dimensions={1,0}",
        "                        ^");
  }

  @Test
  void duplicateAttribute() {
    assertRefused(
        entry("  ROOT y = transpose(x), dimensions={1,0}, dimensions={0,1}"),
        "5:44: got dimensions twice, want it once",
        "    ROOT y = transpose(x), dimensions={1,0}, dimensions={0,1}",
        "                                             ^");
  }

  @Test
  void unknownEnumValueOfAttribute() {
    assertRefused(
        entry("  ROOT y = compare(x, x), direction=LTE"),
        "5:37: got LTE, want EQ, NE, GE, GT, LE, LT",
        "    ROOT y = compare(x, x), direction=LTE",
        "                                      ^",
        "  nearest known name: LE");
  }

  @Test
  void shapeThatCannotBeInferred() {
    assertRefused(
        entry("  ROOT y = reshape(x)"),
        "5:12: got reshape without a shape, want one before it",
        "    ROOT y = reshape(x)",
        "             ^");
  }

  @Test
  void layoutWithoutDimensions() {
    assertRefused(
        entry("  ROOT y = f32[2,3]{:} negate(x)"),
        "5:20: got a layout without dimensions, want 2",
        "    ROOT y = f32[2,3]{:} negate(x)",
        "                     ^");
  }

  @Test
  void shapeInferenceErrorWhenShapeIsOmitted() {
    assertRefused(
        entry("  ROOT y = dot(x, x), lhs_contracting_dims={99999999999}, rhs_contracting_dims={0}"),
        "5:12: dot: lhs dimension got 99999999999, want one of f32[2,3] [dot_general C6]",
        "    ROOT y = dot(x, x), lhs_contracting_dims={99999999999}, rhs_contracting_dims={0}",
        "             ^");
  }

  @Test
  void malformedLiterals() {
    assertRefused(
        entry(
            "  a = f32[2,2] constant({{1, 2}, {3}})",
            "  b = s8[2] constant({1, 300})",
            "  c = f16[] constant(65520)",
            "  d = f99[] constant(1)",
            "  e = f32[] constant(nan(0x800000))",
            "  f = pred[] constant(2)",
            "  g = c64[] constant(1)",
            "  h = u8[] constant(-1)"),
        "5:36: got }, want 2 elements rather than 1 at index (1) of f32[2,2]",
        "    a = f32[2,2] constant({{1, 2}, {3}})",
        "                                     ^",
        "  6:26: got 300, want an integer from -128 to 127",
        "      b = s8[2] constant({1, 300})",
        "                             ^",
        "  7:22: got 65520, want a number from -65504.0 to 65504.0",
        "      c = f16[] constant(65520)",
        "                         ^",
        "  8:7: got the unknown element type f99",
        "      d = f99[] constant(1)",
        "          ^",
        "  9:22: got nan, want a payload from nan(0x1) to nan(0x7fffff)",
        "      e = f32[] constant(nan(0x800000))",
        "                         ^",
        "  10:23: got 2, want true, false, 1 or 0",
        "      f = pred[] constant(2)",
        "                          ^",
        "  11:22: got 1, want ( and the real part of c64",
        "      g = c64[] constant(1)",
        "                         ^",
        "  12:21: got -1, want an integer from 0 to 255",
        "      h = u8[] constant(-1)",
        "                        ^");
  }

  @Test
  void operandShapeMismatch() {
    assertRefused(
        entry("  ROOT r = add(x, f32[3] x)"),
        "5:26: got f32[3] for x, want f32[2,3]",
        "    ROOT r = add(x, f32[3] x)",
        "                           ^");
  }

  @Test
  void duplicateNames() {
    assertRefused(
        entry("  x = negate(x)"),
        "5:3: got another instruction of the name x, want unique names",
        "    x = negate(x)",
        "    ^");
    assertRefused(
        "a { x = f32[] parameter(0) }\na { y = f32[] parameter(0) }",
        "2:1: got another computation of the name a, want unique names",
        "  a { y = f32[] parameter(0) }",
        "  ^");
  }

  @Test
  void duplicateRootEntryAndParameter() {
    assertRefused(
        "e {\n ROOT x = f32[] parameter(0)\n ROOT y = negate(x)\n}",
        "3:2: got a second ROOT, want one at most",
        "   ROOT y = negate(x)",
        "   ^");
    assertRefused(
        "ENTRY a { x = f32[] parameter(0) }\nENTRY b { y = f32[] parameter(0) }",
        "2:1: got a second ENTRY, want one at most",
        "  ENTRY b { y = f32[] parameter(0) }",
        "  ^");
    assertRefused(
        "a { x = f32[] parameter(0) y = f32[] parameter(0) }",
        "1:1: got two parameters 0 in a, want one",
        "  a { x = f32[] parameter(0) y = f32[] parameter(0) }",
        "  ^");
  }

  @Test
  void signatureMismatchesRoot() {
    assertRefused(
        "e (x: f32[2]) -> f32[3] {\n  ROOT x = f32[2] parameter(0)\n}",
        "1:1: got f32[3] as the result of e, want f32[2] as its root x",
        "  e (x: f32[2]) -> f32[3] {",
        "  ^");
  }

  @Test
  void entryComputationLayoutMismatch() {
    assertRefused(
        "HloModule m, entry_computation_layout={(f32[2])->f32[3]}\ne { x = f32[2] parameter(0) }",
        "1:39: got entry_computation_layout (f32[2]) -> f32[3], want (f32[2]) -> f32[2] as the"
            + " entry",
        "  HloModule m, entry_computation_layout={(f32[2])->f32[3]}",
        "                                        ^");
  }

  @Test
  void truncatedText() {
    assertRefused(
        "HloModule m\nENTRY e {\n  x = f32[] parameter(0)",
        "3:25: got the end of the text, want }",
        "    x = f32[] parameter(0)",
        "                          ^");
    assertRefused("", "1:1: got the end of the text, want a shape and an opcode", "  ", "  ^");
    assertRefused(
        "HloModule m /* no end",
        "1:13: got a comment without an end, want */",
        "  HloModule m /* no end",
        "              ^");
    assertRefused(
        "HloModule m, a=\"no end",
        "1:16: got a string without an end, want \"",
        "  HloModule m, a=\"no end",
        "                 ^");
    assertRefused(
        "HloModule m",
        "1:12: got the end of the text, want a computation",
        "  HloModule m",
        "             ^");
  }

  @Test
  void atMostTwentyErrorsAreReported() {
    String text = entry("  y = nothing(x)\n".repeat(30));
    HloException refusal = assertThrows(HloException.class, () -> Parser.parse(text));
    assertThat(refusal.facts().stream().filter(fact -> fact.name().equals("error"))).hasSize(19);
    assertThat(refusal).hasMessageThat().endsWith("\n  no more than 20 are told");
  }

  @Test
  void longLinesAreTruncated() {
    String text = "r = f32[] add(" + "f32[] constant(1), ".repeat(1000) + "@";
    HloException refusal = assertThrows(HloException.class, () -> Parser.parse(text));
    assertThat(
            String.valueOf(refusal.getMessage())
                .lines()
                .mapToInt(String::length)
                .max()
                .orElseThrow())
        .isLessThan(120);
  }

  static Stream<Arguments> firstLines() throws IOException {
    return FormsTest.blocks("refused.txt");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void firstLines(String message, String text) {
    HloException refusal = assertThrows(HloException.class, () -> Parser.parse(text));
    assertThat(String.valueOf(refusal.getMessage()).lines().findFirst()).hasValue(message);
  }

  // Hostile texts: each is refused quickly, by a single HloException.

  private static void assertRefusedSoon(String text, String... parts) {
    HloException refusal = assertThrows(HloException.class, () -> Parser.parse(text));
    for (String part : parts) {
      assertThat(refusal).hasMessageThat().contains(part);
    }
  }

  @Test
  void deepNestingIsRefused() {
    int deep = 1_000_000;
    assertRefusedSoon("x = " + "(".repeat(deep), "nested more than 100 deep");
    assertRefusedSoon("x = f32[] " + "negate(".repeat(deep), "nested more than 100 deep");
    assertRefusedSoon("x = f32[] negate(f32[] y), a=" + "{".repeat(deep), "more than 1000 deep");
    assertRefusedSoon("x = f32[" + "1,".repeat(deep), "more than 255 dimensions");
    assertRefusedSoon("x = f32[1] constant(" + "{".repeat(deep), "want a number");
    assertRefusedSoon(
        "x = f32[] call(f32[] y), to_apply="
            + "{ y = f32[] parameter(0) r = f32[] call(y), to_apply=".repeat(900)
            + "}".repeat(900),
        "computations nested more than 200 deep");
    assertRefusedSoon(
        "x = " + "(".repeat(90) + "f32[]" + ")".repeat(90) + " constant(" + "(".repeat(deep));
  }

  /** Elements are counted, however they are nested, where there are too few for the shape. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[5,8] {1,2,3}            | 1:10: got 3 elements, want 40 elements of f32[5,8]",
        "f32[5,8] {{1, 2}, {3}}      | 1:10: got 3 elements, want 40 elements of f32[5,8]",
        "f32[5,8] 7                  | 1:10: got a scalar for the 40 elements of f32[5,8], want {"
            + " and all of them, or a broadcast of a scalar constant",
        "f32[5,8] {}                 | 1:10: got 0 elements, want 40 elements of f32[5,8]",
        "c64[99] {(1, 2), (3,4)}     | 1:9: got 2 elements, want 99 elements of c64[99]",
        "f32[99] {1, -2.5e1, /* and */ nan, inf | 1:9: got 4 elements, want 99 elements of f32[99]",
        "s32[300] {1, 2}, metadata={op_name=\"f\"} | 1:10: got 2 elements, want 300 elements of"
            + " s32[300]",
      })
  void tooFewElementsAreCounted(String literal, String first) {
    HloException refusal = assertThrows(HloException.class, () -> Parser.parseLiteral(literal));
    assertThat(refusal.summary()).isEqualTo(first);
  }

  @Test
  void hugeSizesAreRefused() {
    assertRefusedSoon("x = f32[2000000000] constant({1})", "want 2000000000 elements");
    assertRefusedSoon("x = f32[2000000000,0] constant({})", "want fewer empty rows");
    assertRefusedSoon("x = f32[99999999999,99999999999] parameter(0)", "element count");
    assertRefusedSoon("x = f32[99999999999999999999] parameter(0)", "want a size");
    assertRefusedSoon("x = f32[-1] parameter(0)", "want at least 0");
    assertRefusedSoon("x = f32[] parameter(99999999999)", "want the number of the parameter");
    assertRefusedSoon("x = f32[?] constant({1,2,3})", "want a bound for each size");
  }
}
