package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.QuietNaN;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * The code writer of a {@link Dot} of small matrices of one element type. Sums are in order of k.
 *
 * @param emitter writes the code
 * @param arrays where the values are
 * @param code writes the code of operands
 * @param observesNanBits whether the bits of NaNs are observable
 */
record SmallDotCode(
    CodeEmitter emitter, ScalarArrays arrays, ArrayCode code, boolean observesNanBits) {
  /**
   * The minimum length of rows of the right side that are added to a row of accumulators, which C2
   * vectorizes.
   */
  private static final int MIN_ROW_LENGTH = 8;

  /**
   * The operands of a product, and the mapping of indices of the result and of the contracting
   * dimensions to indices of both sides.
   */
  private record DotIndexing(Dot op, Shape.Array lhs, Shape.Array rhs) {
    Dims contractingSizes() {
      return lhs.sizes().at(op.lhsContractingDims());
    }

    ImmutableList<Value> left(List<Value> index, List<Value> step) {
      int batches = op.lhsBatchDims().count();
      Value[] left = new Value[lhs.rank()];
      put(left, op.lhsBatchDims(), index, 0);
      put(left, op.lhsFreeDims(lhs.rank()), index, batches);
      put(left, op.lhsContractingDims(), step, 0);
      return ImmutableList.copyOf(left);
    }

    ImmutableList<Value> right(List<Value> index, List<Value> step) {
      int batches = op.lhsBatchDims().count();
      int free = op.lhsFreeDims(lhs.rank()).count();
      Value[] right = new Value[rhs.rank()];
      put(right, op.rhsBatchDims(), index, 0);
      put(right, op.rhsFreeDims(rhs.rank()), index, batches + free);
      put(right, op.rhsContractingDims(), step, 0);
      return ImmutableList.copyOf(right);
    }

    private static void put(Value[] side, Dims dimensions, List<Value> index, int from) {
      IntStream.range(0, dimensions.count())
          .forEach(i -> side[dimensions.getInt(i)] = index.get(from + i));
    }

    /**
     * Returns whether the last dimension of the result is the last dimension of rhs, and long
     * enough.
     */
    boolean hasRows() {
      Dims free = op.rhsFreeDims(rhs.rank());
      return free.contains(rhs.rank() - 1L) && rhs.size(rhs.rank() - 1) >= MIN_ROW_LENGTH;
    }
  }

  Operand.Leaf write(
      Dot op, List<Shape.Array> shapes, Shape.Array shape, List<Operand.Leaf> operands) {
    DotIndexing indexing = new DotIndexing(op, shapes.get(0), shapes.get(1));
    ElementType type = shape.elementType();
    boolean isPlain = shapes.stream().allMatch(each -> each.elementType() == type);
    if (!isPlain || !(type.isFloating() || type.bits() >= Integer.SIZE)) {
      throw new NoCodeException("no code for a dot of " + shapes);
    }
    long steps = shape.elementCount() * indexing.contractingSizes().product();
    code.charge(steps, 1);
    Operand.Leaf lhs = code.materializeIfExpensive(operands.get(0));
    Operand.Leaf rhs = code.materializeIfExpensive(operands.get(1));
    int cost =
        (int) indexing.contractingSizes().product() * (1 + ArrayCode.cost(List.of(lhs, rhs)));
    if (code.isUnrolled(shape, cost)) {
      return code.compute(
          shape,
          cost,
          List.of(lhs, rhs),
          false,
          index -> unrolled(indexing, lhs, rhs, type, index));
    }
    Operand.Leaf left = code.toIndexable(lhs);
    Operand.Leaf right = code.toIndexable(rhs);
    if (Operand.isScalar(shape) || code.isUnrolled(shape, 1)) {
      List<ImmutableList<Value>> places = code.indices().all(shape.sizes());
      return Operand.inLocals(shape, looped(indexing, left, right, type, places));
    }
    code.requireFits(shape);
    Operand.InMemory result = arrays.workspace(shape);
    if (indexing.hasRows() && type.bits() >= Integer.SIZE && !observesNanBits) {
      rows(indexing, left, right, result);
    } else {
      code.nest()
          .write(
              shape.sizes(),
              index ->
                  code.store(
                      looped(indexing, left, right, type, ImmutableList.of(index)).get(0),
                      result,
                      index));
    }
    return result;
  }

  private Value unrolled(
      DotIndexing indexing,
      Operand.Leaf lhs,
      Operand.Leaf rhs,
      ElementType type,
      ImmutableList<Value> index) {
    Value sum = emitter.constant(Lane.of(type), 0);
    for (ImmutableList<Value> step : code.indices().all(indexing.contractingSizes())) {
      sum = step(indexing, lhs, rhs, index, step, sum);
    }
    return rounded(type, sum);
  }

  /** Computes several elements in one loop, so that no accumulator waits for another. */
  private ImmutableList<Value> looped(
      DotIndexing indexing,
      Operand.Leaf lhs,
      Operand.Leaf rhs,
      ElementType type,
      List<ImmutableList<Value>> places) {
    List<Value> sums =
        places.stream().map(place -> emitter.variable(emitter.constant(Lane.of(type), 0))).toList();
    code.nest()
        .write(
            indexing.contractingSizes(),
            step -> {
              for (int i = 0; i < sums.size(); i++) {
                Value sum = sums.get(i);
                emitter.assign(sum, step(indexing, lhs, rhs, places.get(i), step, sum));
              }
            });
    return sums.stream().map(sum -> rounded(type, sum)).collect(ImmutableList.toImmutableList());
  }

  /**
   * Adds rows of the right side, each multiplied by an element of the left side, to rows of the
   * result.
   */
  private void rows(
      DotIndexing indexing, Operand.Leaf lhs, Operand.Leaf rhs, Operand.InMemory result) {
    Dims sizes = result.shape().sizes();
    int last = sizes.count() - 1;
    Dims outer = sizes.subList(0, last);
    Dims row = sizes.subList(last, last + 1);
    Value zero = emitter.constant(Lane.of(result.shape().elementType()), 0);
    code.nest()
        .write(
            outer,
            start -> {
              code.nest().write(row, j -> code.store(zero, result, joined(start, j)));
              code.nest()
                  .write(
                      indexing.contractingSizes(),
                      step -> {
                        ImmutableList<Value> begin =
                            joined(start, ImmutableList.of(code.indices().constant(0)));
                        Value left = code.at(lhs, indexing.left(begin, step));
                        code.nest()
                            .write(
                                row,
                                j -> {
                                  ImmutableList<Value> index = joined(start, j);
                                  Value right = code.at(rhs, indexing.right(index, step));
                                  Value sum = multiplyAdd(left, right, code.at(result, index));
                                  code.store(sum, result, index);
                                });
                      });
            });
  }

  private static ImmutableList<Value> joined(List<Value> a, List<Value> b) {
    return ImmutableList.<Value>builder().addAll(a).addAll(b).build();
  }

  private Value step(
      DotIndexing indexing,
      Operand.Leaf lhs,
      Operand.Leaf rhs,
      ImmutableList<Value> index,
      ImmutableList<Value> step,
      Value sum) {
    Value left = code.at(lhs, indexing.left(index, step));
    return multiplyAdd(left, code.at(rhs, indexing.right(index, step)), sum);
  }

  private Value multiplyAdd(Value left, Value right, Value sum) {
    return sum.lane().isFloating()
        ? emitter.fma(left, right, sum)
        : emitter.add(emitter.multiply(left, right), sum);
  }

  /** Rounds a sum to the element type. Narrow floats are summed as f32. */
  private Value rounded(ElementType type, Value sum) {
    if (type.isFloating() && type.bits() < Integer.SIZE) {
      return ElementFunctions.convert(emitter, ElementType.F32, type, sum);
    }
    return observesNanBits && type.isFloating() ? QuietNaN.canonicalize(emitter, sum) : sum;
  }
}
