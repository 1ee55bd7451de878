package org.hlo4j.interpreter.compiled.lanes;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import org.hlo4j.hlo.ElementType;

/** Single elements between arrays and the stack. */
final class Storage {
  private Storage() {}

  /** Pushes {@code array[index]} as its lane has it. */
  static void load(CodeBuilder code, ElementType type, int arrayLocal, int indexLocal) {
    code.aload(arrayLocal).iload(indexLocal);
    switch (Types.storage(type)) {
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
    switch (type.kind()) {
      case PRED, SIGNED -> {}
      case UNSIGNED -> {
        if (type.bits() == 16) {
          code.loadConstant(0xffff).iand();
        } else if (type.bits() <= 8) {
          code.loadConstant(0xff).iand();
        }
      }
      case FLOAT -> decode(code, type);
      case COMPLEX -> throw new IllegalArgumentException("no lane for " + type);
    }
  }

  private static void decode(CodeBuilder code, ElementType type) {
    if (type == ElementType.BF16) {
      code.bipush(16).ishl();
      code.invokestatic(
          ConstantDescs.CD_Float,
          "intBitsToFloat",
          MethodTypeDesc.of(ConstantDescs.CD_float, ConstantDescs.CD_int));
    } else if (type == ElementType.F16) {
      code.invokestatic(
          ConstantDescs.CD_Float,
          "float16ToFloat",
          MethodTypeDesc.of(ConstantDescs.CD_float, ConstantDescs.CD_short));
    } else if (type.bits() <= 8) {
      throw new IllegalArgumentException("not yet: " + type);
    }
  }

  /** Stores the element on top of the stack, above array and index. */
  static void store(CodeBuilder code, ElementType type) {
    if (type.isFloating()) {
      encode(code, type);
    }
    switch (Types.storage(type)) {
      case BYTE -> code.bastore();
      case SHORT -> code.sastore();
      case INT -> code.iastore();
      case LONG -> code.lastore();
      case FLOAT -> code.fastore();
      case DOUBLE -> code.dastore();
    }
  }

  private static void encode(CodeBuilder code, ElementType type) {
    if (type == ElementType.BF16) {
      code.invokestatic(
          ConstantDescs.CD_Float,
          "floatToRawIntBits",
          MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_float));
      code.bipush(16).ishr();
    } else if (type == ElementType.F16) {
      code.invokestatic(
          ConstantDescs.CD_Float,
          "floatToFloat16",
          MethodTypeDesc.of(ConstantDescs.CD_short, ConstantDescs.CD_float));
    } else if (type.bits() <= 8) {
      throw new IllegalArgumentException("not yet: " + type);
    }
  }
}
