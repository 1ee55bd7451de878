package org.hlo4j.interpreter.compiled.math;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F64;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Generated code of every op and type, by all code emitters, against the reference evaluator. */
@Execution(ExecutionMode.CONCURRENT)
final class ElementFunctionsTest {
  private static final List<Elementwise.Kind> KINDS = List.of(Elementwise.Kind.values());

  static List<ElementType> types() {
    return Arrays.stream(ElementType.values()).filter(type -> !type.isComplex()).toList();
  }

  static Stream<ElementType> floats() {
    return types().stream().filter(ElementType::isFloating);
  }

  @ParameterizedTest
  @EnumSource
  void everyOpOnEveryType(Elementwise.Kind kind) {
    Elementwise op = new Elementwise(kind);
    for (ElementType type : types()) {
      boolean isTried =
          type == ElementType.F32 || Samples.isTried(KINDS.indexOf(kind) + types().indexOf(type));
      if (isTried && kind.accepts(type) && !kind.resultType(type).isComplex()) {
        Literal[] operands =
            kind.arity() == 1 ? new Literal[] {Samples.one(type)} : Samples.pair(type, type);
        int ulps = !type.isFloating() || !ElementMath.isKnown(kind) ? 0 : type == F64 ? 2 : 1;
        Functions.check(ulps, op, operands);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void comparisons(Compare.Direction direction) {
    for (ElementType type : Nightly.some(3, direction.name(), types())) {
      Literal[] operands = Samples.pair(type, type);
      Functions.check(0, new Compare(direction, Optional.empty()), operands);
      if (type.isFloating()) {
        Compare.Type order = Compare.Type.TOTALORDER;
        Functions.check(0, new Compare(direction, Optional.of(order)), operands);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("types")
  void selectAndClamp(ElementType type) {
    Literal[] operands = Samples.pair(type, type);
    Literal[] masks = Samples.pair(ElementType.PRED, ElementType.PRED);
    Functions.check(0, new Select(), masks[1], operands[0], operands[1]);
    if (type != ElementType.PRED) {
      Functions.check(0, new Clamp(), operands[1], operands[0], operands[1]);
    }
  }

  @ParameterizedTest
  @MethodSource("types")
  void conversions(ElementType from) {
    Literal operand = Samples.one(from);
    types().stream()
        .filter(to -> Samples.isTried(types().indexOf(from) + types().indexOf(to)))
        .forEach(to -> Functions.check(0, new Convert(to), operand));
  }

  @ParameterizedTest
  @MethodSource("types")
  void bitcasts(ElementType from) {
    Literal operand = Samples.one(from, bits -> from != ElementType.F16 || !isSignalling(bits));
    types().stream()
        .filter(to -> BitcastConvert.width(to) == BitcastConvert.width(from))
        .forEach(to -> Functions.check(0, new BitcastConvert(to), operand));
  }

  /** {@return whether bits are a signalling NaN of f16, which Java's own conversions make quiet} */
  private static boolean isSignalling(long bits) {
    return (bits & 0x7e00) == 0x7c00 && (bits & 0x3ff) != 0;
  }

  @ParameterizedTest
  @EnumSource(names = {"F16", "BF16", "S16", "U16"})
  void all16BitPatterns(ElementType type) {
    Functions.check(0, new Convert(ElementType.F32), Samples.all(type));
    Functions.check(0, new Elementwise(Elementwise.Kind.NEGATE), Samples.all(type));
  }

  /**
   * Includes lanes of 64 bits, of which vectors of 256 bits have four and those of 128 bits two.
   */
  @ParameterizedTest
  @CsvSource({
    "EXPONENTIAL, F64",
    "MULTIPLY, F64",
    "ERF, F32",
    "POPCNT, S64",
    "ABS, S64",
    "DIVIDE, S32",
    "REMAINDER, U32",
    "ADD, U8",
  })
  void opsAreVectorizable(Elementwise.Kind kind, ElementType type) {
    List<ElementType> operands = Collections.nCopies(kind.arity(), type);
    assertThat(ElementFunctions.traits(new Elementwise(kind), operands, type).isVectorizable())
        .isTrue();
  }

  /** AVX2 does not convert between floats and integers of 64 bits. */
  @ParameterizedTest
  @CsvSource({
    "S8, F64, true", "F64, U8, true", "U32, F32, true", "U32, F64, true", "F64, U32, true",
    "S64, S8, true", "S64, F64, false", "F64, S64, false", "F32, U64, false", "U64, BF16, false",
  })
  void conversionsAreVectorizable(ElementType from, ElementType to, boolean alsoWithAvx2) {
    boolean isAvx2 =
        Machine.vectorBits() == 256 && System.getProperty("os.arch", "").equals("amd64");
    assertThat(ElementFunctions.traits(new Convert(to), List.of(from), to).isVectorizable())
        .isEqualTo(alsoWithAvx2 || !isAvx2);
  }

  @ParameterizedTest
  @MethodSource("floats")
  void reducePrecision(ElementType type) {
    for (int exponentBits : new int[] {1, 2, 4, 5, 8, 11}) {
      for (int mantissaBits : new int[] {0, 1, 3, 7, 10, 23, 52}) {
        if (!Samples.isTried(exponentBits + mantissaBits + types().indexOf(type))) {
          continue;
        }
        ReducePrecision op = new ReducePrecision(exponentBits, mantissaBits);
        Functions.check(0, op, Samples.few(type));
      }
    }
  }
}
