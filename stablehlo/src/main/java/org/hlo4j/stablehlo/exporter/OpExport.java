package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.dialect.RecordBinding;
import org.hlo4j.stablehlo.dialect.StandardDialects;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.MlirParser;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The conversion of an instruction to operations of a block.
 *
 * @param block the block
 * @param instruction the instruction
 */
record OpExport(BlockExport block, HloInstruction instruction) {
  /** Returns the leaves of an operand. */
  ImmutableList<Value> operand(int number) {
    return block.values(instruction.operands().get(number));
  }

  /** Returns an operand that is an array or a token. */
  Value value(int number) {
    return operand(number).get(0);
  }

  Shape shape(int number) {
    return instruction.operands().get(number).shape();
  }

  int operandCount() {
    return instruction.operands().size();
  }

  /** Returns the leaves of all operands. */
  ImmutableList<Value> operands() {
    return instruction.operands().stream()
        .flatMap(operand -> block.values(operand).stream())
        .collect(toImmutableList());
  }

  /** Returns the types of the leaves of the result. */
  ImmutableList<Type> types() {
    return ShapeTypes.leaves(instruction.shape());
  }

  /** Begins an operation with the operands, result types and annotations of the instruction. */
  OperationBuilder newOperation(String name) {
    return newIntermediate(name)
        .withOperands(operands())
        .withResultTypes(types())
        .with(Annotations.of(instruction));
  }

  /** Begins an operation that computes an intermediate value. */
  OperationBuilder newIntermediate(String name) {
    return block.operation(name, block.module().location(instruction));
  }

  /**
   * Adds an operation with the operands and result types of the instruction, without other
   * attributes than its annotations.
   */
  ImmutableList<Value> emitOperation(String name) {
    return newOperation(name).emit();
  }

  /** Begins the operation that mirrors an op, with its attributes and regions. */
  OperationBuilder mirror(Op op) {
    RecordBinding binding = RecordBinding.of(op).orElseThrow(() -> unsupported(""));
    OperationBuilder mirror = newOperation(binding.definition().name()).with(binding.write(op));
    for (int i = 0; i < instruction.called().size(); i++) {
      mirror.with(region(i));
    }
    return mirror;
  }

  /** Adds the operation that mirrors the instruction. */
  ImmutableList<Value> mirrored() {
    return mirror(instruction.op()).emit();
  }

  /** Returns a called computation as a region whose arguments are the leaves of its parameters. */
  Region region(int number) {
    return block.module().region(called(number), block.depth() + 1);
  }

  HloComputation called(int number) {
    return instruction.called().get(number);
  }

  /** Returns an intermediate value of one operand. */
  Value intermediate(String name, Value operand, Shape.Array shape) {
    return newIntermediate(name)
        .withOperands(operand)
        .withResultTypes(ShapeTypes.tensor(shape))
        .emitOne();
  }

  static Type.Tensor type(Value value) {
    return (Type.Tensor) value.type();
  }

  Value constant(Attribute.Dense value) {
    return newIntermediate("stablehlo.constant")
        .withResultTypes(value.type())
        .with("value", value)
        .emitOne();
  }

  Value reshape(Value value, List<Long> sizes) {
    return type(value).sizes().equals(sizes)
        ? value
        : resized("stablehlo.reshape", value, sizes).emitOne();
  }

  /** Begins an operation on a value whose result has the same elements in other sizes. */
  private OperationBuilder resized(String name, Value value, List<Long> sizes) {
    return newIntermediate(name)
        .withOperands(value)
        .withResultTypes(Type.Tensor.of(type(value).element(), sizes));
  }

  /** Returns a value with its dimensions permuted. */
  Value transpose(Value value, Dims permutation) {
    if (permutation.equals(Dims.range(0, permutation.count()))) {
      return value;
    }
    List<Long> sizes = AttributeFactory.list(Dims.copyOf(type(value).sizes()).at(permutation));
    return resized("stablehlo.transpose", value, sizes).with("permutation", permutation).emitOne();
  }

  /** Returns the elements {@code from} to {@code to} of the first dimension. */
  Value slice(Value value, long from, long to) {
    List<Long> sizes = new ArrayList<>(type(value).sizes());
    Dims ends = Dims.copyOf(sizes).with(0, to);
    sizes.set(0, to - from);
    return resized("stablehlo.slice", value, sizes)
        .with("start_indices", Dims.filled(sizes.size(), 0).with(0, from))
        .with("limit_indices", ends)
        .with("strides", Dims.filled(sizes.size(), 1))
        .emitOne();
  }

  /** Returns the dictionary that a text denotes, if it is one. */
  static Optional<Attribute> dictionary(String text) {
    try {
      return Optional.of(MlirParser.attribute(text, StandardDialects.INSTANCE))
          .filter(Attribute.Dictionary.class::isInstance);
    } catch (HloException notOne) {
      return Optional.empty();
    }
  }

  /**
   * Returns a refusal of an op that has no counterpart in StableHLO. The reason names the
   * unsupported form if other forms of the op have one.
   */
  static HloException unsupported(String reason) {
    return new HloException(UNSUPPORTED, reason);
  }
}
