package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import org.hlo4j.hlo.ElementType;

/** Code that allocates, loads and copies whole arrays. Each array is in a local variable. */
public final class JavaArrays {
  private static final MethodTypeDesc COPY =
      MethodTypeDesc.of(
          ConstantDescs.CD_void,
          ConstantDescs.CD_Object,
          ConstantDescs.CD_int,
          ConstantDescs.CD_Object,
          ConstantDescs.CD_int,
          ConstantDescs.CD_int);

  private JavaArrays() {}

  /** Returns a new array, which is allocated once, before the body. */
  public static int make(CodeEmitter emitter, ElementType type, int length) {
    int local = emitter.newLocal(TypeKind.REFERENCE);
    TypeKind component = TypeKind.from(JavaTypes.storage(type).scalar);
    emitter.inPrologue(() -> emitter.code().loadConstant(length).newarray(component).astore(local));
    return local;
  }

  /** Returns the array {@code arraysLocal[number]}, which is read once, before the body. */
  public static int given(CodeEmitter emitter, int arraysLocal, int number, ElementType type) {
    return given(emitter, arraysLocal, number, JavaTypes.storage(type).array());
  }

  /**
   * Returns the object {@code arraysLocal[number]} of a class, which is read once, before the body.
   */
  public static int given(CodeEmitter emitter, int arraysLocal, int number, ClassDesc type) {
    int local = emitter.newLocal(TypeKind.REFERENCE);
    emitter.inPrologue(() ->
        emitter
            .code()
            .aload(arraysLocal)
            .loadConstant(number)
            .aaload()
            .checkcast(type)
            .astore(local));
    return local;
  }

  /** Returns a new array with the same elements. */
  public static int copy(CodeEmitter emitter, ElementType type, int from) {
    ClassDesc array = JavaTypes.storage(type).array();
    int local = emitter.newLocal(TypeKind.REFERENCE);
    CodeBuilder code = emitter.code();
    code.aload(from);
    code.invokevirtual(array, "clone", MethodTypeDesc.of(ConstantDescs.CD_Object));
    code.checkcast(array).astore(local);
    return local;
  }

  /** Overwrites the first elements of an array with those of another of the same type. */
  public static void copy(CodeEmitter emitter, int from, int to, int length) {
    CodeBuilder code = emitter.code();
    code.aload(from).iconst_0().aload(to).iconst_0().loadConstant(length);
    copy(code);
  }

  /** Copies elements like {@link System#arraycopy}, whose arguments are on the stack. */
  public static void copy(CodeBuilder code) {
    code.invokestatic(System.class.describeConstable().orElseThrow(), "arraycopy", COPY);
  }
}
