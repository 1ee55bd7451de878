package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Collections;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ElementwiseTest {
  private static final ImmutableList<String> OPERAND_TYPES =
      ImmutableList.of("pred", "s32", "u32", "bf16", "f32", "c64");

  private static Elementwise op(String mnemonic) {
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.mnemonic().equals(mnemonic))
        .map(Elementwise::new)
        .findFirst()
        .orElseThrow();
  }

  private static Shape infer(Elementwise op, String type) {
    return op.infer(
        Collections.nCopies(op.kind().arity(), shape(type + "[2]")).toArray(Shape[]::new));
  }

  /** The element type of the result for operands of each type; {@code -} if they are refused. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          # mnemonic             ; n ; pred s32  u32  bf16 f32  c64
          abs                    ; 1 ; -    s32  -    bf16 f32  f32
          acos                   ; 1 ; -    -    -    bf16 f32  c64
          acosh                  ; 1 ; -    -    -    bf16 f32  c64
          add                    ; 2 ; pred s32  u32  bf16 f32  c64
          and                    ; 2 ; pred s32  u32  -    -    -
          asin                   ; 1 ; -    -    -    bf16 f32  c64
          asinh                  ; 1 ; -    -    -    bf16 f32  c64
          atan                   ; 1 ; -    -    -    bf16 f32  c64
          atan2                  ; 2 ; -    -    -    bf16 f32  c64
          atanh                  ; 1 ; -    -    -    bf16 f32  c64
          cbrt                   ; 1 ; -    -    -    bf16 f32  c64
          ceil                   ; 1 ; -    -    -    bf16 f32  -
          complex                ; 2 ; -    -    -    -    c64  -
          cosine                 ; 1 ; -    -    -    bf16 f32  c64
          cosh                   ; 1 ; -    -    -    bf16 f32  c64
          count-leading-zeros    ; 1 ; -    s32  u32  -    -    -
          divide                 ; 2 ; -    s32  u32  bf16 f32  c64
          erf                    ; 1 ; -    -    -    bf16 f32  -
          exponential            ; 1 ; -    -    -    bf16 f32  c64
          exponential-minus-one  ; 1 ; -    -    -    bf16 f32  c64
          floor                  ; 1 ; -    -    -    bf16 f32  -
          imag                   ; 1 ; -    -    -    bf16 f32  f32
          is-finite              ; 1 ; -    -    -    pred pred -
          log                    ; 1 ; -    -    -    bf16 f32  c64
          log-plus-one           ; 1 ; -    -    -    bf16 f32  c64
          logistic               ; 1 ; -    -    -    bf16 f32  c64
          maximum                ; 2 ; pred s32  u32  bf16 f32  c64
          minimum                ; 2 ; pred s32  u32  bf16 f32  c64
          mulhi                  ; 2 ; -    s32  u32  -    -    -
          multiply               ; 2 ; pred s32  u32  bf16 f32  c64
          negate                 ; 1 ; -    s32  u32  bf16 f32  c64
          not                    ; 1 ; pred s32  u32  -    -    -
          or                     ; 2 ; pred s32  u32  -    -    -
          popcnt                 ; 1 ; -    s32  u32  -    -    -
          power                  ; 2 ; -    s32  u32  bf16 f32  c64
          real                   ; 1 ; -    -    -    bf16 f32  f32
          remainder              ; 2 ; -    s32  u32  bf16 f32  -
          round-nearest-afz      ; 1 ; -    -    -    bf16 f32  -
          round-nearest-even     ; 1 ; -    -    -    bf16 f32  -
          rsqrt                  ; 1 ; -    -    -    bf16 f32  c64
          shift-left             ; 2 ; -    s32  u32  -    -    -
          shift-right-arithmetic ; 2 ; -    s32  u32  -    -    -
          shift-right-logical    ; 2 ; -    s32  u32  -    -    -
          sign                   ; 1 ; -    s32  -    bf16 f32  c64
          sine                   ; 1 ; -    -    -    bf16 f32  c64
          sinh                   ; 1 ; -    -    -    bf16 f32  c64
          sqrt                   ; 1 ; -    -    -    bf16 f32  c64
          subtract               ; 2 ; -    s32  u32  bf16 f32  c64
          tan                    ; 1 ; -    -    -    bf16 f32  c64
          tanh                   ; 1 ; -    -    -    bf16 f32  c64
          xor                    ; 2 ; pred s32  u32  -    -    -
          """)
  void elementTypes(String mnemonic, int arity, String results) {
    Elementwise op = op(mnemonic);
    assertThat(op.opcode()).isEqualTo(mnemonic);
    assertThat(op.arity()).isEqualTo(Arity.exactly(arity));
    ImmutableList<String> expected =
        ImmutableList.copyOf(Splitter.on(' ').omitEmptyStrings().split(results));
    for (int i = 0; i < OPERAND_TYPES.size(); i++) {
      String type = OPERAND_TYPES.get(i);
      if (expected.get(i).equals("-")) {
        assertThrows(HloException.class, () -> infer(op, type), mnemonic + " of " + type);
      } else {
        assertWithMessage("%s of %s", mnemonic, type)
            .that(infer(op, type))
            .isEqualTo(shape(expected.get(i) + "[2]"));
      }
    }
  }

  @Test
  void commutativeKinds() {
    assertThat(Arrays.stream(Kind.values()).filter(Kind::isCommutative).map(Kind::mnemonic))
        .containsExactly("add", "and", "maximum", "minimum", "mulhi", "multiply", "or", "xor");
  }

  /** A reminder to add a row above for a new kind. */
  @Test
  void numberOfKindsMatchesTheRows() {
    assertThat(Kind.values()).hasLength(51);
  }

  @Test
  void wideComponentTypes() {
    assertThat(infer(new Elementwise(Kind.MAKE_COMPLEX), "f64")).isEqualTo(shape("c128[2]"));
    assertThat(infer(new Elementwise(Kind.ABS), "c128")).isEqualTo(shape("f64[2]"));
    assertThat(infer(new Elementwise(Kind.IMAG), "f64")).isEqualTo(shape("f64[2]"));
  }

  @Test
  void unsupportedElementTypesAreRefused() {
    assertRefused(
        "abs: element type of operand got u32, want signed integer, float, complex",
        () -> infer(new Elementwise(Kind.ABS), "u32"));
    assertRefused(
        "subtract: element type of lhs got pred, want signed integer, unsigned integer, float,"
            + " complex",
        () -> infer(new Elementwise(Kind.SUBTRACT), "pred"));
    assertRefused(
        "xor: element type of lhs got f32, want pred, signed integer, unsigned integer",
        () -> infer(new Elementwise(Kind.XOR), "f32"));
    assertRefused(
        "complex: element type of lhs got bf16, want f32 or f64",
        () -> infer(new Elementwise(Kind.MAKE_COMPLEX), "bf16"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[2,3]    ; f32[2,3]    ; f32[2,3]
          f32[0]      ; f32[0]      ; f32[0]
          f32[]       ; f32[]       ; f32[]
          f32[?,2]    ; f32[3,2]    ; f32[3,2]
          f32[<=3]    ; f32[?]      ; f32[<=3]
          f32[<=3]    ; f32[3]      ; f32[<=3]
          f32[?]      ; f32[?]      ; f32[?]
          """)
  void binaryShapes(String lhs, String rhs, String result) {
    Elementwise add = new Elementwise(Kind.ADD);
    assertThat(add.infer(shape(lhs), shape(rhs))).isEqualTo(shape(result));
    assertThat(add.infer(shape(rhs), shape(lhs))).isEqualTo(shape(result));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[2]      ; s32[2]
          f32[2]      ; f32[]
          f32[2]      ; f32[2,1]
          f32[2]      ; f32[1]
          f32[2,3]    ; f32[3,2]
          f32[<=2]    ; f32[<=3]
          f32[<=2]    ; f32[3]
          """)
  void binaryOperandsHaveOneShape(String lhs, String rhs) {
    assertRefused(
        "add: lhs got " + lhs + " and rhs got " + rhs + ", want the same shape",
        () -> new Elementwise(Kind.ADD).infer(shape(lhs), shape(rhs)));
  }

  @Test
  void resultHasNoLayout() {
    Shape operand = shape("f32[2]").withLayout(Layout.rowMajor(1));
    assertThat(new Elementwise(Kind.EXPONENTIAL).infer(operand)).isEqualTo(shape("f32[2]"));
    assertThat(new Elementwise(Kind.ADD).infer(operand, operand)).isEqualTo(shape("f32[2]"));
  }

  @Test
  void operandsMatchTheArity() {
    Elementwise add = new Elementwise(Kind.ADD);
    Elementwise negate = new Elementwise(Kind.NEGATE);
    Shape x = shape("f32[2]");
    assertRefused("add: operand count got 1, want 2", () -> add.infer(x));
    assertRefused("negate: operand count got 2, want 1", () -> negate.infer(x, x));
    assertRefused("negate: operand got (), want an array", () -> negate.infer(Shape.tuple()));
    assertRefused("add: lhs got (), want an array", () -> add.infer(Shape.tuple(), x));
    assertRefused("add: rhs got token[], want an array", () -> add.infer(x, Shape.token()));
  }

  @Test
  void maximumAcceptsEveryElementType() {
    for (ElementType type : ElementType.values()) {
      assertThat(new Elementwise(Kind.MAXIMUM).infer(Shape.of(type, 2), Shape.of(type, 2)))
          .isEqualTo(Shape.of(type, 2));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          add      ; f32      ; f32[] 0
          add      ; c64      ; c64[] (0, 0)
          add      ; f8e8m0fnu; none
          or       ; pred     ; pred[] false
          xor      ; u8       ; u8[] 0
          and      ; pred     ; pred[] true
          and      ; s8       ; s8[] -1
          and      ; u8       ; u8[] 255
          multiply ; pred     ; pred[] true
          multiply ; f8e8m0fnu; f8e8m0fnu[] 1
          multiply ; c64      ; c64[] (1, 0)
          maximum  ; s8       ; s8[] -128
          maximum  ; u64      ; u64[] 0
          maximum  ; f32      ; f32[] -inf
          maximum  ; f8e4m3fn ; f8e4m3fn[] -448
          maximum  ; f8e8m0fnu; none
          maximum  ; c64      ; none
          minimum  ; u64      ; u64[] 18446744073709551615
          minimum  ; f4e2m1fn ; f4e2m1fn[] 6
          subtract ; f32      ; none
          """)
  void identity(String mnemonic, String type, String expected) {
    assertThat(
            ElementType.named(type)
                .flatMap(op(mnemonic).kind()::identity)
                .map(Object::toString)
                .orElse("none"))
        .isEqualTo(expected);
  }
}
