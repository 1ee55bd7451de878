package org.hlo4j.check.shrink;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.SliceRanges;

/** Replaces a convolution of several groups by that of the first group, padded with zeros. */
final class ConvolutionGroups {
  private ConvolutionGroups() {}

  static Optional<Edit.Change> first(HloInstruction at) {
    return at.op() instanceof Convolution op
            && op.featureGroupCount() * op.batchGroupCount() > 1
            && !at.shape().isDynamic()
        ? Optional.of((draft, old, operands) -> first(draft, old, op, operands))
        : Optional.empty();
  }

  private static HloInstruction first(
      Draft draft, HloInstruction old, Convolution op, ImmutableList<HloInstruction> operands) {
    long groups = op.featureGroupCount() * op.batchGroupCount();
    int split =
        op.featureGroupCount() > 1
            ? op.dimLabels().inputFeatureDimension()
            : op.dimLabels().inputBatchDimension();
    HloInstruction conv =
        draft.add(
            old.name(),
            op.withFeatureGroupCount(1).withBatchGroupCount(1),
            List.of(
                part(draft, operands.get(0), split, groups),
                part(
                    draft,
                    operands.get(1),
                    op.dimLabels().kernelOutputFeatureDimension(),
                    groups)));
    Shape.Array shape = (Shape.Array) conv.shape();
    int feature = op.dimLabels().outputFeatureDimension();
    HloInstruction zero =
        draft.add("zero", new Constant(Literal.zeros(Shape.of(shape.elementType()))), List.of());
    return draft.add(
        "pad",
        new Pad(
            PadConfig.none(shape.rank())
                .withDimension(feature, 0, (groups - 1) * shape.size(feature), 0)),
        List.of(conv, zero));
  }

  private static HloInstruction part(
      Draft draft, HloInstruction operand, int dimension, long groups) {
    Dims sizes = ((Shape.Array) operand.shape()).sizes();
    int rank = sizes.count();
    return draft.add(
        operand.name(),
        new Slice(
            new SliceRanges(
                Dims.filled(rank, 0),
                sizes.with(dimension, sizes.get(dimension) / groups),
                Dims.filled(rank, 1))),
        List.of(operand));
  }
}
