package org.hlo4j.interpreter.compiled.strips;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeElement;
import java.lang.classfile.TypeKind;
import org.jspecify.annotations.Nullable;

/** What one turn of a loop computes: known by identity. */
final class Op {
  /** Where its value comes from. */
  enum Kind {
    /** It is a number in the code. */
    CONSTANT,
    /** It is in a local variable that the loop does not set. */
    INVARIANT,
    /** It counts the turns. */
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

  final Kind kind;

  /** What it is on the stack. */
  final TypeKind type;

  final ImmutableList<Op> inputs;

  /** Its instruction, if it has one. */
  final @Nullable CodeElement element;

  /** Its local variable, or that of its array. */
  final int local;

  /** What arrays hold it. */
  final TypeKind storage;

  /** Whether C2 makes no vectors of a loop with it. */
  final boolean isAlone;

  Op(
      Kind kind,
      TypeKind type,
      ImmutableList<Op> inputs,
      @Nullable CodeElement element,
      int local,
      TypeKind storage,
      boolean isAlone) {
    this.kind = kind;
    this.type = type;
    this.inputs = inputs;
    this.element = element;
    this.local = local;
    this.storage = storage;
    this.isAlone = isAlone;
  }

  static Op constant(TypeKind type, CodeElement element) {
    return new Op(Kind.CONSTANT, type, ImmutableList.of(), element, -1, type, false);
  }

  static Op ofLocal(Kind kind, TypeKind type, int local) {
    return new Op(kind, type, ImmutableList.of(), null, local, type, false);
  }

  static Op of(Kind kind, TypeKind type, Op... inputs) {
    boolean isAlone = kind == Kind.WIDENED || kind == Kind.NARROWED;
    return new Op(kind, type, ImmutableList.copyOf(inputs), null, -1, type, isAlone);
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
