package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.byName;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.numpy;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.pdpd;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.builder.DimensionName;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.broadcast.Broadcasts;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;
import org.junit.jupiter.api.Test;

/** Propagation of dimension names, and reports of ambiguous implicit alignments. */
final class DimensionNamesTest {
  private final XlaBuilder b = new XlaBuilder("t");
  private final XlaOp plain = b.parameter(0, Shape.of(F32, 2, 3), "x");
  private final XlaOp x = plain.named("batch", "features");
  private final XlaOp zero = b.constant(0f);
  private final XlaOp square = b.parameter(1, Shape.of(F32, 3, 3), "square");
  private final XlaOp v = b.parameter(2, Shape.of(F32, 3), "v");

  private static String names(XlaOp op) {
    return op.dimensionNames().stream()
        .map(name -> name.map(DimensionName::name).orElse("?"))
        .collect(joining(" "));
  }

  @Test
  void namesBelongToHandlesOnly() {
    assertThat(names(x)).isEqualTo("batch features");
    assertThat(names(plain)).isEqualTo("? ?");
    assertThat(x.instruction()).isSameInstanceAs(plain.instruction());
    assertThat(x.add(x).builder().build().toString()).doesNotContain("features");
  }

  @Test
  void propagateThroughElementwiseOps() {
    assertThat(names(x.exp())).isEqualTo("batch features");
    assertThat(names(x.add(plain))).isEqualTo("batch features");
    assertThat(names(plain.lt(x))).isEqualTo("batch features");
    assertThat(names(x.lt(plain).select(plain, plain))).isEqualTo("batch features");
    assertThat(names(x.add(zero))).isEqualTo("batch features");
    assertThat(names(x.convertElementType(F32))).isEqualTo("batch features");
  }

  @Test
  void conflictingNamesAreDropped() {
    assertThat(names(x.add(plain.named("batch", "time")))).isEqualTo("batch ?");
    assertThat(names(square.named("a", "b").add(square.named("b", "a")))).isEqualTo("? ?");
  }

  @Test
  void propagateThroughShapeOps() {
    assertThat(names(x.transpose(1, 0))).isEqualTo("features batch");
    assertThat(names(x.broadcast(4))).isEqualTo("? batch features");
    assertThat(names(x.broadcastInDim(Dims.of(2, 5, 3), Dims.of(0, 2))))
        .isEqualTo("batch ? features");
    assertThat(names(x.reshape(2, 1, 3))).isEqualTo("batch ? features");
    assertThat(names(x.reshape(3, 2))).isEqualTo("? ?");
    assertThat(names(x.reduce(zero, (p, q) -> p.add(q), 0))).isEqualTo("features");
    assertThat(names(x.rev(0))).isEqualTo("? ?");
    assertThat(names(Broadcasts.broadcastTo(x, 4, 2, 3))).isEqualTo("? batch features");
  }

  @Test
  void propagateThroughDot() {
    XlaOp weights = square.named("features", "hidden");
    assertThat(names(x.dot(weights))).isEqualTo("batch hidden");
    assertThat(names(x.dot(square.named("features", "batch")))).isEqualTo("? ?");
    XlaOp cube = b.parameter(3, Shape.of(F32, 4, 2, 3), "cube").named("head", "row", "inner");
    XlaOp other = b.parameter(4, Shape.of(F32, 4, 3, 5), "other").named("head", "inner", "column");
    assertThat(names(cube.dotGeneral(other, Dot.batchMatmul(3)))).isEqualTo("head row column");
  }

  @Test
  void alignOperands() {
    XlaOp bias = v.named("features");
    assertThat(names(bias.add(x, byName()))).isEqualTo("batch features");
    assertThat(names(x.transpose(1, 0).add(x, byName()))).isEqualTo("features batch");
    XlaOp time = b.parameter(3, Shape.of(F32, 5), "t").named("time");
    assertThat(names(x.add(time, byName()))).isEqualTo("batch features time");
    assertThat(x.add(time, byName()).shape()).isEqualTo(Shape.of(F32, 2, 3, 5));
    assertThat(names(x.reduce(zero, (p, q) -> p.max(q), 1).add(x, byName())))
        .isEqualTo("batch features");
    assertThat(names(x.add(v, numpy()))).isEqualTo("batch features");
  }

  @Test
  void ambiguityReportsBothAlignments() {
    List<String> told = new ArrayList<>();
    b.onAmbiguity(finding -> told.add(finding.getMessage().replaceAll("java:\\d+", "java")));
    square.add(v, numpy());
    assertThat(told)
        .containsExactly(
            """
            add: ambiguous broadcast of v onto square: numpy() lays it on dimensions (1), but (0) would fit as well [ambiguous]
              square   f32[3,3]   parameter 1   DimensionNamesTest.java
              v        f32[3]     parameter 2   DimensionNamesTest.java
                       dim 0   dim 1
              square       3       3
              v                    3   chosen by numpy()
                       dim 0   dim 1
              square       3       3
              v            3           explicit(0)
              say which: explicit(1) or explicit(0)
              at DimensionNamesTest.java\
            """);
  }

  @Test
  void ambiguityHandlerCanThrow() {
    b.onAmbiguity(finding -> {
      throw finding;
    });
    HloException refusal = assertThrows(HloException.class, () -> square.add(v, pdpd()));
    assertThat(refusal.label()).isEqualTo("ambiguous");
    assertThrows(HloException.class, () -> Broadcasts.expand(v, 3, 3));
    XlaOp column = b.parameter(3, Shape.of(F32, 3, 1), "column");
    assertThrows(HloException.class, () -> column.sub(v, numpy()));
    XlaOp one = b.parameter(4, Shape.of(F32, 1, 1), "one");
    assertThrows(HloException.class, () -> one.sub(v, numpy()));
  }

  @Test
  void unambiguousBroadcastsAreNotReported() {
    b.onAmbiguity(finding -> {
      throw finding;
    });
    square.add(v, Dims.of(0));
    square.add(v, pdpd(1));
    square.add(square, numpy());
    square.add(zero, numpy());
    square.add(b.parameter(3, Shape.of(F32, 1), "one"), numpy());
    x.add(v, numpy());
    x.add(v.named("features"), byName());
    b.parameter(4, Shape.of(F32, 1, 16, 5), "image")
        .add(b.parameter(5, Shape.of(F32, 16, 1), "channels"), numpy());
    b.parameter(6, Shape.of(F32, 2, 4, 3), "cube")
        .add(b.parameter(7, Shape.of(F32, 1, 3), "line"), numpy());
    XlaBuilder silent = new XlaBuilder("silent");
    XlaOp other = silent.parameter(0, Shape.of(F32, 3, 3), "other");
    other.add(silent.parameter(1, Shape.of(F32, 3), "w"), numpy());
  }
}
