package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import org.hlo4j.hlo.ElementType;

/** Code that moves single elements between arrays and the operand stack. */
final class ElementAccess {
  private ElementAccess() {}

  /** Pushes {@code array[index]} as a value of its lane. Of narrow floats, it pushes the bits. */
  static void load(CodeBuilder code, ElementType type, int arrayLocal, int indexLocal) {
    code.aload(arrayLocal).iload(indexLocal);
    switch (JavaTypes.storage(type)) {
      case BYTE -> code.baload();
      case SHORT -> code.saload();
      case INT -> code.iaload();
      case LONG -> code.laload();
      case FLOAT -> code.faload();
      case DOUBLE -> code.daload();
    }
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
    switch (JavaTypes.storage(type)) {
      case BYTE -> code.bastore();
      case SHORT -> code.sastore();
      case INT -> code.iastore();
      case LONG -> code.lastore();
      case FLOAT -> code.fastore();
      case DOUBLE -> code.dastore();
    }
  }
}
