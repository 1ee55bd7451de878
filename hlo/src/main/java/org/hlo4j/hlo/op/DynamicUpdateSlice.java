package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Shape;

/**
 * Replaces a box of the operand: {@code result[start + i] = update[i]}, elsewhere {@code result[i]
 * = operand[i]}.
 *
 * <p>Operands: the array, the update, then a start index for each dimension, integer scalars of one
 * type. A start index that would let the box reach beyond the array is clamped so that the box
 * fits, as in {@link DynamicSlice}.
 *
 * <pre>
 *   operand 0 1 2 3 4   update 8 9   start 1   -&gt;   0 8 9 3 4
 * </pre>
 */
public record DynamicUpdateSlice() implements Movement {
  @Override
  public String opcode() {
    return "dynamic-update-slice";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    Shape.Array update = in.array(1, "update");
    requireFitting(
        update.elementType() == operand.elementType(),
        () -> Fits.value(update, update.withElementType(operand.elementType()), "update"),
        "dynamic_update_slice C2",
        "element type of the update got %s, want %s as the operand",
        update.elementType(),
        operand.elementType());
    require(
        update.rank() == operand.rank(),
        "dynamic_update_slice C3",
        "update got %s, want the rank of operand %s, %s",
        update,
        operand,
        operand.rank());
    new StartIndices(in, 2, operand).check("dynamic_update_slice C4", "dynamic_update_slice C5");
    for (int i = 0; i < operand.rank(); i++) {
      require(
          update.isUnbounded(i) || operand.isUnbounded(i) || update.size(i) <= operand.size(i),
          "dynamic_update_slice C6",
          "size of dimension %s of the update got %s, want at most %s as in operand %s",
          i,
          update.sizeText(i),
          operand.sizeText(i),
          operand);
    }
    // An update that replaces a whole dimension makes it as dynamic as itself.
    return operand
        .withLayout(null)
        .withDynamic(
            IntStream.range(0, operand.rank())
                .filter(i ->
                    operand.isDynamic(i)
                        || (update.isDynamic(i) && update.size(i) == operand.size(i)))
                .boxed()
                .toList());
  }

  /**
   * {@code result[start + i] = update[i]}, the start clamped so that the box fits; elsewhere {@code
   * result[i] = operand[i]}
   */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    Shape.Array update = operands.get(1);
    List<I> from = new ArrayList<>();
    for (int d = 0; d < index.size(); d++) {
      I start = StartIndices.start(x, operands, 2, d, result.size(d) - update.size(d));
      I inside = x.plus(index.get(d), x.times(start, -1));
      if (x.region(inside, 0, update.size(d)) != 1) {
        return new Source.Element<>(0, index);
      }
      from.add(inside);
    }
    return new Source.Element<>(1, ImmutableList.copyOf(from));
  }
}
