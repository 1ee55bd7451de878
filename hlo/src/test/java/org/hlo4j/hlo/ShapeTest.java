package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.Refusals.assertRefused;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Collections;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ShapeTest {
  private static final Shape.Array X = Shape.of(F32, 2, 3);

  /** f32[2,<=4,?] */
  private static final Shape.Array DYNAMIC =
      new Shape.Array(
          F32, Dims.of(2, 4, Shape.UNBOUNDED), ImmutableSortedSet.of(1, 2), Optional.empty());

  private static Shape nested(int depth) {
    Shape shape = Shape.of(F32);
    for (int i = 0; i < depth; i++) {
      shape = Shape.tuple(shape);
    }
    return shape;
  }

  /** A tuple of two of the same, doubled again and again: 2^times values in few objects. */
  private static Shape doubled(int times) {
    Shape shape = Shape.of(F32);
    for (int i = 0; i < times; i++) {
      shape = Shape.tuple(shape, shape);
    }
    return shape;
  }

  private static Shape.Array dynamic(long... sizes) {
    return Shape.of(F32, sizes).withDynamic(ImmutableList.of(0));
  }

  @Test
  void printsAsHloText() {
    assertThat(Shape.of(F32).toString()).isEqualTo("f32[]");
    assertThat(X.toString()).isEqualTo("f32[2,3]");
    assertThat(Shape.of(F32, 0, 3).toString()).isEqualTo("f32[0,3]");
    assertThat(DYNAMIC.toString()).isEqualTo("f32[2,<=4,?]");
    assertThat(Shape.tuple().toString()).isEqualTo("()");
    assertThat(Shape.tuple(X, Shape.tuple(Shape.of(S32))).toString())
        .isEqualTo("(f32[2,3], (s32[]))");
    assertThat(Shape.token().toString()).isEqualTo("token[]");
    assertThat(new Shape.Opaque().toString()).isEqualTo("opaque[]");
  }

  @Test
  void printsLayouts() {
    assertThat(X.withDefaultLayout().toString()).isEqualTo("f32[2,3]{1,0}");
    assertThat(X.withLayout(new Layout(Dims.of(0, 1), "T(2,128)S(1)")).toString())
        .isEqualTo("f32[2,3]{0,1:T(2,128)S(1)}");
    assertThat(Shape.of(F32).withDefaultLayout().toString()).isEqualTo("f32[]");
    assertThat(Shape.tuple(X, Shape.token()).withDefaultLayout().toString())
        .isEqualTo("(f32[2,3]{1,0}, token[])");
  }

  @Test
  void printsAnIndexBeforeEveryFifthTupleElement() {
    Shape[] six = Collections.nCopies(6, (Shape) Shape.of(S32)).toArray(Shape[]::new);
    assertThat(Shape.tuple(six).toString())
        .isEqualTo("(s32[], s32[], s32[], s32[], s32[], /*index=5*/s32[])");
  }

  @Test
  void programShapePrintsAsSignature() {
    assertThat(new ProgramShape(ImmutableList.of(X, Shape.of(S32)), X).toString())
        .isEqualTo("(f32[2,3], s32[]) -> f32[2,3]");
    assertThat(new ProgramShape(ImmutableList.of(), X).toString()).isEqualTo("() -> f32[2,3]");
  }

  @Test
  void sizes() {
    assertThat(X.rank()).isEqualTo(2);
    assertThat(X.size(1)).isEqualTo(3);
    assertThat(X.elementCount()).isEqualTo(6);
    assertThat(Shape.of(F32).elementCount()).isEqualTo(1);
    assertThat(Shape.of(F32).isScalar()).isTrue();
    assertThat(Shape.of(F32, 1).isScalar()).isFalse();
    assertThat(Shape.of(F32, 1L << 62, 0, 1L << 62).elementCount()).isEqualTo(0);
    assertThat(Shape.of(F32, Long.MAX_VALUE).elementCount()).isEqualTo(Long.MAX_VALUE);
    assertThat(dynamic(4, 2).elementCount()).isEqualTo(8);
  }

  @Test
  void dynamicDimensions() {
    assertThat(DYNAMIC.isDynamic()).isTrue();
    assertThat(DYNAMIC.isDynamic(0)).isFalse();
    assertThat(DYNAMIC.isDynamic(1)).isTrue();
    assertThat(DYNAMIC.isUnbounded(1)).isFalse();
    assertThat(DYNAMIC.isUnbounded(2)).isTrue();
    assertThat(DYNAMIC.hasUnbounded()).isTrue();
    assertThat(DYNAMIC.sizeText(0)).isEqualTo("2");
    assertThat(DYNAMIC.sizeText(1)).isEqualTo("<=4");
    assertThat(DYNAMIC.sizeText(2)).isEqualTo("?");
    assertThat(X.isDynamic()).isFalse();
    assertThat(Shape.tuple(X, Shape.tuple(DYNAMIC)).isDynamic()).isTrue();
    assertThat(Shape.tuple(X, Shape.token(), new Shape.Opaque()).isDynamic()).isFalse();
  }

  @Test
  void changes() {
    assertThat(X.withSizes(Dims.of(6))).isEqualTo(Shape.of(F32, 6));
    assertThat(X.withElementType(S32)).isEqualTo(Shape.of(S32, 2, 3));
    assertThat(DYNAMIC.withElementType(S32).toString()).isEqualTo("s32[2,<=4,?]");
    assertThat(DYNAMIC.select(Dims.of(1, 0)).toString()).isEqualTo("f32[<=4,2]");
    assertThat(X.append(DYNAMIC, Dims.of(2, 1)).toString()).isEqualTo("f32[2,3,?,<=4]");
    assertThat(dynamic(4, 2).withDynamic(ImmutableList.of(1)).toString()).isEqualTo("f32[4,<=2]");
  }

  @Test
  void equalByContentLayoutIncluded() {
    Shape.Array withLayout = X.withLayout(Layout.rowMajor(2));
    assertThat(X).isEqualTo(Shape.of(F32, 2, 3));
    assertThat(X).isNotEqualTo(withLayout);
    assertThat(Shape.tuple(X)).isEqualTo(Shape.tuple(Shape.of(F32, 2, 3)));
    assertThat(Shape.tuple(X).hashCode()).isEqualTo(Shape.tuple(Shape.of(F32, 2, 3)).hashCode());
    assertThat(Shape.tuple(X)).isNotEqualTo(Shape.tuple(X, X));
    assertThat(dynamic(2)).isNotEqualTo(Shape.of(F32, 2));
  }

  @Test
  void compatibleIsEqualButForLayout() {
    Shape.Array withLayout = X.withLayout(new Layout(Dims.of(0, 1), ""));
    assertThat(X.compatible(withLayout)).isTrue();
    assertThat(Shape.tuple(X).compatible(Shape.tuple(withLayout))).isTrue();
    assertThat(X.compatible(Shape.of(S32, 2, 3))).isFalse();
    assertThat(X.compatible(Shape.of(F32, 3, 2))).isFalse();
    assertThat(X.compatible(Shape.tuple(X))).isFalse();
    assertThat(Shape.token().compatible(new Shape.Opaque())).isFalse();
    assertThat(Shape.token().compatible(Shape.token())).isTrue();
  }

  @Test
  void negativeSizesAreRefused() {
    assertRefused("shape: size of dimension 1 got -1, want at least 0", () -> Shape.of(F32, 2, -1));
    assertRefused(
        "shape: size of dimension 0 got -9223372036854775808, want at least 0",
        () -> Shape.of(F32, Shape.UNBOUNDED));
  }

  @Test
  void tooManyElementsAreRefused() {
    assertRefused(
        "shape: the element count of f32(4294967296, 2147483648) got above 2^63 - 1, want at most"
            + " that",
        () -> Shape.of(F32, 1L << 32, 1L << 31));
  }

  @Test
  void dynamicDimensionsMustExist() {
    assertRefused(
        "shape: dynamic dimensions [0, 2], want each from 0 to below the rank 2",
        () -> X.withDynamic(ImmutableList.of(2, 0)));
    assertRefused(
        "shape: dynamic dimensions [-1], want each from 0 to below the rank 2",
        () -> X.withDynamic(ImmutableList.of(-1)));
  }

  @Test
  void unboundedShapesHaveNoElementCount() {
    assertRefused(
        "shape: element count of f32[2,<=4,?] got ?, want a bound", DYNAMIC::elementCount);
  }

  @Test
  void deepTuplesAreRefused() {
    assertThat(nested(200).toString()).startsWith("((((");
    assertRefused("shape: tuple nested 201 deep, want at most 200", () -> nested(201));
  }

  @Test
  void hugeTuplesAreRefused() {
    assertThat(doubled(19).isDynamic()).isFalse();
    assertRefused("shape: tuple of 1048576 values, want at most 1000000", () -> doubled(20));
  }

  @Test
  void nullElementTypeIsRefused() {
    ElementType nothing = Nulls.of(ElementType.class);
    assertRefused("shape: element type got null, want one", () -> Shape.of(nothing, 2));
  }
}
