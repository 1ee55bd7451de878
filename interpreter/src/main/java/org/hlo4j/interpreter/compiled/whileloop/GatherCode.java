package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.interpreter.compiled.codegen.Value;

/** The code writer of a gather: computes the index at which each element of the result is read. */
final class GatherCode {
  private final ArrayCode code;
  private final Indices indices;
  private final Gather op;
  private final Shape.Array operand;
  private final Shape.Array starts;

  GatherCode(ArrayCode code, Gather op, List<Shape.Array> shapes) {
    this.code = code;
    this.indices = code.indices();
    this.op = op;
    this.operand = shapes.get(0);
    this.starts = shapes.get(1);
  }

  Operand.Leaf write(Shape.Array shape, List<Operand.Leaf> operands, boolean isShared) {
    Operand.Leaf source = code.toIndexable(operands.get(0));
    Operand.Leaf given = code.materializeIfExpensive(operands.get(1));
    int each = 1 + ArrayCode.cost(given);
    int cost = 2 + ArrayCode.cost(source) + op.startIndexMap().count() * each;
    Operand.Leaf vectors = code.readable(shape, cost, ImmutableList.of(given)).get(0);
    return code.compute(
        shape,
        cost,
        ImmutableList.of(source, vectors),
        isShared,
        index -> code.at(source, from(index, vectors)));
  }

  private ImmutableList<Value> from(ImmutableList<Value> index, Operand.Leaf vectors) {
    List<Value> vector = new ArrayList<>(index);
    List<Value> within = new ArrayList<>();
    for (int i = op.offsetDims().count() - 1; i >= 0; i--) {
      within.add(0, vector.remove(op.offsetDims().getInt(i)));
    }
    Value[] from = new Value[operand.rank()];
    Arrays.fill(from, indices.constant(0));
    Dims left = op.collapsedSliceDims().concat(op.operandBatchingDims());
    for (int d = 0; d < from.length; d++) {
      if (!left.contains(d)) {
        from[d] = within.remove(0);
      }
    }
    for (int i = 0; i < op.operandBatchingDims().count(); i++) {
      int dimension = op.startIndicesBatchingDims().getInt(i);
      from[op.operandBatchingDims().getInt(i)] =
          vector.get(dimension > op.indexVectorDim() ? dimension - 1 : dimension);
    }
    for (int i = 0; i < op.startIndexMap().count(); i++) {
      int d = op.startIndexMap().getInt(i);
      from[d] = indices.plus(start(vectors, vector, i, d), from[d]);
    }
    return ImmutableList.copyOf(from);
  }

  private Value start(Operand.Leaf vectors, List<Value> vector, int number, int dimension) {
    List<Value> at = new ArrayList<>(vector);
    if (op.indexVectorDim() < starts.rank()) {
      at.add(op.indexVectorDim(), indices.constant(number));
    }
    Value start = code.at(vectors, ImmutableList.copyOf(at));
    return indices.clamped(
        new Operand.Scalar(starts.elementType(), start),
        operand.size(dimension) - op.sliceSizes().get(dimension));
  }
}
