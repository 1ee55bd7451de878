package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertWithMessage;

import java.util.Map;
import java.util.Random;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A row of a dot has the same bits whatever the number of rows, if the right side is row-major. */
final class RowsOfDotsTest {
  private static final int MAX_ROWS = 300;
  private static final int[] ROWS = {1, 2, 5, 6, 7, 40, 97, 128};

  @ParameterizedTest
  @CsvSource({
    "f32, 100, 5",
    "f32, 3072, 20",
    "f32, 768, 64",
    "f32, 3072, 130",
    "f32, 300, 1000",
    "f64, 3072, 20",
    "bf16, 600, 130",
    "bf16, 600, 256",
  })
  void haveTheSameBits(String type, int k, int columns) {
    ElementType elements = ElementType.named(type).orElseThrow();
    Random random = new Random(1);
    Literal left = KernelTester.Values.UP_TO_ONE.literal(Shape.of(elements, MAX_ROWS, k), random);
    Literal right = KernelTester.Values.UP_TO_ONE.literal(Shape.of(elements, k, columns), random);
    Literal all = dot(type, MAX_ROWS, k, columns).run(left, right);
    for (int rows : ROWS) {
      Literal some = rows(left, rows);
      Executable dot = dot(type, rows, k, columns);
      Literal want = rows(all, rows);
      assertWithMessage("%s rows", rows).that(dot.run(some, right)).isEqualTo(want);
      MicroKernels.await();
      assertWithMessage("%s rows", rows).that(dot.run(some, right)).isEqualTo(want);
      Executable bound = dot.bind(Map.of("w", right));
      assertWithMessage("%s rows, bound", rows).that(bound.run(some)).isEqualTo(want);
    }
  }

  private static Executable dot(String type, int rows, int k, int columns) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              x = %1$s[%2$d,%3$d] parameter(0)
              w = %1$s[%3$d,%4$d] parameter(1)
              ROOT d = %1$s[%2$d,%4$d] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
            }
            """
                .formatted(type, rows, k, columns));
    return Interpreter.compiled().compile(module);
  }

  private static Literal rows(Literal matrix, int count) {
    Shape.Array shape = (Shape.Array) matrix.shape();
    Shape.Array some = shape.withSizes(shape.sizes().with(0, count));
    LiteralBuilder rows = new LiteralBuilder(some);
    for (int i = 0; i < some.elementCount(); i++) {
      rows.setBits(i, matrix.bitsAt(i));
    }
    return rows.build();
  }
}
