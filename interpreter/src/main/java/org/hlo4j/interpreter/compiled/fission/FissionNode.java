package org.hlo4j.interpreter.compiled.fission;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeElement;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A node of the data flow graph of a loop body: a value that each iteration computes. Nodes are
 * compared by identity.
 */
final class FissionNode {
  /** The source of a value. */
  enum Kind {
    /** A constant in the code. */
    CONSTANT,
    /** A local variable that the loop does not assign. */
    INVARIANT,
    /** The loop counter. */
    COUNT,
    /** An element of an array that is read contiguously. */
    LOAD,
    /** An element of a narrow array, converted to int. */
    WIDENED,
    /** An int, to be stored in a narrow array. */
    NARROWED,
    /** The bits of a float as an integer, or the reverse. */
    BITS,
    /** An element of an array at any index; the inputs are the array and the index. */
    ELEMENT,
    /** The result of an instruction. */
    APPLY,
    /** A copy of an invariant or of the counter, to be stored. */
    COPIED,
    /**
     * The result of a call where a mask is true; the inputs are the mask, the value otherwise, and
     * the arguments.
     */
    REPLACED
  }

  private static final int NO_LOCAL = -1;

  final Kind kind;

  /** The type of the value on the operand stack. */
  final TypeKind type;

  final ImmutableList<FissionNode> inputs;

  /** The instruction, if there is one. */
  final @Nullable CodeElement element;

  /** The local variable of the value, or of its array. */
  final int local;

  /** The element type of arrays that hold the value. */
  final TypeKind storage;

  /** Whether C2 does not vectorize a loop that contains this node. */
  final boolean blocksVectorization;

  /** Whether the value is the same in all iterations. */
  final boolean isInvariant;

  /** The difference of the values of two successive iterations; empty if it is not constant. */
  final OptionalLong stride;

  private FissionNode(
      Kind kind,
      TypeKind type,
      TypeKind storage,
      List<FissionNode> inputs,
      @Nullable CodeElement element,
      int local,
      boolean blocksVectorization) {
    this.kind = kind;
    this.type = type;
    this.storage = storage;
    this.inputs = ImmutableList.copyOf(inputs);
    this.element = element;
    this.local = local;
    this.blocksVectorization = blocksVectorization;
    this.isInvariant =
        switch (kind) {
          case CONSTANT, INVARIANT -> true;
          case COUNT, LOAD, WIDENED, NARROWED, COPIED -> false;
          case BITS, ELEMENT, APPLY, REPLACED -> inputs.stream().allMatch(op -> op.isInvariant);
        };
    this.stride =
        switch (kind) {
          case CONSTANT, INVARIANT -> OptionalLong.of(0);
          case COUNT -> OptionalLong.of(1);
          case APPLY -> strideOf(element, inputs);
          case LOAD, WIDENED, NARROWED, BITS, ELEMENT, COPIED, REPLACED -> OptionalLong.empty();
        };
  }

  private static OptionalLong strideOf(@Nullable CodeElement element, List<FissionNode> inputs) {
    if (inputs.stream().anyMatch(input -> input.stride.isEmpty())) {
      return OptionalLong.empty();
    } else if (inputs.stream().allMatch(input -> input.stride.getAsLong() == 0)) {
      return OptionalLong.of(0);
    }
    if (!(element instanceof OperatorInstruction operator) || inputs.size() != 2) {
      return OptionalLong.empty();
    }
    long lhs = inputs.get(0).stride.getAsLong();
    long rhs = inputs.get(1).stride.getAsLong();
    return switch (operator.opcode()) {
      case IADD -> OptionalLong.of(lhs + rhs);
      case ISUB -> OptionalLong.of(lhs - rhs);
      case IMUL ->
          inputs.get(0).element instanceof ConstantInstruction constant
              ? times(constant, rhs)
              : inputs.get(1).element instanceof ConstantInstruction constant
                  ? times(constant, lhs)
                  : OptionalLong.empty();
      default -> OptionalLong.empty();
    };
  }

  private static OptionalLong times(ConstantInstruction constant, long stride) {
    return constant.constantValue() instanceof Integer factor
        ? OptionalLong.of(stride * factor)
        : OptionalLong.empty();
  }

  private static FissionNode of(
      Kind kind,
      TypeKind type,
      List<FissionNode> inputs,
      @Nullable CodeElement element,
      boolean blocksVectorization) {
    return new FissionNode(kind, type, type, inputs, element, NO_LOCAL, blocksVectorization);
  }

  static FissionNode constant(ConstantInstruction constant) {
    return of(Kind.CONSTANT, constant.typeKind(), List.of(), constant, false);
  }

  static FissionNode invariant(TypeKind type, int local) {
    return new FissionNode(Kind.INVARIANT, type, type, List.of(), null, local, false);
  }

  /** Returns an array that is the same in all iterations. */
  static FissionNode array(TypeKind storage, int local) {
    return new FissionNode(
        Kind.INVARIANT, TypeKind.REFERENCE, storage, List.of(), null, local, false);
  }

  static FissionNode count(int local) {
    return new FissionNode(Kind.COUNT, TypeKind.INT, TypeKind.INT, List.of(), null, local, false);
  }

  /** Returns the element at a contiguous index of the array in a local variable. */
  static FissionNode load(TypeKind storage, int array, FissionNode index) {
    return new FissionNode(
        Kind.LOAD, storage.asLoadable(), storage, List.of(index), null, array, false);
  }

  static FissionNode widened(FissionNode load) {
    return of(Kind.WIDENED, load.type, List.of(load), null, true);
  }

  static FissionNode narrowed(TypeKind storage, FissionNode value) {
    return of(Kind.NARROWED, storage, List.of(value), null, true);
  }

  static FissionNode bits(TypeKind type, FissionNode of, CodeElement element) {
    return of(Kind.BITS, type, List.of(of), element, false);
  }

  static FissionNode element(
      TypeKind storage, FissionNode array, FissionNode index, CodeElement element) {
    return of(Kind.ELEMENT, storage.asLoadable(), List.of(array, index), element, true);
  }

  /**
   * Returns the result of an instruction.
   *
   * @param blocksVectorization whether C2 does not vectorize the instruction
   */
  static FissionNode apply(
      TypeKind type, List<FissionNode> inputs, CodeElement element, boolean blocksVectorization) {
    return of(Kind.APPLY, type, inputs, element, blocksVectorization);
  }

  static FissionNode copied(FissionNode value) {
    return of(Kind.COPIED, value.type, List.of(value), null, false);
  }

  /** Returns the result of a call where a mask is true, and another value where it is false. */
  static FissionNode replaced(FissionNode mask, FissionNode otherwise, FissionNode call) {
    ImmutableList<FissionNode> inputs =
        ImmutableList.<FissionNode>builder().add(mask, otherwise).addAll(call.inputs).build();
    return of(Kind.REPLACED, call.type, inputs, call.element, true);
  }

  /**
   * Returns whether an array holds the value before the loops run, or receives it by a copy of
   * bits.
   */
  boolean isArray() {
    return kind == Kind.LOAD || kind == Kind.BITS;
  }

  /** Returns whether the value can be pushed without being computed. */
  boolean isPushable() {
    return kind == Kind.CONSTANT || kind == Kind.INVARIANT || kind == Kind.COUNT;
  }
}
