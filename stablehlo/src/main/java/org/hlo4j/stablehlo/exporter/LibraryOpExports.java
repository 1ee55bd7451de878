package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.Routine;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/** The conversion of normalization, factorizations, Fourier transforms, random bits and top-k. */
final class LibraryOpExports {
  private LibraryOpExports() {}

  static ImmutableList<Value> values(OpExport op, Routine routine) {
    return switch (routine) {
      case BatchNormGrad norm ->
          norm(op, "stablehlo.batch_norm_grad", norm.epsilon(), norm.featureIndex());
      case BatchNormInference norm ->
          norm(op, "stablehlo.batch_norm_inference", norm.epsilon(), norm.featureIndex());
      case BatchNormTraining norm ->
          norm(op, "stablehlo.batch_norm_training", norm.epsilon(), norm.featureIndex());
      case Cholesky cholesky ->
          op.newOperation("stablehlo.cholesky").with("lower", cholesky.lower()).emit();
      case Fft fft ->
          op.newOperation("stablehlo.fft")
              .with("fft_type", AttributeFactory.word("fft_type", fft.fftType().name()))
              .with("fft_length", fft.fftLength())
              .emit();
      case RngBitGenerator generator ->
          op.newOperation("stablehlo.rng_bit_generator")
              .with(
                  "rng_algorithm",
                  AttributeFactory.word(
                      "rng_algorithm", generator.algorithm().name().substring("RNG_".length())))
              .emit();
      case Topk topk -> topk(op, topk);
      case TriangularSolve solve ->
          op.newOperation("stablehlo.triangular_solve")
              .with("left_side", solve.leftSide())
              .with("lower", solve.lower())
              .with("unit_diagonal", solve.unitDiagonal())
              .with("transpose_a", AttributeFactory.word("transpose", solve.transposeA().name()))
              .emit();
    };
  }

  private static ImmutableList<Value> norm(OpExport op, String name, float epsilon, int feature) {
    return op.newOperation(name)
        .with("epsilon", new Attribute.Floating(epsilon, Types.F32))
        .with("feature_index", feature)
        .emit();
  }

  /** Converts a top-k; CHLO's op selects the largest elements only. */
  private static ImmutableList<Value> topk(OpExport op, Topk topk) {
    return topk.largest()
        ? op.newOperation("chlo.top_k").with("k", topk.k()).emit()
        : op.newOperation("stablehlo.custom_call")
            .with(
                ChloLegalization.customCall(
                    "mhlo.topk",
                    ImmutableMap.of(
                        "k", Attribute.Int.i64(topk.k()), "largest", Attribute.Int.bool(false))))
            .emit();
  }
}
