package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The code writer of concatenations and paddings. Their results consist of parts, each of which is
 * stored at its index in the result.
 */
final class ConcatenateAndPadCode {
  private final ScalarArrays arrays;
  private final ArrayCode code;
  private final Indices indices;

  ConcatenateAndPadCode(ScalarArrays arrays, ArrayCode code) {
    this.arrays = arrays;
    this.code = code;
    this.indices = code.indices();
  }

  /**
   * Returns a result that consists of parts.
   *
   * @param known writes the code of an element at a known index, of a small result
   * @param stored stores the parts of a larger result
   */
  private Operand.Leaf inParts(
      Shape.Array shape,
      List<Operand.Leaf> operands,
      Operand.Formula known,
      Consumer<Operand.InMemory> stored) {
    int cost = ArrayCode.cost(operands) + 1;
    if (Operand.isScalar(shape) || code.isUnrolled(shape, cost)) {
      return code.compute(shape, cost, operands, false, known);
    }
    code.requireFits(shape);
    Operand.InMemory result = arrays.workspace(shape);
    stored.accept(result);
    return result;
  }

  /** Returns the result of a concatenation. */
  Operand.Leaf concatenate(
      Concatenate op, List<Shape.Array> shapes, Shape.Array shape, List<Operand.Leaf> operands) {
    int d = op.dimensions().getInt(0);
    List<Long> starts = new ArrayList<>();
    long end = 0;
    for (Shape.Array part : shapes) {
      starts.add(end);
      end += part.size(d);
    }
    return inParts(
        shape,
        operands,
        index -> {
          int k = shapes.size() - 1;
          while (starts.get(k) > indices.known(index.get(d)).getAsInt()) {
            k--;
          }
          return code.at(operands.get(k), shifted(index, d, -starts.get(k)));
        },
        result -> {
          for (int k = 0; k < shapes.size(); k++) {
            long start = starts.get(k);
            if (shapes.get(k).elementCount() > 0) {
              code.store(
                  operands.get(k), shapes.get(k).sizes(), result, at -> shifted(at, d, start));
            }
          }
        });
  }

  private ImmutableList<Value> shifted(ImmutableList<Value> index, int dimension, long by) {
    List<Value> shifted = new ArrayList<>(index);
    shifted.set(dimension, indices.plus(index.get(dimension), by));
    return ImmutableList.copyOf(shifted);
  }

  /** Returns the result of a padding. */
  Operand.Leaf pad(
      PadConfig padding, Shape.Array operand, Shape.Array shape, List<Operand.Leaf> operands) {
    Operand.Leaf value = operands.get(1);
    return inParts(
        shape,
        operands,
        index ->
            unpadded(padding, operand, index)
                .map(from -> code.at(operands.get(0), from))
                .orElse(value.scalar().value()),
        result -> {
          code.store(value, shape.sizes(), result, index -> index);
          Dims first = first(padding);
          Dims count = keptEnd(padding, operand, shape).minus(first);
          if (count.stream().allMatch(each -> each > 0)) {
            store(padding, code.toIndexable(operands.get(0)), first, count, result);
          }
        });
  }

  /** Stores the elements of the operand that are not cut off. */
  private void store(
      PadConfig padding, Operand.Leaf source, Dims first, Dims count, Operand.InMemory result) {
    code.charge(count.product(), ArrayCode.cost(source));
    code.nest()
        .write(
            count,
            index -> {
              ImmutableList<Value> from = indices.plus(index, constants(first));
              code.store(code.at(source, from), result, placed(padding, from));
            });
  }

  private ImmutableList<Value> constants(Dims numbers) {
    return numbers.stream().mapToObj(indices::constant).collect(ImmutableList.toImmutableList());
  }

  /** Returns the index of the first elements that are not cut off. */
  private static Dims first(PadConfig padding) {
    return Dims.copyOf(
        IntStream.range(0, padding.edgePaddingLow().count())
            .mapToObj(d ->
                Math.max(0, Math.ceilDiv(-padding.edgePaddingLow().get(d), dilation(padding, d))))
            .toList());
  }

  /** Returns the end index, exclusive, of the elements that are not cut off. */
  private static Dims keptEnd(PadConfig padding, Shape.Array operand, Shape.Array shape) {
    return Dims.copyOf(
        IntStream.range(0, shape.rank())
            .mapToObj(d -> {
              long last = shape.size(d) - 1 - padding.edgePaddingLow().get(d);
              return Math.min(operand.size(d), Math.floorDiv(last, dilation(padding, d)) + 1);
            })
            .toList());
  }

  private static long dilation(PadConfig padding, int dimension) {
    return padding.interiorPadding().get(dimension) + 1;
  }

  private ImmutableList<Value> placed(PadConfig padding, List<Value> index) {
    return IntStream.range(0, index.size())
        .mapToObj(d ->
            indices.plus(
                indices.times(index.get(d), dilation(padding, d)), padding.edgePaddingLow().get(d)))
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Returns the index of the operand that an element at a known index comes from; empty if the
   * element is padding.
   */
  private Optional<ImmutableList<Value>> unpadded(
      PadConfig padding, Shape.Array operand, List<Value> index) {
    ImmutableList.Builder<Value> from = ImmutableList.builder();
    for (int d = 0; d < index.size(); d++) {
      long offset = indices.known(index.get(d)).getAsInt() - padding.edgePaddingLow().get(d);
      long number = Math.floorDiv(offset, dilation(padding, d));
      if (Math.floorMod(offset, dilation(padding, d)) != 0
          || number < 0
          || number >= operand.size(d)) {
        return Optional.empty();
      }
      from.add(indices.constant(number));
    }
    return Optional.of(from.build());
  }
}
