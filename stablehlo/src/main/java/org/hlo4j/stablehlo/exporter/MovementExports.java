package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/** The conversion of movement ops. */
final class MovementExports {
  private static final String BITS = "stablehlo.bitcast_convert";

  private MovementExports() {}

  static ImmutableList<Value> values(OpExport op, Movement movement) {
    return switch (movement) {
      case Bitcast _ -> ImmutableList.of(bitcast(op));
      case DynamicSlice slice -> op.mirror(slice).withOperands(withStarts(op, 1)).emit();
      case DynamicUpdateSlice slice -> op.mirror(slice).withOperands(withStarts(op, 2)).emit();
      case Gather gather -> {
        requireNoneShared(gather.startIndexMap(), gather.operandBatchingDims());
        yield op.mirrored();
      }
      default -> op.mirrored();
    };
  }

  /** Returns the operands, with a vector of start indices split into scalars. */
  private static List<Value> withStarts(OpExport op, int first) {
    if (op.operandCount() != first + 1
        || !(op.shape(first) instanceof Shape.Array starts)
        || starts.rank() != 1) {
      return op.operands();
    }
    ImmutableList.Builder<Value> operands = ImmutableList.builder();
    operands.addAll(op.operands().subList(0, first));
    for (long i = 0; i < starts.size(0); i++) {
      operands.add(op.reshape(op.slice(op.value(first), i, i + 1), List.of()));
    }
    return operands.build();
  }

  /** Refuses an index of a batching dimension, which HLO permits and ignores. */
  static void requireNoneShared(Dims indexed, Dims batching) {
    if (indexed.stream().anyMatch(batching::contains)) {
      throw OpExport.unsupported("an index of a batching dimension");
    }
  }

  /**
   * Converts a bitcast, which reinterprets the operand's bytes, in the order of its layout, in the
   * layout of the result: a transpose, a bitcast conversion, a reshape and a transpose back. Steps
   * that change nothing are left out.
   */
  private static Value bitcast(OpExport op) {
    Shape.Array from = (Shape.Array) op.shape(0);
    Shape.Array to = (Shape.Array) op.instruction().shape();
    Dims order = majorToMinor(to);
    Value stored = op.transpose(op.value(0), majorToMinor(from));
    Value bits = withElementType(op, stored, from.elementType(), to.elementType());
    return op.transpose(
        op.reshape(bits, AttributeFactory.list(to.sizes().at(order))), order.inverse());
  }

  private static Dims majorToMinor(Shape.Array array) {
    Dims order = ShapeTypes.layout(array).minorToMajor();
    return Dims.copyOf(AttributeFactory.list(order).reverse());
  }

  /**
   * Reinterprets bits as elements of another type; elements of another width result in one
   * dimension.
   */
  private static Value withElementType(OpExport op, Value value, ElementType from, ElementType to) {
    if (from == to) {
      return value;
    }
    List<Long> sizes = OpExport.type(value).sizes();
    if (from.isComplex()) {
      throw OpExport.unsupported("from " + from + " to " + to);
    } else if (from == ElementType.PRED) { // a byte in HLO, a bit in StableHLO
      Value bytes = converted(op, "stablehlo.convert", value, ElementType.U8, sizes);
      return withElementType(op, bytes, ElementType.U8, to);
    } else if (to == ElementType.PRED) {
      Value bytes = withElementType(op, value, from, ElementType.U8);
      return converted(op, "stablehlo.convert", bytes, to, OpExport.type(bytes).sizes());
    }
    if (from.bits() == to.bits()) {
      return converted(op, BITS, value, to, sizes);
    }
    long count = Dims.copyOf(sizes).product();
    if (from.bits() > to.bits()) {
      long parts = from.bits() / to.bits();
      return converted(op, BITS, op.reshape(value, List.of(count)), to, List.of(count, parts));
    }
    long parts = to.bits() / from.bits();
    Value groups = op.reshape(value, List.of(count / parts, parts));
    return converted(op, BITS, groups, to, List.of(count / parts));
  }

  private static Value converted(
      OpExport op, String name, Value value, ElementType type, List<Long> sizes) {
    return op.newIntermediate(name)
        .withOperands(value)
        .withResultTypes(Type.Tensor.of(Types.of(type), sizes))
        .emitOne();
  }
}
