package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.OptionalLong;
import org.hlo4j.builder.lib.ApproxTopK;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Sort;

/**
 * The lowering of the custom call ApproxTopK, as XLA converts it where there is no TPU: all
 * elements are sorted, and none is missed.
 */
final class ApproxTopKs {
  private ApproxTopKs() {}

  /** Lowers a call whose configuration has k. */
  static ImmutableList<HloInstruction> lower(OpImport op) {
    return lower(op, op.operands(), config(op).int64("top_k"));
  }

  /** Lowers a call of n operands and n initial values. */
  static ImmutableList<HloInstruction> lower(
      OpImport op, ImmutableList<HloInstruction> operands, long k) {
    int count = operands.size() / 2;
    requireOperands(operands, count);
    ApproxTopK.Options options = options(config(op), k);
    Shape.Array shape = OpImport.arrayShape(operands.get(0));
    int dimension = options.reductionDim();
    verify(
        dimension >= 0 && dimension < shape.rank(),
        "reduction_dim got %s, want a dimension of %s",
        dimension,
        shape);
    long left =
        ApproxTopK.approxTopKReductionOutputSize(shape.size(dimension), shape.rank(), options)
            .outputSize();
    verify(
        left <= shape.size(dimension),
        "top_k got %s, want at most size %s of dimension %s",
        left,
        shape.size(dimension),
        dimension);
    return firstInOrder(op, operands.subList(0, count), dimension, left);
  }

  private static void requireOperands(ImmutableList<HloInstruction> operands, int count) {
    verify(
        count > 0 && operands.size() % 2 == 0,
        "operands got %s, want arrays and as many initial values",
        operands.size());
    Dims sizes = OpImport.arrayShape(operands.get(0)).sizes();
    for (int i = 0; i < count; i++) {
      Shape.Array array = OpImport.arrayShape(operands.get(i));
      Shape initial = operands.get(count + i).shape();
      verify(
          array.sizes().equals(sizes) && initial.equals(Shape.of(array.elementType())),
          "operand %s got %s with initial value %s, want sizes %s and a scalar of its type",
          i,
          array,
          initial,
          sizes);
    }
  }

  private static Fields config(OpImport op) {
    return op.fields()
        .dictionary("mhlo.backend_config")
        .or(() -> op.fields().dictionary("backend_config"))
        .orElse(op.fields());
  }

  private static ApproxTopK.Options options(Fields config, long k) {
    long override = config.int64("reduction_input_size_override", -1);
    return new ApproxTopK.Options(
        k,
        config.int32("reduction_dim"),
        config.real("recall_target"),
        config.int64("aggregate_to_topk") != 0,
        override < 0 ? OptionalLong.empty() : OptionalLong.of(override));
  }

  private static ImmutableList<HloInstruction> firstInOrder(
      OpImport op, List<HloInstruction> operands, int dimension, long count) {
    List<HloComputation> comparator = CustomCalls.calledComputations(op);
    verify(
        comparator.size() == 1,
        "called_computations got %s, want one comparator",
        comparator.size());
    Dims sizes = OpImport.arrayShape(operands.get(0)).sizes();
    Dims zeros = Dims.filled(sizes.count(), 0);
    Slice first = Slice.of(zeros, sizes.with(dimension, count), Dims.filled(sizes.count(), 1));
    HloInstruction sorted = op.emit(new Sort(Dims.of(dimension), false), operands, comparator);
    List<HloInstruction> all =
        operands.size() == 1 ? ImmutableList.of(sorted) : op.elements(sorted);
    return all.stream().map(each -> op.emit(first, each)).collect(toImmutableList());
  }
}
