package org.hlo4j.interpreter.conformance;

import static java.util.Map.entry;

import com.google.common.collect.ImmutableMap;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.hlo.op.Window;

/** Ops whose elements are sums of many: reductions, windows, products, normalizations. */
final class SumExamples {
  static final ImmutableMap<Class<? extends Op>, Example> TABLE =
      ImmutableMap.ofEntries(
          entry(
              BatchNormGrad.class,
              Example.of(
                  b ->
                      twoRows(b)
                          .batchNormGrad(
                              vector(b, 2),
                              vector(b, 2),
                              vector(b, 1),
                              b.constant(new float[][] {{1}, {0}}),
                              3,
                              1),
                  Literal.tuple(
                      Literal.of(new float[][] {{.375f}, {-.375f}}),
                      Literal.of(new float[] {-.5f}),
                      Literal.of(new float[] {1})))),
          entry(
              BatchNormInference.class,
              Example.of(
                  b ->
                      twoRows(b)
                          .batchNormInference(
                              vector(b, 2), vector(b, 5), vector(b, 2), vector(b, 3), 1, 1),
                  new float[][] {{4}, {6}})),
          entry(
              BatchNormTraining.class,
              Example.of(
                  b -> twoRows(b).batchNormTraining(vector(b, 2), vector(b, 5), 0, 1),
                  Literal.tuple(
                      Literal.of(new float[][] {{3}, {7}}),
                      Literal.of(new float[] {2}),
                      Literal.of(new float[] {1})))),
          entry(
              Cholesky.class,
              Example.of(
                  b -> b.constant(new float[][] {{4, 77}, {2, 5}}).cholesky(true),
                  new float[][] {{2, 0}, {1, 2}})),
          entry(
              Convolution.class,
              Example.of(
                  b ->
                      b.constant(new int[][][] {{{1, 2, 3}}})
                          .conv(b.constant(new int[][][] {{{10, 1}}}), Window.of(2)),
                  new int[][][] {{{12, 23}}})),
          entry(
              Dot.class,
              Example.of(b -> b.constant(new int[] {1, 2}).dot(b.constant(new int[] {3, 4})), 11)),
          entry(
              Fft.class,
              Example.of(
                  b -> b.constant(new float[] {1, 2}).fft(Fft.FftType.RFFT, 2).real(),
                  new float[] {3, -1})),
          entry(
              RaggedDot.class,
              Example.of(
                  b ->
                      b.constant(new int[][] {{1}, {2}, {3}})
                          .raggedDot(
                              b.constant(new int[][][] {{{1}}, {{10}}}),
                              b.constant(new int[] {1, 2}),
                              RaggedDot.of(
                                  Dot.general(Dims.of(), Dims.of(1), Dims.of(), Dims.of(1)), 0, 0)),
                  new int[][] {{1}, {20}, {30}})),
          entry(
              Reduce.class,
              Example.of(
                  b -> b.constant(new int[] {1, 2, 3}).reduceAll(b.constant(0), XlaOp::add), 6)),
          entry(
              ReduceWindow.class,
              Example.of(
                  b ->
                      b.constant(new int[] {1, 2, 3})
                          .reduceWindow(b.constant(0), XlaOp::add, Window.of(2)),
                  new int[] {3, 5})),
          entry(ScaledDot.class, Example.of(SumExamples::scaledDot, new float[][] {{28}})),
          entry(
              SelectAndScatter.class,
              Example.of(
                  b ->
                      b.constant(new int[] {1, 3, 2})
                          .selectAndScatter(
                              XlaOp::ge,
                              Window.of(3),
                              b.constant(new int[] {7}),
                              b.constant(0),
                              XlaOp::add),
                  new int[] {0, 7, 0})),
          entry(
              TriangularSolve.class,
              Example.of(
                  b ->
                      b.constant(new float[][] {{2, 77}, {1, 4}})
                          .triangularSolve(
                              b.constant(new float[][] {{2}, {9}}), TriangularSolve.left(true)),
                  new float[][] {{1}, {2}})));

  private SumExamples() {}

  private static XlaOp twoRows(XlaBuilder b) {
    return b.constant(new float[][] {{1}, {3}});
  }

  private static XlaOp vector(XlaBuilder b, float feature) {
    return b.constant(new float[] {feature});
  }

  /** 4 * 2 * (1 * 1.5 + 2 * 1) */
  private static XlaOp scaledDot(XlaBuilder b) {
    return b.constant(ElementType.F8E4M3FN, new float[][] {{1, 2}})
        .scaledDot(
            b.constant(ElementType.F8E4M3FN, new float[][] {{1.5f}, {1}}),
            b.constant(ElementType.F8E8M0FNU, new float[][] {{4}}),
            b.constant(ElementType.F8E8M0FNU, new float[][] {{2}}),
            ScaledDot.of(Dot.matmul().withPreferredElementType(ElementType.F32)));
  }
}
