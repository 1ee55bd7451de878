package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Extracts a box of fixed size at start indices given by operands: {@code result[i] = operand[start
 * + i]}.
 *
 * <p>Operands: the array, then a start index for each dimension, integer scalars of one type. A
 * start index that would let the box reach beyond the array is clamped so that the box fits: {@code
 * start = clamp(0, start_indices, size(operand) - dynamicSliceSizes)}.
 *
 * <pre>
 *   dynamic_slice_sizes={2}   start 2     start 9     start -1
 *     0 1 2 3 4         -&gt;    2 3         3 4         0 1
 * </pre>
 *
 * @param dynamicSliceSizes the size of the box in each dimension
 */
public record DynamicSlice(Dims dynamicSliceSizes) implements Movement {
  @Override
  public String opcode() {
    return "dynamic-slice";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    new StartIndices(in, 1, operand).check("dynamic_slice C2", "dynamic_slice C3");
    require(
        dynamicSliceSizes.count() == operand.rank(),
        "dynamic_slice C2",
        "dynamic_slice_sizes got %s, want one for each of the %s dimensions of %s",
        dynamicSliceSizes,
        operand.rank(),
        operand);
    for (int i = 0; i < operand.rank(); i++) {
      long size = dynamicSliceSizes.get(i);
      require(
          size >= 0 && (operand.isUnbounded(i) || size <= operand.size(i)),
          "dynamic_slice C4",
          "dynamic_slice_sizes[%s] got %s, want from 0 to %s, the size of dimension %s of %s",
          i,
          size,
          operand.sizeText(i),
          i,
          operand);
    }
    return operand.withSizes(dynamicSliceSizes);
  }

  /** {@code result[i] = operand[start + i]}, the start clamped so that the box fits */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    return Source.at(
        0,
        index.size(),
        d ->
            x.plus(
                index.get(d),
                StartIndices.start(x, operands, 1, d, operands.get(0).size(d) - result.size(d))));
  }
}
