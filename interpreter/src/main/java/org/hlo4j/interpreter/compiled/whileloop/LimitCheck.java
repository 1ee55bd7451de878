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
 * The pieces of generated loops: after a number of operations, which all loops of a method count
 * together, the context is told of them and asks for the limits of the run.
 */
final class LimitCheck {
  private static final ClassDesc CONTEXT = KernelContext.class.describeConstable().orElseThrow();

  private static final MethodTypeDesc CHECK =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);

  /** The operations of a piece, which take less than a millisecond even before C1 compiles them. */
  private static final int PIECE = 1 << 14;

  private final CodeBuilder code;
  private final int contextSlot;
  private final int left;

  LimitCheck(CodeEmitter emitter, int contextSlot) {
    this.code = emitter.code();
    this.contextSlot = contextSlot;
    this.left = emitter.newLocal(TypeKind.INT);
    code.loadConstant(PIECE).istore(left);
  }

  /**
   * Writes the check into an iteration.
   *
   * @param operations about how many operations it takes
   */
  void write(long operations) {
    int cost = Math.clamp(operations, 1, PIECE);
    Label enough = code.newLabel();
    code.iinc(left, -cost).iload(left).ifgt(enough);
    code.aload(contextSlot).loadConstant(PIECE).iload(left).isub().loadConstant(cost).idiv();
    code.invokeinterface(CONTEXT, "afterIterations", CHECK);
    code.loadConstant(PIECE).istore(left);
    code.labelBinding(enough);
  }
}
