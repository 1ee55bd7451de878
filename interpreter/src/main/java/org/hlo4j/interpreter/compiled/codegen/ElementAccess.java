package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import org.hlo4j.hlo.ElementType;

/** Code that moves single elements between arrays and the operand stack. */
public final class ElementAccess {
  private ElementAccess() {}

  /**
   * Pushes {@code arrayLocal[indexLocal]} as a value of its lane. Of narrow floats, it pushes the
   * bits.
   */
  static void load(CodeBuilder code, ElementType type, int arrayLocal, int indexLocal) {
    code.aload(arrayLocal).iload(indexLocal);
    code.arrayLoad(kind(type));
    if (isMasked(type)) {
      code.loadConstant(mask(type)).iand();
    }
  }

  /** Returns whether the int that is read from an array has bits that the element does not have. */
  public static boolean isMasked(ElementType type) {
    boolean isSigned = type.kind() == ElementType.Kind.SIGNED || type == ElementType.PRED;
    return !isSigned && type.bits() <= 16;
  }

  /** Returns the bits of the int that belong to the element, if it {@link #isMasked}. */
  public static int mask(ElementType type) {
    return type.bits() == 16 ? 0xffff : 0xff;
  }

  /**
   * Stores the element on top of the stack, which is preceded by array and index. Narrow floats are
   * given as bits.
   */
  static void store(CodeBuilder code, ElementType type) {
    code.arrayStore(kind(type));
  }

  /** Returns the type of the array that stores elements of a type. */
  public static TypeKind kind(ElementType type) {
    return TypeKind.from(JavaTypes.storage(type).scalar);
  }
}
