package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.QuietNaN;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.gemm.DotKernels;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * The code writer of a {@link Dot} of small matrices of one element type, whose kernel adds in
 * order of k, as this code does.
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
   * A product, and the mapping of indices of the result and of the contracting dimensions to
   * indices of both sides.
   */
  private record Product(
      Dot op, Shape.Array lhs, Shape.Array rhs, Operand.Leaf left, Operand.Leaf right) {
    ElementType type() {
      return lhs.elementType();
    }

    Dims contractingSizes() {
      return lhs.sizes().at(op.lhsContractingDims());
    }

    List<Operand.Leaf> sides() {
      return List.of(left, right);
    }

    Product map(UnaryOperator<Operand.Leaf> each) {
      return new Product(op, lhs, rhs, each.apply(left), each.apply(right));
    }

    ImmutableList<Value> leftIndex(List<Value> index, List<Value> step) {
      int batches = op.lhsBatchDims().count();
      Value[] side = new Value[lhs.rank()];
      put(side, op.lhsBatchDims(), index, 0);
      put(side, op.lhsFreeDims(lhs.rank()), index, batches);
      put(side, op.lhsContractingDims(), step, 0);
      return ImmutableList.copyOf(side);
    }

    ImmutableList<Value> rightIndex(List<Value> index, List<Value> step) {
      int before = op.lhsBatchDims().count() + op.lhsFreeDims(lhs.rank()).count();
      Value[] side = new Value[rhs.rank()];
      put(side, op.rhsBatchDims(), index, 0);
      put(side, op.rhsFreeDims(rhs.rank()), index, before);
      put(side, op.rhsContractingDims(), step, 0);
      return ImmutableList.copyOf(side);
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

  Operand.Leaf write(HloInstruction instruction, List<Operand.Leaf> operands) {
    Dot op = (Dot) instruction.op();
    List<Shape.Array> shapes = Operand.operandShapes(instruction);
    Shape.Array shape = Operand.array(instruction.shape());
    ElementType type = shape.elementType();
    boolean isPlain = shapes.stream().allMatch(each -> each.elementType() == type);
    if (!isPlain || !(type.isFloating() || type.bits() >= Integer.SIZE)) {
      throw new NoCodeException("no code for a dot of " + shapes);
    }
    if (!DotKernels.addsInOrder(instruction) || !isSummedIn(Lane.of(type), type)) {
      throw new NoCodeException("sums in another order than that of k");
    }
    Product given = new Product(op, shapes.get(0), shapes.get(1), operands.get(0), operands.get(1));
    code.charge(shape.elementCount() * given.contractingSizes().product(), 1);
    Product cheap = given.map(code::materializeIfExpensive);
    int cost = (int) cheap.contractingSizes().product() * (1 + ArrayCode.cost(cheap.sides()));
    if (code.isUnrolled(shape, cost)) {
      return code.compute(shape, cost, cheap.sides(), false, index -> unrolled(cheap, index));
    }
    Product product = cheap.map(code::toIndexable);
    if (Operand.isScalar(shape) || code.isUnrolled(shape, 1)) {
      return Operand.inLocals(shape, looped(product, code.indices().all(shape.sizes())));
    }
    code.requireFits(shape);
    Operand.InMemory result = arrays.workspace(shape);
    if (product.hasRows() && type.bits() >= Integer.SIZE && !observesNanBits) {
      rows(product, result);
    } else {
      code.loop(
          shape.sizes(),
          index -> code.store(looped(product, ImmutableList.of(index)).get(0), result, index));
    }
    return result;
  }

  private static boolean isSummedIn(Lane lane, ElementType type) {
    return !type.isFloating()
        || DotKernels.accumulatorType(type, type, type)
            .filter(accumulatorType -> Lane.of(accumulatorType.type()) == lane)
            .isPresent();
  }

  private Value unrolled(Product product, ImmutableList<Value> index) {
    Value sum = emitter.constant(Lane.of(product.type()), 0);
    for (ImmutableList<Value> step : code.indices().all(product.contractingSizes())) {
      sum = step(product, index, step, sum);
    }
    return rounded(product.type(), sum);
  }

  /** Computes several elements in one loop, so that no accumulator waits for another. */
  private ImmutableList<Value> looped(Product product, List<ImmutableList<Value>> places) {
    Lane lane = Lane.of(product.type());
    List<Value> sums =
        places.stream().map(place -> emitter.variable(emitter.constant(lane, 0))).toList();
    code.loop(
        product.contractingSizes(),
        step -> {
          for (int i = 0; i < sums.size(); i++) {
            Value sum = sums.get(i);
            emitter.assign(sum, step(product, places.get(i), step, sum));
          }
        });
    return sums.stream()
        .map(sum -> rounded(product.type(), sum))
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Adds rows of the right side, each multiplied by an element of the left side, to rows of the
   * result.
   */
  private void rows(Product product, Operand.InMemory result) {
    Dims sizes = result.shape().sizes();
    int last = sizes.count() - 1;
    Dims row = sizes.subList(last, last + 1);
    Value zero = emitter.constant(Lane.of(product.type()), 0);
    code.loop(
        sizes.subList(0, last),
        start -> {
          code.loop(row, j -> code.store(zero, result, joined(start, j)));
          code.loop(product.contractingSizes(), step -> addRow(product, result, row, start, step));
        });
  }

  private void addRow(
      Product product, Operand.InMemory result, Dims row, List<Value> start, List<Value> step) {
    List<Value> begin = joined(start, ImmutableList.of(code.indices().constant(0)));
    Value left = code.at(product.left, product.leftIndex(begin, step));
    code.loop(
        row,
        j -> {
          ImmutableList<Value> index = joined(start, j);
          Value right = code.at(product.right, product.rightIndex(index, step));
          code.store(multiplyAdd(left, right, code.at(result, index)), result, index);
        });
  }

  private static ImmutableList<Value> joined(List<Value> a, List<Value> b) {
    return ImmutableList.<Value>builder().addAll(a).addAll(b).build();
  }

  private Value step(Product product, List<Value> index, List<Value> step, Value sum) {
    Value left = code.at(product.left, product.leftIndex(index, step));
    return multiplyAdd(left, code.at(product.right, product.rightIndex(index, step)), sum);
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
