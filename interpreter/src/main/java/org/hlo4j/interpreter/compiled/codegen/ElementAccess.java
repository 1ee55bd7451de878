package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import org.hlo4j.hlo.ElementType;

/** Code that moves single elements between arrays and the operand stack. */
final class ElementAccess {
  private ElementAccess() {}

  /**
   * Pushes {@code arrayLocal[indexLocal]} as a value of its lane. Of narrow floats, it pushes the
   * bits.
   */
  static void load(CodeBuilder code, ElementType type, int arrayLocal, int indexLocal) {
    code.aload(arrayLocal).iload(indexLocal);
    code.arrayLoad(kind(type));
    widen(code, type);
  }

  private static void widen(CodeBuilder code, ElementType type) {
    boolean isSigned = type.kind() == ElementType.Kind.SIGNED || type == ElementType.PRED;
    if (!isSigned && type.bits() <= 16) {
      code.loadConstant(type.bits() == 16 ? 0xffff : 0xff).iand();
    }
  }

  /**
   * Stores the element on top of the stack, which is preceded by array and index. Narrow floats are
   * given as bits.
   */
  static void store(CodeBuilder code, ElementType type) {
    code.arrayStore(kind(type));
  }

  private static TypeKind kind(ElementType type) {
    return TypeKind.from(JavaTypes.storage(type).scalar);
  }
}
