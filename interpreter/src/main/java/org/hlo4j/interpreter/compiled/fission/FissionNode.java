package org.hlo4j.interpreter.compiled.fission;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.util.List;
import java.util.function.Consumer;

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
    /** An array in such a local variable. */
    ARRAY,
    /** The loop counter. */
    COUNT,
    /** An element of an array that is read contiguously; the input is the index. */
    LOAD,
    /** An element of a narrow array, converted to int. */
    WIDENED,
    /** An int, to be stored in a narrow array. */
    NARROWED,
    /** The bits of a float as an integer, or the reverse. */
    BITS,
    /** An element of an array at any index; the inputs are the array and the index. */
    ELEMENT,
    /** The result of an operation that C2 vectorizes. */
    APPLY,
    /** The result of a call that C2 does not vectorize. */
    CALL,
    /** A copy of an invariant or of the counter, to be stored. */
    COPIED,
    /**
     * The result of a call where a mask is true; the inputs are the mask, the value otherwise, and
     * the arguments.
     */
    REPLACED
  }

  /** The code of a value that needs none. */
  static final Consumer<CodeBuilder> NOTHING = _ -> {};

  private static final int NO_LOCAL = -1;

  final Kind kind;

  /** The element type of arrays that hold the value; of an array, that of its elements. */
  final TypeKind storage;

  final ImmutableList<FissionNode> inputs;

  /** Writes the code that computes the value from its inputs, which are on the operand stack. */
  final Consumer<CodeBuilder> code;

  /** The local variable of the value, or of its array. */
  final int local;

  /** Whether the value is the same in all iterations. */
  final boolean isInvariant;

  private FissionNode(
      Kind kind,
      TypeKind storage,
      List<FissionNode> inputs,
      Consumer<CodeBuilder> code,
      int local) {
    this.kind = kind;
    this.storage = storage;
    this.inputs = ImmutableList.copyOf(inputs);
    this.code = code;
    this.local = local;
    this.isInvariant =
        switch (kind) {
          case CONSTANT, INVARIANT, ARRAY -> true;
          case COUNT, LOAD, WIDENED, NARROWED, COPIED -> false;
          case BITS, ELEMENT, APPLY, CALL, REPLACED ->
              inputs.stream().allMatch(op -> op.isInvariant);
        };
  }

  /** Creates a node for a value that is computed. */
  FissionNode(Kind kind, TypeKind storage, List<FissionNode> inputs, Consumer<CodeBuilder> code) {
    this(kind, storage, inputs, code, NO_LOCAL);
  }

  /** Creates a node for a local variable, or for an element of the array there. */
  FissionNode(Kind kind, TypeKind storage, int local, FissionNode... inputs) {
    this(kind, storage, List.of(inputs), NOTHING, local);
  }

  /** Returns the type of the value on the operand stack. */
  TypeKind type() {
    return kind == Kind.ARRAY ? TypeKind.REFERENCE : storage.asLoadable();
  }

  /** Returns the type of the local variable that holds the value. */
  ClassDesc localType() {
    return kind == Kind.ARRAY ? storage.upperBound().arrayType() : type().upperBound();
  }

  /** Returns whether C2 does not vectorize a loop that contains this node. */
  boolean blocksVectorization() {
    return switch (kind) {
      case WIDENED, NARROWED, ELEMENT, CALL, REPLACED -> true;
      case CONSTANT, INVARIANT, ARRAY, COUNT, LOAD, BITS, APPLY, COPIED -> false;
    };
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
    return switch (kind) {
      case CONSTANT, INVARIANT, ARRAY, COUNT -> true;
      default -> false;
    };
  }
}
