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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ShapeTest {
  private final Shape.Array x = Shape.of(F32, 2, 3);

  /** f32[2,<=4,?] */
  private final Shape.Array dynamic =
      new Shape.Array(
          F32, Dims.of(2, 4, Shape.UNBOUNDED), ImmutableSortedSet.of(1, 2), Optional.empty());

  private static Shape nested(int depth) {
    Shape shape = Shape.of(F32);
    for (int i = 0; i < depth; i++) {
      shape = Shape.tuple(shape);
    }
    return shape;
  }

  /**
   * Returns a tuple of 2^times values in few objects: each level contains the previous one twice.
   */
  private static Shape doubled(int times) {
    return doubled(times, Shape.of(F32));
  }

  private static Shape doubled(int times, Shape innermost) {
    Shape shape = innermost;
    for (int i = 0; i < times; i++) {
      shape = Shape.tuple(shape, shape);
    }
    return shape;
  }

  private static Shape.Array firstDynamic(long... sizes) {
    return Shape.of(F32, sizes).withDynamic(ImmutableList.of(0));
  }

  @Test
  void ranksAreLimited() {
    Shape.Array most = Shape.of(F32, Dims.filled(Shape.MAX_RANK, 1));
    assertThat(Shape.parse(most.toString())).isEqualTo(most);
    assertThat(Literal.zeros(most).toString()).endsWith("/*i252=0*/ {0}" + " }".repeat(254));
    assertRefused(
        "shape: got 9000 dimensions, want at most 255", () -> Shape.of(F32, Dims.filled(9000, 1)));
    assertRefused(
        "shape: got 256 dimensions, want at most 255", () -> most.append(most, Dims.of(0)));
  }

  @Test
  void printsAsHloText() {
    assertThat(Shape.of(F32).toString()).isEqualTo("f32[]");
    assertThat(x.toString()).isEqualTo("f32[2,3]");
    assertThat(Shape.of(F32, 0, 3).toString()).isEqualTo("f32[0,3]");
    assertThat(dynamic.toString()).isEqualTo("f32[2,<=4,?]");
    assertThat(Shape.tuple().toString()).isEqualTo("()");
    assertThat(Shape.tuple(x, Shape.tuple(Shape.of(S32))).toString())
        .isEqualTo("(f32[2,3], (s32[]))");
    assertThat(Shape.token().toString()).isEqualTo("token[]");
    assertThat(new Shape.Opaque().toString()).isEqualTo("opaque[]");
  }

  @Test
  void buffersHoldArrays() {
    Shape buffer = Shape.buffer(x);
    Shape tuple = Shape.tuple(Shape.token(), Shape.tuple(buffer));
    assertThat(tuple.withDefaultLayout().toString()).isEqualTo("(token[], (b(f32[2,3]{1,0})))");
    assertThat(tuple.compatible(tuple.withDefaultLayout())).isTrue();
    assertThat(buffer.compatible(x)).isFalse();
    assertThat(tuple.hasBuffers()).isTrue();
    assertThat(tuple.withoutBuffers()).isEqualTo(Shape.tuple(Shape.token(), Shape.tuple(x)));
    assertThat(tuple.withoutBuffers().hasBuffers()).isFalse();
    assertThat(Shape.buffer(dynamic).isDynamic()).isTrue();
    assertThat(buffer.isDynamic()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2]{0}                            | [f32[2]{0}]
          token[]                              | []
          ()                                   | []
          (s8[], (b(f32[3]), token[]), pred[]) | [s8[], f32[3], pred[]]
          """)
  void arraysInOrder(String shape, String arrays) {
    assertThat(Shape.parse(shape).arrays().toString()).isEqualTo(arrays);
  }

  @Test
  void printsLayouts() {
    assertThat(x.withDefaultLayout().toString()).isEqualTo("f32[2,3]{1,0}");
    assertThat(x.withLayout(new Layout(Dims.of(0, 1), "T(2,128)S(1)")).toString())
        .isEqualTo("f32[2,3]{0,1:T(2,128)S(1)}");
    assertThat(Shape.of(F32).withDefaultLayout().toString()).isEqualTo("f32[]");
    assertThat(Shape.tuple(x, Shape.token()).withDefaultLayout().toString())
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
    assertThat(new ProgramShape(ImmutableList.of(x, Shape.of(S32)), x).toString())
        .isEqualTo("(f32[2,3], s32[]) -> f32[2,3]");
    assertThat(new ProgramShape(ImmutableList.of(), x).toString()).isEqualTo("() -> f32[2,3]");
  }

  @Test
  void sizes() {
    assertThat(x.rank()).isEqualTo(2);
    assertThat(x.size(1)).isEqualTo(3);
    assertThat(x.elementCount()).isEqualTo(6);
    assertThat(Shape.of(F32).elementCount()).isEqualTo(1);
    assertThat(Shape.of(F32).isScalar()).isTrue();
    assertThat(Shape.of(F32, 1).isScalar()).isFalse();
    assertThat(Shape.of(F32, 1L << 62, 0, 1L << 62).elementCount()).isEqualTo(0);
    assertThat(Shape.of(F32, Long.MAX_VALUE).elementCount()).isEqualTo(Long.MAX_VALUE);
    assertThat(firstDynamic(4, 2).elementCount()).isEqualTo(8);
  }

  @Test
  void dynamicDimensions() {
    assertThat(dynamic.isDynamic()).isTrue();
    assertThat(dynamic.isDynamic(0)).isFalse();
    assertThat(dynamic.isDynamic(1)).isTrue();
    assertThat(dynamic.isUnbounded(1)).isFalse();
    assertThat(dynamic.isUnbounded(2)).isTrue();
    assertThat(dynamic.hasUnbounded()).isTrue();
    assertThat(dynamic.sizeText(0)).isEqualTo("2");
    assertThat(dynamic.sizeText(1)).isEqualTo("<=4");
    assertThat(dynamic.sizeText(2)).isEqualTo("?");
    assertThat(x.isDynamic()).isFalse();
    assertThat(Shape.tuple(x, Shape.tuple(dynamic)).isDynamic()).isTrue();
    assertThat(Shape.tuple(x, Shape.token(), new Shape.Opaque()).isDynamic()).isFalse();
  }

  @Test
  void modifiedShapes() {
    assertThat(x.withSizes(Dims.of(6))).isEqualTo(Shape.of(F32, 6));
    assertThat(x.withElementType(S32)).isEqualTo(Shape.of(S32, 2, 3));
    assertThat(dynamic.withElementType(S32).toString()).isEqualTo("s32[2,<=4,?]");
    assertThat(dynamic.select(Dims.of(1, 0)).toString()).isEqualTo("f32[<=4,2]");
    assertThat(x.append(dynamic, Dims.of(2, 1)).toString()).isEqualTo("f32[2,3,?,<=4]");
    assertThat(firstDynamic(4, 2).withDynamic(ImmutableList.of(1)).toString())
        .isEqualTo("f32[4,<=2]");
  }

  @Test
  void equalityIncludesLayout() {
    Shape.Array withLayout = x.withLayout(Layout.rowMajor(2));
    assertThat(x).isEqualTo(Shape.of(F32, 2, 3));
    assertThat(x).isNotEqualTo(withLayout);
    assertThat(Shape.tuple(x)).isEqualTo(Shape.tuple(Shape.of(F32, 2, 3)));
    assertThat(Shape.tuple(x).hashCode()).isEqualTo(Shape.tuple(Shape.of(F32, 2, 3)).hashCode());
    assertThat(Shape.tuple(x)).isNotEqualTo(Shape.tuple(x, x));
    assertThat(firstDynamic(2)).isNotEqualTo(Shape.of(F32, 2));
  }

  @Test
  void compatibleIgnoresLayout() {
    Shape.Array withLayout = x.withLayout(new Layout(Dims.of(0, 1), ""));
    assertThat(x.compatible(withLayout)).isTrue();
    assertThat(Shape.tuple(x).compatible(Shape.tuple(withLayout))).isTrue();
    assertThat(x.compatible(Shape.of(S32, 2, 3))).isFalse();
    assertThat(x.compatible(Shape.of(F32, 3, 2))).isFalse();
    assertThat(x.compatible(Shape.tuple(x))).isFalse();
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
        () -> x.withDynamic(ImmutableList.of(2, 0)));
    assertRefused(
        "shape: dynamic dimensions [-1], want each from 0 to below the rank 2",
        () -> x.withDynamic(ImmutableList.of(-1)));
  }

  @Test
  void unboundedShapesHaveNoElementCount() {
    assertRefused(
        "shape: element count of f32[2,<=4,?] got ?, want a bound", dynamic::elementCount);
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

  /** Tuples of nothing cost a walk over a shape as much as values do. */
  @Test
  void hugeTuplesOfTuplesAreRefused() {
    Shape nothing = Shape.tuple();
    assertThat(doubled(19, nothing).isDynamic()).isFalse();
    assertRefused(
        "shape: tuple of 2097150 values and tuples, want at most 2000000",
        () -> doubled(20, nothing));
    assertRefused(
        "shape: tuple of 3342334 values and tuples, want at most 2000000",
        () -> doubled(15, nested(100)));
  }

  @Test
  void nullElementTypeIsRefused() {
    ElementType nothing = Nulls.of(ElementType.class);
    assertRefused("shape: element type is null", () -> Shape.of(nothing, 2));
  }
}
