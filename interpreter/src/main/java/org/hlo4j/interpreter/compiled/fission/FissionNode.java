package org.hlo4j.interpreter.compiled.fission;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeElement;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What one iteration of a loop computes: known by identity. */
final class FissionNode {
  /** Where its value comes from. */
  enum Kind {
    /** It is a number in the code. */
    CONSTANT,
    /** It is in a local variable that the loop does not set. */
    INVARIANT,
    /** It counts the iterations. */
    COUNT,
    /** It is in an array, one after the other. */
    LOAD,
    /** An element of a narrow array as an int. */
    WIDENED,
    /** An int to be stored in a narrow array. */
    NARROWED,
    /** It is the bits of a float as an integer, or the other way round. */
    BITS,
    /** It is an element of an array anywhere: the array and the index. */
    ELEMENT,
    /** An instruction computes it. */
    APPLY,
    /** It is its input, the same for all or a count, to be stored. */
    COPIED,
    /** What a method gives, where a mask holds: the mask, what is else, the arguments. */
    REPLACED
  }

  private static final int NO_LOCAL = -1;

  final Kind kind;

  /** What it is on the stack. */
  final TypeKind type;

  final ImmutableList<FissionNode> inputs;

  /** Its instruction, if it has one. */
  final @Nullable CodeElement element;

  /** Its local variable, or that of its array. */
  final int local;

  /** What arrays hold it. */
  final TypeKind storage;

  /** Whether C2 makes no vectors of a loop with it. */
  final boolean isAlone;

  /** Whether it is the same in all iterations. */
  final boolean isInvariant;

  /** By how much it grows with each iteration; empty if not by the same. */
  final OptionalLong stride;

  private FissionNode(
      Kind kind,
      TypeKind type,
      TypeKind storage,
      List<FissionNode> inputs,
      @Nullable CodeElement element,
      int local,
      boolean isAlone) {
    this.kind = kind;
    this.type = type;
    this.storage = storage;
    this.inputs = ImmutableList.copyOf(inputs);
    this.element = element;
    this.local = local;
    this.isAlone = isAlone;
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
      boolean isAlone) {
    return new FissionNode(kind, type, type, inputs, element, NO_LOCAL, isAlone);
  }

  static FissionNode constant(ConstantInstruction constant) {
    return of(Kind.CONSTANT, constant.typeKind(), List.of(), constant, false);
  }

  static FissionNode invariant(TypeKind type, int local) {
    return new FissionNode(Kind.INVARIANT, type, type, List.of(), null, local, false);
  }

  /** An array that is the same in all iterations. */
  static FissionNode array(TypeKind storage, int local) {
    return new FissionNode(
        Kind.INVARIANT, TypeKind.REFERENCE, storage, List.of(), null, local, false);
  }

  static FissionNode count(int local) {
    return new FissionNode(Kind.COUNT, TypeKind.INT, TypeKind.INT, List.of(), null, local, false);
  }

  /** An element of the array in a local variable, in each iteration the next. */
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
   * What an instruction computes.
   *
   * @param isAlone whether C2 makes no vectors of it
   */
  static FissionNode apply(
      TypeKind type, List<FissionNode> inputs, CodeElement element, boolean isAlone) {
    return of(Kind.APPLY, type, inputs, element, isAlone);
  }

  static FissionNode copied(FissionNode value) {
    return of(Kind.COPIED, value.type, List.of(value), null, false);
  }

  /** What a call gives where a mask holds, and something else where it does not. */
  static FissionNode replaced(FissionNode mask, FissionNode otherwise, FissionNode call) {
    ImmutableList<FissionNode> inputs =
        ImmutableList.<FissionNode>builder().add(mask, otherwise).addAll(call.inputs).build();
    return of(Kind.REPLACED, call.type, inputs, call.element, true);
  }

  /** Whether an array holds it from the start, or is copied whole. */
  boolean isArray() {
    return kind == Kind.LOAD || kind == Kind.BITS;
  }

  /** Whether it is at hand in the code. */
  boolean isAtHand() {
    return kind == Kind.CONSTANT || kind == Kind.INVARIANT || kind == Kind.COUNT;
  }
}
