package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Columns whose terms threads share, in parts: each part begins with a number that leaves every
 * other as it is, in types without infinity, too.
 */
final class ColumnsInPartsTest {
  @ParameterizedTest
  @CsvSource({
    "f32, maximum",
    "f32, minimum",
    "bf16, maximum",
    "f8e4m3fn, maximum",
    "f8e4m3fn, minimum",
    "f8e4m3fnuz, maximum",
    "f8e5m2fnuz, minimum",
    "f8e4m3b11fnuz, maximum",
    "s8, maximum",
    "u64, minimum",
  })
  void likeTheReference(String type, String op) {
    ReducePrograms.check(ReducePrograms.reduce(type + "[8200,17]", "0", op, "1"), 1, 0);
  }

  @ParameterizedTest
  @CsvSource({"maximum, 8", "minimum, 2"})
  void scalesWithoutSign(String op, double want) {
    HloModule module = ReducePrograms.reduce("f8e8m0fnu[8200,17]", "0", op, "4");
    LiteralBuilder scales = new LiteralBuilder(Shape.of(ElementType.F8E8M0FNU, 8200, 17));
    for (int i = 0; i < 8200 * 17; i++) {
      scales.setBits(i, ElementType.F8E8M0FNU.encode(2 << i % 3));
    }
    Literal result = ReducePrograms.TESTER.result(module, scales.build());
    assertThat(result.doubleAt(0)).isEqualTo(want);
  }
}
