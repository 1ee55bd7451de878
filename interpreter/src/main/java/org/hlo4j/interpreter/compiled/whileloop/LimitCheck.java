package org.hlo4j.interpreter.compiled.whileloop;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A check of the limits in generated loops, which stops loops that take too long. The limits are
 * checked once in many iterations.
 */
final class LimitCheck {
  private static final ClassDesc CONTEXT = KernelContext.class.describeConstable().orElseThrow();

  private static final MethodTypeDesc CHECK =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);

  private final CodeBuilder code;
  private final int contextSlot;
  private final int iterationsBetween;
  private final int iterations;

  LimitCheck(CodeEmitter emitter, int contextSlot, int iterationsBetween) {
    this.code = emitter.code();
    this.contextSlot = contextSlot;
    this.iterationsBetween = iterationsBetween;
    this.iterations = emitter.newLocal(TypeKind.INT);
    code.loadConstant(iterationsBetween).istore(iterations);
  }

  /** Writes the check into an iteration. */
  void write() {
    Label enough = code.newLabel();
    code.iinc(iterations, -1).iload(iterations).ifne(enough);
    code.aload(contextSlot).loadConstant(iterationsBetween);
    code.invokeinterface(CONTEXT, "checkLimits", CHECK);
    code.loadConstant(iterationsBetween).istore(iterations);
    code.labelBinding(enough);
  }
}
