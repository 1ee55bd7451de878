package org.hlo4j.stablehlo.importer;

import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The lowering of quantized types. HLO has none: a quantized array becomes an array of its storage
 * type. An op that computes is applied to the expressed numbers, as StableHLO's specification
 * defines it: dequantize, compute, quantize. An op that only moves elements is applied to the
 * storage; {@link QuantizationTable} says which does what.
 */
record Quantization(OpImport op) {
  /** The integers in which zero points are subtracted from storage of up to 16 bits. */
  private static final ElementType WIDE = ElementType.S32;

  /** The integers in which zero points are subtracted from storage of 32 bits. */
  private static final ElementType WIDEST = ElementType.S64;

  static Optional<Type.Quantized> quantized(Type type) {
    return type instanceof Type.Tensor tensor && tensor.element() instanceof Type.Quantized element
        ? Optional.of(element)
        : Optional.empty();
  }

  /** Returns the type of the numbers that a quantized tensor stands for; others are unchanged. */
  static Type expressed(Type type) {
    return type instanceof Type.Tensor tensor && tensor.element() instanceof Type.Quantized element
        ? new Type.Tensor(tensor.sizes(), element.expressed(), tensor.encoding())
        : type;
  }

  /** Returns the storage type of quantized elements, and other element types unchanged. */
  static Type storage(Type element) {
    return element instanceof Type.Quantized quantized
        ? quantized.storage()
        : element == Type.Simple.INDEX ? Types.I64 : element;
  }

  /**
   * Returns the type of the elements that a constant of a type is written with. Those of quantized
   * types are signless, as MLIR has the storage type; a flag beside it says that it has no sign.
   */
  static Type constant(Type element) {
    return element instanceof Type.Quantized quantized
        ? new Type.Int(quantized.storage().width(), Type.Signedness.SIGNLESS)
        : storage(element);
  }

  /** Lowers an op on the expressed numbers of its operands. */
  static ImmutableList<HloInstruction> lower(OpImport op) {
    return new Quantization(op).dequantizeAndLower();
  }

  /**
   * Lowers an op that puts zeros where no element goes. It is applied to the storage combined with
   * the storage of the number 0 by an exclusive or, and so are its results: zeros become that
   * number, and all other elements what they were.
   */
  static ImmutableList<HloInstruction> lowerWithZeros(OpImport op) {
    return new Quantization(op).lowerFromZero();
  }

  /** Converts a value from an element type to another; quantized types are both or neither. */
  static HloInstruction converted(OpImport op, HloInstruction value, Type from, Type to) {
    if (from instanceof Type.Quantized given && to instanceof Type.Quantized wanted) {
      Quantization quantization = new Quantization(op);
      return given.equals(wanted)
          ? value
          : quantization.quantized(quantization.dequantized(value, given), wanted);
    }
    return op.converted(value, Shapes.elementType(to));
  }

  /** Emits the number 0 in a quantized type, as a scalar of the storage. */
  static HloInstruction zero(OpImport op, Type.Quantized type) {
    Quantization quantization = new Quantization(op);
    return quantization.quantized(
        op.emit(new Constant(Literal.zeros(Shape.of(Shapes.elementType(type.expressed()))))), type);
  }

  private ImmutableList<HloInstruction> lowerFromZero() {
    List<Value> operands = new ArrayList<>();
    for (Value operand : op.operation().operands()) {
      Value plain = Value.of(operand.type());
      op.target()
          .define(plain, fromZero(op.target().instruction(operand), quantized(operand.type())));
      operands.add(plain);
    }
    List<HloInstruction> moved = lowered(operands, op.operation().resultTypes());
    ImmutableList.Builder<HloInstruction> results = ImmutableList.builder();
    for (int i = 0; i < moved.size(); i++) {
      results.add(fromZero(moved.get(i), quantized(op.resultType(i))));
    }
    return results.build();
  }

  private HloInstruction fromZero(HloInstruction storage, Optional<Type.Quantized> type) {
    if (type.isEmpty() || !hasZeroPoints(type.get())) {
      return storage;
    }
    return isOnlyDeclared()
        ? op.target().placeholder(storage.shape())
        : emit(
            Kind.XOR,
            storage,
            op.broadcast(zero(op, type.get()), OpImport.arrayShape(storage).sizes()));
  }

  /** Returns whether only shapes matter, which may be symbolic: the module is only verified. */
  private boolean isOnlyDeclared() {
    return op.target().module().isVerifying();
  }

  private ImmutableList<HloInstruction> dequantizeAndLower() {
    List<Value> operands = op.operation().operands().stream().map(this::dequantized).toList();
    List<HloInstruction> computed = computed(operands);
    verify(
        computed.size() == op.resultCount(),
        "results got %s, want %s",
        op.resultCount(),
        computed.size());
    ImmutableList.Builder<HloInstruction> results = ImmutableList.builder();
    for (int i = 0; i < computed.size(); i++) {
      HloInstruction number = computed.get(i);
      results.add(quantized(op.resultType(i)).map(type -> quantized(number, type)).orElse(number));
    }
    return results.build();
  }

  private List<HloInstruction> computed(List<Value> operands) {
    return switch (op.operation().name()) {
      case "stablehlo.uniform_quantize", "stablehlo.uniform_dequantize" ->
          op.target().instructions(operands);
      // Any quantized number is finite, even if the expressed type has it as infinite.
      case "stablehlo.is_finite" ->
          List.of(
              op.emit(
                  new Compare(Compare.Direction.EQ, Optional.empty()),
                  op.operand(0),
                  op.operand(0)));
      default -> lowerExpressed(operands);
    };
  }

  private List<HloInstruction> lowerExpressed(List<Value> operands) {
    return lowered(
        operands, op.operation().resultTypes().stream().map(Quantization::expressed).toList());
  }

  /** Lowers the same op on other operands. A comparison is of the kind that their type has. */
  private List<HloInstruction> lowered(List<Value> operands, List<Type> results) {
    Operation given = op.operation();
    Attributes attributes = given.attributes().without(List.of("compare_type"));
    return op.replaced(given.name(), operands, results, attributes.entries()).lower();
  }

  private Value dequantized(Value value) {
    Optional<Type.Quantized> type = quantized(value.type());
    if (type.isEmpty()) {
      return value;
    }
    Value plain = Value.of(expressed(value.type()));
    op.target().define(plain, dequantized(op.target().instruction(value), type.get()));
    return plain;
  }

  /**
   * Emits {@code (storage - zeroPoint) * scale} in the expressed type. The difference is exact: it
   * is taken before the conversion, of integers that hold it.
   */
  private HloInstruction dequantized(HloInstruction storage, Type.Quantized type) {
    Shape.Array shape = OpImport.arrayShape(storage);
    ElementType expressed = Shapes.elementType(type.expressed());
    if (isOnlyDeclared()) {
      return op.target().placeholder(shape.withElementType(expressed));
    }
    HloInstruction difference = storage;
    if (hasZeroPoints(type)) {
      ElementType wide = type.storage().width() < 32 ? WIDE : WIDEST;
      HloInstruction zeroPoints = parameters(type, shape, wide, zeroPoints(type));
      difference = emit(Kind.SUBTRACT, op.converted(storage, wide), zeroPoints);
    }
    HloInstruction scales = parameters(type, shape, expressed, type.scales());
    return emit(Kind.MULTIPLY, op.converted(difference, expressed), scales);
  }

  /**
   * Emits {@code roundNearestEven(clamp(x / scale + zeroPoint))}, converted to the storage type
   * and, if that may leave the range, clamped again.
   */
  private HloInstruction quantized(HloInstruction number, Type.Quantized type) {
    Shape.Array shape = OpImport.arrayShape(number);
    ElementType expressed = Shapes.elementType(type.expressed());
    ElementType storage = Shapes.elementType(type.storage());
    verify(
        shape.elementType() == expressed,
        "quantize: got %s, want elements of %s",
        shape,
        expressed);
    if (isOnlyDeclared()) {
      return op.target().placeholder(shape.withElementType(storage));
    }
    HloInstruction moved =
        emit(Kind.DIVIDE, number, parameters(type, shape, expressed, type.scales()));
    if (hasZeroPoints(type)) {
      moved = emit(Kind.ADD, moved, parameters(type, shape, expressed, zeroPoints(type)));
    }
    HloInstruction clamped = clamped(type, moved, expressed);
    HloInstruction rounded = op.emit(new Elementwise(Kind.ROUND_NEAREST_EVEN), clamped);
    HloInstruction stored = op.converted(rounded, storage);
    return isRange(type, expressed) ? stored : clamped(type, stored, storage);
  }

  /** Returns numbers of a type that are cut to the range of a quantized type. */
  private HloInstruction clamped(Type.Quantized range, HloInstruction number, ElementType type) {
    HloInstruction min = scalar(type, (double) range.min());
    return op.emit(new Clamp(), min, number, scalar(type, (double) range.max()));
  }

  /**
   * Returns whether numbers clamped in the expressed type, and NaN, which becomes 0, are within the
   * range: it is that of the storage type, or its ends are numbers of the expressed type.
   */
  private static boolean isRange(Type.Quantized type, ElementType expressed) {
    boolean isWhole =
        type.min() == Type.Quantized.defaultMin(type.storage())
            && type.max() == Type.Quantized.defaultMax(type.storage());
    boolean isExact = isHeld(type.min(), expressed) && isHeld(type.max(), expressed);
    return isWhole || (isExact && type.min() <= 0 && type.max() >= 0);
  }

  private static boolean isHeld(long number, ElementType expressed) {
    return expressed.round((double) number) == (double) number;
  }

  private static boolean hasZeroPoints(Type.Quantized type) {
    return type.zeroPoints().stream().anyMatch(point -> point != 0);
  }

  private HloInstruction emit(Kind kind, HloInstruction left, HloInstruction right) {
    return op.emit(new Elementwise(kind), left, right);
  }

  private HloInstruction scalar(ElementType type, double value) {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(type));
    builder.convert(0, value);
    return op.emit(new Constant(builder.build()));
  }

  private static List<Double> zeroPoints(Type.Quantized type) {
    return type.zeroPoints().stream().map(Long::doubleValue).toList();
  }

  /**
   * Broadcasts scales or zero points: a single number, or one for each index of the axis. The bound
   * of an axis may be larger than its size ever is.
   */
  private HloInstruction parameters(
      Type.Quantized type, Shape.Array shape, ElementType element, List<Double> values) {
    if (type.axis().isEmpty()) {
      return op.broadcast(scalar(element, values.get(0)), shape.sizes());
    }
    int axis = type.axis().getAsInt();
    verify(
        axis < shape.rank() && (shape.size(axis) == values.size() || shape.isDynamic(axis)),
        "got %s scales along dimension %s of %s, want as many as its size",
        values.size(),
        axis,
        shape);
    LiteralBuilder builder = new LiteralBuilder(Shape.of(element, shape.size(axis)));
    for (int i = 0; i < shape.size(axis); i++) {
      builder.convert(i, values.get(Math.min(i, values.size() - 1)));
    }
    HloInstruction vector = op.emit(new Constant(builder.build()));
    return op.emit(new Broadcast(Shape.of(element, shape.sizes()), Dims.of(axis)), vector);
  }
}
