package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * Inserts padding around and between the elements, or removes elements at the edges: {@code
 * result[low + i * (interior + 1)] = operand[i]}, elsewhere the padding value.
 *
 * <p>Operands: the array and the padding value, a scalar.
 *
 * <pre>
 *   padding=0_1_1x1_0_0   padding value 0
 *     1 2   -&gt;   0 1 2
 *     3 4        0 0 0
 *                0 3 4
 *                0 0 0
 * </pre>
 *
 * @param padding the padding of each dimension
 */
public record Pad(PadConfig padding) implements Movement {
  @Override
  public String opcode() {
    return "pad";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    Shape.Array value = in.array(1, "padding_value");
    Shape.Array scalar = Shape.of(operand.elementType());
    requireFitting(
        value.isScalar() && value.elementType() == operand.elementType(),
        () -> Fits.scalar(value, scalar, "padding_value"),
        "pad C1",
        "padding_value got %s, want %s as the elements of the operand",
        value,
        scalar);
    require(
        padding.edgePaddingLow().count() == operand.rank(),
        "pad C2",
        "edge_padding_low got %s, want one for each of the %s dimensions of %s",
        padding.edgePaddingLow(),
        operand.rank(),
        operand);
    long[] sizes = new long[operand.rank()];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = size(operand, i);
    }
    return new Shape.Array(
        operand.elementType(), Dims.of(sizes), operand.dynamicDimensions(), Optional.empty());
  }

  private long size(Shape.Array operand, int i) {
    long interior = padding.interiorPadding().get(i);
    require(interior >= 0, "pad C3", "interior_padding[%s] got %s, want at least 0", i, interior);
    if (operand.isUnbounded(i)) {
      return Shape.UNBOUNDED;
    }
    long size = padded(operand, i);
    require(
        size >= 0,
        "pad C4",
        "size of dimension %s of the result got %s from %s in %s, want at least 0",
        i,
        size,
        padding,
        operand);
    return size;
  }

  private long padded(Shape.Array operand, int i) {
    long low = padding.edgePaddingLow().get(i);
    long high = padding.edgePaddingHigh().get(i);
    long step = padding.interiorPadding().get(i);
    try {
      Math.addExact(step, 1);
      long gaps = Math.multiplyExact(Math.max(operand.size(i) - 1, 0), step);
      return Math.addExact(Math.addExact(Math.addExact(operand.size(i), gaps), low), high);
    } catch (ArithmeticException overflow) {
      throw new HloException(
          "pad C4",
          String.format(
              "size of dimension %s of the result got beyond 2^63 - 1 from %s in %s, want less",
              i, padding, operand));
    }
  }

  /**
   * {@code result[low + i * (interior + 1)] = operand[i]}, elsewhere the padding value, operand 1
   */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    List<I> from = new ArrayList<>();
    for (int d = 0; d < index.size(); d++) {
      long step = padding.interiorPadding().get(d) + 1;
      I place = x.shifted(index.get(d), -padding.edgePaddingLow().get(d));
      I number = x.isMultiple(place, step) ? x.quotient(place, step) : x.constant(-1);
      if (x.region(number, 0, operands.get(0).size(d)) != 1) {
        return new Source.Element<>(1, ImmutableList.of());
      }
      from.add(number);
    }
    return new Source.Element<>(0, ImmutableList.copyOf(from));
  }
}
