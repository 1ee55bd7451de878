package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.builder.lib.TorchIndexing;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/** The lowering of constants and movement ops. */
final class MovementLowerings {
  private MovementLowerings() {}

  static void addTo(Lowerings table) {
    for (String dialect : List.of("stablehlo", "sdy", "arith")) {
      table.one(dialect + ".constant", op -> constant(op, "value"));
    }
    table.one("stablehlo.bitcast_convert", MovementLowerings::bitcastConvert);
    table
        .one("stablehlo.broadcast", MovementLowerings::broadcast)
        .onlyCheckedIf(OpImport::isSymbolic)
        .inferring(MovementLowerings::shapeOfBroadcast);
    table
        .one("stablehlo.broadcast_in_dim", MovementLowerings::broadcastInDim)
        .checkedBy(MovementLowerings::checkBroadcastInDim)
        .onlyCheckedIf(OpImport::isSymbolic)
        .inferring(op -> op.resultArray().withElementType(op.array(0).elementType()));
    table.mirror("stablehlo.gather").checkedBy(MovementLowerings::checkGather);
    table
        .mirror("stablehlo.reshape")
        .onlyCheckedIf(OpImport::isSymbolic)
        .inferring(op -> op.resultArray().withElementType(op.array(0).elementType()));
    table
        .mirror("stablehlo.set_dimension_size")
        .checkedBy(op -> op.inferred(resized(op)))
        .onlyChecked()
        .inferring(op -> SizeRules.symbolic(op.array(0), resized(op).dimensions()));
    table.one("stablehlo.torch_index_select", MovementLowerings::torchIndexSelect).onlyChecked();
  }

  /** Emits a constant; a splat becomes a broadcast scalar. */
  static HloInstruction constant(OpImport op, String attribute) {
    Attribute value = op.fields().entries().get(attribute);
    if (value instanceof Attribute.Dense dense) {
      checkConstant(op, dense.type());
      return constant(op, dense, op.resultArray());
    }
    if (value instanceof Attribute.DenseResource elided) {
      checkConstant(op, elided.type());
      return op.emit(new Constant(Literal.elided(op.resultArray())));
    }
    if (value != null && op.operation().dialect().equals("arith")) {
      return scalar(op, value);
    }
    throw new HloException(VERIFY, "value got %s, want dense<...>", value);
  }

  /** Emits the elements of an attribute as a constant. */
  static HloInstruction constant(OpImport op, Attribute.Dense dense, Shape.Array shape) {
    Literal elements = ofType(dense.elements(), shape.elementType());
    if (!dense.isSplat()) {
      return op.emit(new Constant(elements.withShape(shape)));
    }
    HloInstruction scalar = op.emit(new Constant(elements));
    return op.broadcast(scalar, shape.sizes());
  }

  /** Emits a number that is no tensor. */
  private static HloInstruction scalar(OpImport op, Attribute value) {
    Type type = op.resultType(0);
    ElementType element = Shapes.elementType(type);
    boolean fits =
        value instanceof Attribute.Int integer
            ? integer.type().equals(type)
            : value instanceof Attribute.Floating real && real.type().equals(type);
    verify(fits, "value got %s, want one of %s", value, type);
    return op.emit(new Constant(ChloLowerings.scalar(element, value)));
  }

  /** Returns integers as integers of as many bits, with or without sign. */
  private static Literal ofType(Literal elements, ElementType type) {
    if (elements.elementType() == type) {
      return elements;
    }
    LiteralBuilder builder = new LiteralBuilder(elements.arrayShape().withElementType(type));
    for (int i = 0; i < elements.elementCount(); i++) {
      builder.setBits(i, elements.bitsAt(i));
    }
    return builder.build();
  }

  private static void checkConstant(OpImport op, Type.Tensor type) {
    require(
        op.resultType(0) instanceof Type.Tensor result
            && result.sizes().equals(type.sizes())
            && (result.element().equals(type.element())
                || Quantization.constant(result.element()).equals(plain(type.element()))),
        "constant C1",
        "result got %s, want the type of the value, %s",
        op.resultType(0),
        type);
  }

  private static Type plain(Type element) {
    return element == Type.Simple.INDEX ? Types.I64 : element;
  }

  /** Lowers a conversion of bits. A boolean of StableHLO is a bit, one of HLO is a byte. */
  private static HloInstruction bitcastConvert(OpImport op) {
    HloInstruction operand = op.operand(0);
    ElementType from = op.array(0).elementType();
    ElementType to = op.declaredElementType();
    if ((from == ElementType.PRED) == (to == ElementType.PRED)) {
      return op.emit(new BitcastConvert(to), operand);
    }
    return to == ElementType.PRED
        ? op.emit(new Convert(to), op.emit(new BitcastConvert(ElementType.U1), operand))
        : op.emit(new BitcastConvert(to), op.emit(new Convert(ElementType.U1), operand));
  }

  private static Shape shapeOfBroadcast(OpImport op) {
    Type.Tensor operand = op.operandTensor(0);
    List<Long> all = new ArrayList<>(op.fields().ints("broadcast_sizes").stream().boxed().toList());
    all.addAll(operand.sizes());
    return Shapes.symbolicShape(Type.Tensor.of(operand.element(), all));
  }

  private static HloInstruction broadcast(OpImport op) {
    Dims sizes = op.fields().ints("broadcast_sizes");
    Shape.Array operand = op.array(0);
    return op.emit(
        new Broadcast(
            operand.withSizes(sizes.concat(operand.sizes())),
            Dims.range(sizes.count(), (long) sizes.count() + operand.rank())),
        op.operand(0));
  }

  private static void checkBroadcastInDim(OpImport op) {
    requireBroadcast(op.array(0), op.resultArray(), op.fields().ints("broadcast_dimensions"));
  }

  private static HloInstruction broadcastInDim(OpImport op) {
    return emitBroadcastInDim(
        op, op.operand(0), op.resultArray(), op.fields().ints("broadcast_dimensions"));
  }

  /**
   * Emits a broadcast along dimensions in any order, in which dimensions of size 1 are stretched.
   * HLO requires the dimensions in ascending order and equal sizes.
   */
  static HloInstruction emitBroadcastInDim(
      OpImport op, HloInstruction operand, Shape.Array result, Dims dimensions) {
    Shape.Array shape = OpImport.arrayShape(operand);
    requireBroadcast(shape, result, dimensions);
    if (dimensions.isStrictlyIncreasing()) {
      return broadcastWithoutUnitDimensions(op, operand, result, dimensions);
    }
    Dims order =
        Dims.copyOf(
            IntStream.range(0, shape.rank())
                .boxed()
                .sorted((a, b) -> Long.compare(dimensions.get(a), dimensions.get(b)))
                .toList());
    HloInstruction ordered = op.emit(new Transpose(order), operand);
    return broadcastWithoutUnitDimensions(op, ordered, result, dimensions.at(order));
  }

  /**
   * Requires that an operand can be broadcast along these dimensions of the result; sizes may be
   * unknown.
   */
  static void requireBroadcast(Shape.Array shape, Shape.Array result, Dims dimensions) {
    require(
        dimensions.count() == shape.rank(),
        "broadcast_in_dim C2",
        "broadcast_dimensions got %s, want one for each dimension of %s",
        dimensions,
        shape);
    require(
        dimensions.isDistinct() && dimensions.stream().allMatch(d -> d >= 0 && d < result.rank()),
        "broadcast_in_dim C3",
        "broadcast_dimensions got %s, want different dimensions of %s",
        dimensions,
        result);
    for (int i = 0; i < shape.rank(); i++) {
      require(
          shape.size(i) == 1
              || shape.isDynamic(i)
              || result.isDynamic(dimensions.getInt(i))
              || shape.size(i) == result.size(dimensions.getInt(i)),
          "broadcast_in_dim C5",
          "operand got %s, want size 1 or %s in dimension %s",
          shape,
          result.size(dimensions.getInt(i)),
          i);
    }
  }

  /** Drops the dimensions of size 1 that are stretched, and broadcasts the others. */
  private static HloInstruction broadcastWithoutUnitDimensions(
      OpImport op, HloInstruction operand, Shape.Array result, Dims dimensions) {
    Shape.Array shape = OpImport.arrayShape(operand);
    List<Integer> kept =
        IntStream.range(0, shape.rank())
            .filter(i -> shape.size(i) == result.size(dimensions.getInt(i)))
            .boxed()
            .toList();
    HloInstruction plain = operand;
    if (kept.size() < shape.rank()) {
      plain = op.emit(new Reshape(shape.withSizes(shape.sizes().at(Dims.copyOf(kept)))), operand);
    }
    Dims target = dimensions.at(Dims.copyOf(kept));
    return plain.shape().compatible(result) && target.count() == result.rank()
        ? plain
        : op.emit(new Broadcast(result.withElementType(shape.elementType()), target), plain);
  }

  /** Returns vectors as one. */
  static HloInstruction emitJoined(OpImport op, List<HloInstruction> vectors) {
    return vectors.size() == 1
        ? vectors.get(0)
        : op.emit(new Concatenate(Dims.of(0)), vectors, List.of());
  }

  /** Returns an element of a vector, as a scalar. */
  static HloInstruction emitElement(OpImport op, HloInstruction vector, long index) {
    HloInstruction slice =
        op.emit(Slice.of(Dims.of(index), Dims.of(index + 1), Dims.of(1)), vector);
    return op.emit(new Reshape(OpImport.arrayShape(vector).withSizes(Dims.of())), slice);
  }

  static void checkGather(OpImport op) {
    Fields numbers = op.fields().struct("dimension_numbers");
    requireNoneShared(numbers, "gather C18", "start_index_map", "operand_batching_dims");
  }

  /** Refuses an index of a batching dimension, which HLO permits and ignores. */
  static void requireNoneShared(Fields numbers, String label, String map, String batching) {
    Dims indexed = numbers.ints(map);
    Dims batches = numbers.ints(batching);
    require(
        indexed.stream().noneMatch(batches::contains),
        label,
        "%s got %s, want none that is in %s, %s",
        map,
        indexed,
        batching,
        batches);
  }

  private static SetDimensionSize resized(OpImport op) {
    return new SetDimensionSize(op.array(0), Dims.of(op.fields().int32("dimension")));
  }

  private static HloInstruction torchIndexSelect(OpImport op) {
    int dim = op.fields().int32("dim");
    int batchDims = op.fields().int32("batch_dims");
    return op.inlineLibraryFunction(
        x -> TorchIndexing.torchIndexSelect(x.get(0), x.get(1), dim, batchDims), op.operands());
  }
}
