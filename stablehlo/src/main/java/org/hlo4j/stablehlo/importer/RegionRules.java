package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The constraints on regions that combine values: the types that their blocks take and return.
 * Source: the constraints of StableHLO's specification; reducers may work on wider types than the
 * op's operands.
 */
final class RegionRules {
  private RegionRules() {}

  /** Returns the types of the values that a block returns. */
  static ImmutableList<Type> returned(Block block) {
    require(!block.operations().isEmpty(), PARSE, "block ends without a return");
    Operation last = block.operations().get(block.operations().size() - 1);
    return last.operandTypes();
  }

  static ImmutableList<Type> arguments(Block block) {
    return Value.types(block.arguments());
  }

  /** Returns a tensor without dimensions. */
  static Type.Tensor scalar(Type element) {
    return Type.Tensor.of(element, List.of());
  }

  static Type.Tensor tensor(Type type, String role) {
    if (type instanceof Type.Tensor tensor) {
      return tensor;
    }
    throw new HloException(VERIFY, "%s got %s, want a tensor", role, type);
  }

  static ImmutableList<Type.Tensor> tensors(List<Type> types, String role) {
    return types.stream().map(type -> tensor(type, role)).collect(toImmutableList());
  }

  /**
   * Requires that a region takes an accumulator and an element for each input, and returns the new
   * accumulators.
   *
   * @param label the label of the rule
   * @param inputs the types of the inputs, which the elements are taken from
   * @param initial the types of the initial accumulators
   * @param allowed the sizes that a value may have, in order; some or all may be missing
   */
  static void requireReducer(
      OpImport op,
      int region,
      String label,
      List<Type.Tensor> inputs,
      List<Type.Tensor> initial,
      List<Long> allowed) {
    Block block = op.block(region);
    ImmutableList<Type> arguments = arguments(block);
    ImmutableList<Type> results = returned(block);
    int count = inputs.size();
    require(
        arguments.size() == 2 * count,
        label,
        "region takes %s values, want %s",
        arguments.size(),
        2 * count);
    require(
        results.size() == count, label, "region returns %s values, want %s", results.size(), count);
    for (int i = 0; i < count; i++) {
      Type.Tensor result = tensor(results.get(i), "result " + i + " of the region");
      requireSame(label, arguments.get(i), result, i, false);
      requireSame(label, arguments.get(count + i), result, count + i, true);
      requirePromotable(label, initial.get(i), result, "result " + i);
      Type.Tensor element = (Type.Tensor) arguments.get(count + i);
      requirePromotable(
          label,
          Type.Tensor.of(inputs.get(i).element(), element.sizes()),
          element,
          "argument " + (count + i));
      requireAllowed(label, element, allowed, count + i);
    }
  }

  private static void requireSame(
      String label, Type argument, Type.Tensor result, int number, boolean anyFloat) {
    boolean same =
        argument instanceof Type.Tensor tensor
            && Shapes.haveSameSizes(tensor, result)
            && (tensor.element().equals(result.element())
                || (anyFloat
                    && tensor.element() instanceof Type.Floating
                    && result.element() instanceof Type.Floating));
    require(
        same,
        label,
        "argument %s of the region got %s, want %s as its result",
        number,
        argument,
        result);
  }

  private static void requirePromotable(
      String label, Type.Tensor from, Type.Tensor to, String role) {
    require(
        Shapes.haveSameSizes(from, to) && isPromotable(from.element(), to.element()),
        label,
        "%s of the region got %s, want %s or a wider element type",
        role,
        to,
        from);
  }

  /**
   * Returns whether every value of one type can be represented in another; floats of any precision
   * are accepted.
   */
  static boolean isPromotable(Type from, Type to) {
    return switch (from) {
      case Type.Int narrow -> to instanceof Type.Int wide && narrow.width() <= wide.width();
      case Type.Floating narrow -> to instanceof Type.Floating;
      case Type.Complex narrow -> to instanceof Type.Complex && bits(from) <= bits(to);
      case Type.Quantized narrow ->
          to instanceof Type.Quantized wide
              && narrow.expressed().equals(wide.expressed())
              && narrow.storage().width() <= wide.storage().width();
      case Type.Simple _,
          Type.Tensor _,
          Type.UnrankedTensor _,
          Type.MemRef _,
          Type.Tuple _,
          Type.Function _,
          Type.Dialect _ ->
          from.equals(to);
    };
  }

  private static int bits(Type type) {
    return Shapes.elementType(type).bits();
  }

  private static void requireAllowed(
      String label, Type.Tensor argument, List<Long> allowed, int number) {
    int matched = 0;
    for (int i = 0; i < allowed.size() && matched < argument.rank(); i++) {
      long size = argument.sizes().get(matched);
      boolean open = size == Type.DYNAMIC || allowed.get(i) == Type.DYNAMIC;
      matched += open || size == allowed.get(i) ? 1 : 0;
    }
    require(
        matched == argument.rank(),
        label,
        "argument %s of the region got %s, want a scalar or sizes of %s",
        number,
        argument,
        allowed);
  }

  /** Requires that a region selects between two elements of an operand. */
  static void requireSelect(OpImport op, int region, String label, Type.Tensor operand) {
    Block block = op.block(region);
    ImmutableList<Type> arguments = arguments(block);
    require(arguments.size() == 2, label, "select takes %s values, want 2", arguments.size());
    for (int i = 0; i < 2; i++) {
      requireSame(label, arguments.get(i), scalar(operand.element()), i, true);
    }
    ImmutableList<Type> results = returned(block);
    require(
        results.equals(ImmutableList.of(scalar(Types.I1))),
        label,
        "select returns %s, want tensor<i1>",
        results);
  }
}
