package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The lowering of quantized types. HLO has none: a quantized array becomes an array of its storage
 * type. An op that computes is applied to the expressed numbers, as StableHLO's specification
 * defines it: dequantize, compute, quantize. An op that only moves elements is applied to the
 * storage.
 */
final class Quantization {
  /**
   * Ops that are applied to the storage: they move elements, or their regions define the
   * computation.
   */
  private static final ImmutableSet<String> STORAGE_OPS =
      ImmutableSet.of(
          "all_gather",
          "all_reduce",
          "all_to_all",
          "bitcast_convert",
          "broadcast",
          "broadcast_in_dim",
          "case",
          "collective_broadcast",
          "collective_permute",
          "composite",
          "concatenate",
          "constant",
          "custom_call",
          "dynamic_broadcast_in_dim",
          "dynamic_gather",
          "dynamic_pad",
          "dynamic_reshape",
          "dynamic_slice",
          "dynamic_update_slice",
          "gather",
          "get_dimension_size",
          "get_tuple_element",
          "if",
          "infeed",
          "map",
          "optimization_barrier",
          "outfeed",
          "pad",
          "real_dynamic_slice",
          "recv",
          "reduce",
          "reduce_scatter",
          "reduce_window",
          "reshape",
          "reverse",
          "scatter",
          "select",
          "select_and_scatter",
          "send",
          "slice",
          "sort",
          "transpose",
          "tuple",
          "while");

  private final Operation operation;
  private final ComputationImport target;
  private final OpImport op;

  private Quantization(Operation operation, ComputationImport target) {
    this.operation = operation;
    this.target = target;
    this.op = new OpImport(operation, target);
  }

  /** Returns whether an op computes with quantized numbers. */
  static boolean isNeeded(Operation operation) {
    boolean quantised =
        operation.operands().stream().anyMatch(value -> quantized(value).isPresent())
            || operation.results().stream().anyMatch(value -> quantized(value).isPresent());
    return quantised && !(isStorageOp(operation.name()) && sameParameters(operation));
  }

  private static boolean isStorageOp(String name) {
    return !name.startsWith("stablehlo.")
        || STORAGE_OPS.contains(name.substring("stablehlo.".length()));
  }

  /**
   * Returns whether all quantized operands and results have the same parameters, for an op that
   * combines elements of several operands; true for all other ops.
   */
  private static boolean sameParameters(Operation operation) {
    return switch (operation.name()) {
      case "stablehlo.concatenate", "stablehlo.select", "stablehlo.pad", "stablehlo.clamp" -> {
        List<Type.Quantized> all = new ArrayList<>();
        operation.operands().forEach(value -> quantized(value).ifPresent(all::add));
        operation.results().forEach(value -> quantized(value).ifPresent(all::add));
        yield all.stream().distinct().count() == 1;
      }
      default -> true;
    };
  }

  static Optional<Type.Quantized> quantized(Value value) {
    return value.type() instanceof Type.Tensor tensor
            && tensor.element() instanceof Type.Quantized quantized
        ? Optional.of(quantized)
        : Optional.empty();
  }

  /** Lowers an op on the expressed numbers of its operands. */
  static ImmutableList<HloInstruction> lower(Operation operation, ComputationImport target) {
    return new Quantization(operation, target).dequantizeAndLower();
  }

  private ImmutableList<HloInstruction> dequantizeAndLower() {
    List<Value> operands = new ArrayList<>();
    for (Value operand : operation.operands()) {
      operands.add(quantized(operand).map(type -> dequantized(operand, type)).orElse(operand));
    }
    List<HloInstruction> computed =
        operation.name().equals("stablehlo.uniform_quantize")
                || operation.name().equals("stablehlo.uniform_dequantize")
            ? target.instructions(operands)
            : lowerExpressed(operands);
    require(
        computed.size() == operation.results().size(),
        VERIFY,
        "results got %s, want %s",
        operation.results().size(),
        computed.size());
    ImmutableList.Builder<HloInstruction> results = ImmutableList.builder();
    for (int i = 0; i < computed.size(); i++) {
      Optional<Type.Quantized> type = quantized(operation.results().get(i));
      results.add(type.isPresent() ? quantized(computed.get(i), type.get()) : computed.get(i));
    }
    return results.build();
  }

  /** Lowers the same op on numbers of the expressed types. */
  private ImmutableList<HloInstruction> lowerExpressed(List<Value> operands) {
    List<Value> results =
        operation.results().stream().map(value -> Value.of(expressed(value.type()))).toList();
    Operation plain =
        new Operation(
            operation.name(),
            operands,
            results,
            operation.attributes(),
            operation.regions(),
            operation.location(),
            operation.place());
    return target.module().lowering(plain).lower(new OpImport(plain, target));
  }

  private static Type expressed(Type type) {
    return type instanceof Type.Tensor tensor
            && tensor.element() instanceof Type.Quantized quantized
        ? new Type.Tensor(tensor.sizes(), quantized.expressed(), tensor.encoding())
        : type;
  }

  /** Emits {@code (storage - zeroPoint) * scale}, in the expressed type. */
  private Value dequantized(Value value, Type.Quantized type) {
    HloInstruction storage = target.instruction(value);
    Shape.Array shape = OpImport.arrayShape(storage);
    ElementType expressed = Shapes.elementType(type.expressed());
    HloInstruction number = op.emit(new Convert(expressed), storage);
    number = emit(Kind.SUBTRACT, number, parameters(type, shape, expressed, zeroPoints(type)));
    number = emit(Kind.MULTIPLY, number, parameters(type, shape, expressed, type.scales()));
    Value plain = Value.of(expressed(value.type()));
    target.define(plain, number);
    return plain;
  }

  /**
   * Emits {@code roundNearestEven(clamp(x / scale + zeroPoint))}, converted to the storage type.
   */
  private HloInstruction quantized(HloInstruction number, Type.Quantized type) {
    Shape.Array shape = OpImport.arrayShape(number);
    ElementType expressed = Shapes.elementType(type.expressed());
    require(
        shape.elementType() == expressed,
        VERIFY,
        "quantise: got %s, want elements of %s",
        shape,
        expressed);
    HloInstruction scaled =
        emit(Kind.DIVIDE, number, parameters(type, shape, expressed, type.scales()));
    HloInstruction moved =
        emit(Kind.ADD, scaled, parameters(type, shape, expressed, zeroPoints(type)));
    HloInstruction clamped =
        op.emit(
            new Clamp(),
            scalar(expressed, (double) type.min()),
            moved,
            scalar(expressed, (double) type.max()));
    HloInstruction rounded = op.emit(new Elementwise(Kind.ROUND_NEAREST_EVEN), clamped);
    return op.emit(new Convert(Shapes.elementType(type.storage())), rounded);
  }

  private static ImmutableList<Double> zeroPoints(Type.Quantized type) {
    return type.zeroPoints().stream()
        .map(Long::doubleValue)
        .collect(ImmutableList.toImmutableList());
  }

  private HloInstruction emit(Kind kind, HloInstruction left, HloInstruction right) {
    Op elementwise = new Elementwise(kind);
    return op.emit(elementwise, left, right);
  }

  private HloInstruction scalar(ElementType type, double value) {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(type));
    builder.setDouble(0, value);
    return op.emit(new Constant(builder.build()));
  }

  /** Broadcasts scales or zero points: a single number, or one for each index of the axis. */
  private HloInstruction parameters(
      Type.Quantized type, Shape.Array shape, ElementType expressed, List<Double> values) {
    if (type.axis().isEmpty()) {
      return op.broadcast(scalar(expressed, values.get(0)), shape.sizes());
    }
    int axis = type.axis().getAsInt();
    if (axis >= shape.rank() || shape.size(axis) != values.size()) {
      throw new HloException(
          UNSUPPORTED,
          "got "
              + values.size()
              + " scales along dimension "
              + axis
              + " of "
              + shape
              + ", want as many as its size");
    }
    LiteralBuilder builder = new LiteralBuilder(Shape.of(expressed, values.size()));
    for (int i = 0; i < values.size(); i++) {
      builder.setDouble(i, values.get(i));
    }
    HloInstruction vector = op.emit(new Constant(builder.build()));
    return op.emit(new Broadcast(shape.withElementType(expressed), Dims.of(axis)), vector);
  }

  /** Returns the storage type of quantized elements, and other element types unchanged. */
  static Type storage(Type element) {
    return element instanceof Type.Quantized quantized
        ? quantized.storage()
        : element == Type.Simple.INDEX ? Types.I64 : element;
  }
}
