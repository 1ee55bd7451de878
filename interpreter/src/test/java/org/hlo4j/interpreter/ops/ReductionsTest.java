package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;

/** Ops that reduce dimensions with a computation. */
class ReductionsTest {
  private final XlaBuilder b = new XlaBuilder("reductions");

  private static Literal run(XlaOp root, Literal... arguments) {
    return Evaluators.both().run(root.builder().build(root), arguments);
  }

  /** 0 to 23 as s32[2,3,4]. */
  private XlaOp cube() {
    return b.iota(ElementType.S32, 24).reshape(2, 3, 4);
  }

  @Test
  void overOneDimension() {
    XlaOp x = b.constant(new int[][] {{1, 2, 3}, {4, 5, 6}});
    XlaOp zero = b.constant(0);
    Literal result = run(b.tuple(x.reduce(zero, XlaOp::add, 0), x.reduce(zero, XlaOp::add, 1)));
    LiteralSubject.assertThat(result.element(0)).holds(new int[] {5, 7, 9});
    LiteralSubject.assertThat(result.element(1)).holds(new int[] {6, 15});
  }

  @Test
  void overSeveralDimensionsInAnyOrder() {
    XlaOp zero = b.constant(0);
    Literal result =
        run(
            b.tuple(
                cube().reduce(zero, XlaOp::add, 0, 2),
                cube().reduce(zero, XlaOp::add, 2, 0),
                cube().reduce(zero, XlaOp::add, 2, 1, 0)));
    LiteralSubject.assertThat(result.element(0)).holds(new int[] {60, 92, 124});
    LiteralSubject.assertThat(result.element(1)).holds(new int[] {60, 92, 124});
    LiteralSubject.assertThat(result.element(2)).holds(276);
  }

  /** Elements are reduced in row-major order, however the dimensions are named. */
  @Test
  void orderIsRowMajorWithTheInitialValueFirst() {
    XlaOp digits = b.constant(new int[][] {{1, 2}, {3, 4}});
    XlaOp seven = b.constant(7);
    Literal result =
        run(
            b.tuple(
                digits.reduce(seven, ReductionsTest::appendDigit, 1, 0),
                digits.reduce(seven, ReductionsTest::appendDigit, 0),
                digits.reduce(seven, ReductionsTest::appendDigit, 1)));
    LiteralSubject.assertThat(result.element(0)).holds(71234);
    LiteralSubject.assertThat(result.element(1)).holds(new int[] {713, 724});
    LiteralSubject.assertThat(result.element(2)).holds(new int[] {712, 734});
  }

  private static XlaOp appendDigit(XlaOp number, XlaOp digit) {
    return number.mul(number.builder().constant(10)).add(digit);
  }

  @Test
  void overNoDimensions() {
    XlaOp x = b.constant(new int[] {1, 2});
    LiteralSubject.assertThat(run(x.reduce(b.constant(10), XlaOp::add))).holds(new int[] {11, 12});
  }

  @Test
  void ofAScalar() {
    LiteralSubject.assertThat(run(b.constant(5).reduceAll(b.constant(10), XlaOp::mul))).holds(50);
  }

  @Test
  void ofNothingIsTheInitialValue() {
    XlaOp none = b.zeros(Shape.of(ElementType.F32, 3, 0));
    XlaOp init = b.constant(-1.5f);
    Literal result =
        run(
            b.tuple(
                none.reduce(init, XlaOp::add, 1),
                none.reduce(init, XlaOp::max, 0),
                none.reduceAll(init, XlaOp::mul)));
    LiteralSubject.assertThat(result.element(0)).holds(new float[] {-1.5f, -1.5f, -1.5f});
    LiteralSubject.assertThat(result.element(1)).holds(new float[0]);
    LiteralSubject.assertThat(result.element(2)).holds(-1.5f);
  }

  @Test
  void maximumAndAndAndComplexProduct() {
    XlaOp floats = b.constant(new float[] {3, -7, 5});
    XlaOp flags = b.constant(new boolean[] {true, false});
    XlaOp complex = b.constant(ElementType.C64, new float[][] {{0, 1}, {0, 1}});
    Literal result =
        run(
            b.tuple(
                floats.reduceAll(b.constant(Float.NEGATIVE_INFINITY), XlaOp::max),
                flags.reduceAll(b.constant(true), XlaOp::and),
                complex.reduceAll(b.constant(Literal.complex(ElementType.C64, 1, 0)), XlaOp::mul)));
    LiteralSubject.assertThat(result.element(0)).holds(5f);
    LiteralSubject.assertThat(result.element(1)).holds(false);
    LiteralSubject.assertThat(result.element(2)).holds(new float[] {-1, 0});
  }

  /** Value and position of the greatest element of each row, the first among equals. */
  @Test
  void severalArraysAtOnce() {
    XlaOp values = b.constant(new float[][] {{1, 9, 3}, {4, 4, 2}});
    XlaOp positions = b.iota(Shape.of(ElementType.S32, 2, 3), 1);
    XlaOp both =
        b.reduce(
            List.of(values, positions),
            List.of(b.constant(Float.NEGATIVE_INFINITY), b.constant(-1)),
            (body, p) -> {
              XlaOp keep = p.get(0).ge(p.get(2));
              return body.tuple(keep.select(p.get(0), p.get(2)), keep.select(p.get(1), p.get(3)));
            },
            1);
    Literal result = run(b.tuple(both.getTupleElement(0), both.getTupleElement(1)));
    LiteralSubject.assertThat(result.element(0)).holds(new float[] {9, 4});
    LiteralSubject.assertThat(result.element(1)).holds(new int[] {1, 0});
  }

  @Test
  void narrowFloatsAccumulateWide() {
    XlaOp ones = b.full(Shape.of(ElementType.BF16, 4096), 1);
    XlaOp halves = b.full(Shape.of(ElementType.F16, 4096), 1);
    Literal result =
        run(
            b.tuple(
                ones.reduceAll(b.constant(ElementType.BF16, 0), XlaOp::add),
                halves.reduceAll(b.constant(ElementType.F16, 0), XlaOp::add)));
    assertThat(result.element(0).doubleAt(0)).isEqualTo(4096);
    assertThat(result.element(1).doubleAt(0)).isEqualTo(4096);
  }

  @Test
  void sumRoundsOnce() {
    XlaOp x = b.constant(new float[] {1e8f, 1, -1e8f});
    LiteralSubject.assertThat(run(x.reduceAll(b.constant(0f), XlaOp::add))).holds(1f);
  }

  @Test
  void sumsKeepSignedZeroNaNAndInfinity() {
    XlaOp zeros = b.constant(new float[] {-0f, -0f});
    XlaOp infinities = b.constant(new float[] {Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY});
    Literal result =
        run(
            b.tuple(
                zeros.reduceAll(b.constant(-0f), XlaOp::add),
                zeros.reduceAll(b.constant(0f), XlaOp::add),
                infinities.reduceAll(b.constant(0f), XlaOp::add)));
    LiteralSubject.assertThat(result.element(0)).holds(-0f);
    LiteralSubject.assertThat(result.element(1)).holds(0f);
    LiteralSubject.assertThat(result.element(2)).holds(Float.NaN);
  }

  /** An addition that is not the plain one is taken for what it is. */
  @Test
  void bodiesThatOnlyLookLikeASum() {
    XlaOp x = b.constant(new float[] {1, 2, 4});
    XlaOp zero = b.constant(0f);
    Literal result =
        run(
            b.tuple(
                x.reduceAll(zero, (sum, element) -> element.add(element)),
                x.reduceAll(zero, (sum, element) -> element.add(sum)),
                x.reduceAll(zero, (sum, element) -> sum.add(element.mul(element))),
                x.reduceAll(zero, (sum, element) -> sum)));
    LiteralSubject.assertThat(result.element(0)).holds(8f);
    LiteralSubject.assertThat(result.element(1)).holds(7f);
    LiteralSubject.assertThat(result.element(2)).holds(21f);
    LiteralSubject.assertThat(result.element(3)).holds(0f);
  }
}
