package org.hlo4j.interpreter.compiled.gemm;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.VectorClass;

/**
 * Generates the class of a kernel that copies rows of a few vectors: {@code c[cStart + k * cStride
 * + j] = a[aStart + k * aStride + j]} for k below {@code steps}. A call of {@code System.arraycopy}
 * for each row would take five times as long.
 */
final class RowCopyCode {
  private static final ClassDesc SPECIES = ClassDesc.of("jdk.incubator.vector.VectorSpecies");
  private static final int A = 1;
  private static final int A_START = 2;
  private static final int A_STRIDE = 3;
  private static final int C = 8;
  private static final int C_START = 9;
  private static final int C_STRIDE = 10;
  private static final int STEPS = 11;

  private final MicroKernelShape shape;
  private final CodeBuilder code;
  private final ClassDesc array;
  private final ClassDesc vector;
  private final int step;
  private final int copied;

  private RowCopyCode(MicroKernelShape shape, CodeBuilder code) {
    this.shape = shape;
    this.code = code;
    this.array = shape.accumulatorType().element().arrayType();
    this.vector = shape.accumulatorType().vector();
    this.step = code.allocateLocal(TypeKind.INT);
    this.copied = code.allocateLocal(TypeKind.REFERENCE);
  }

  static MicroKernel generate(MicroKernelShape shape) {
    String name = "Copy" + shape.accumulatorType() + shape.width();
    return HiddenClasses.instance(
        MicroKernel.class, name, code -> new RowCopyCode(shape, code).emit());
  }

  private void emit() {
    MicroKernelCode.emitWarmupPrologue(code, STEPS);
    for (int operand : new int[] {A, C}) {
      code.aload(operand).checkcast(array).astore(operand);
    }
    Label body = code.newLabel();
    Label end = code.newLabel();
    VectorClass type = new VectorClass(code, vector, shape.species(), end);
    type.lookUp();
    code.iconst_0().istore(step).labelBinding(body);
    code.iload(step).iload(STEPS).if_icmpge(end);
    for (int j = 0; j < shape.vectors(); j++) {
      copyVector(type, j * shape.lanes());
    }
    code.iinc(step, 1).goto_(body).labelBinding(end).return_();
  }

  private void copyVector(VectorClass type, int offset) {
    code.getstatic(vector, shape.species(), SPECIES).aload(A);
    index(A_START, A_STRIDE, offset);
    code.invokestatic(vector, "fromArray", MethodTypeDesc.of(vector, SPECIES, array, CD_int));
    code.astore(copied);
    type.guard(copied);
    code.aload(copied).aload(C);
    index(C_START, C_STRIDE, offset);
    code.invokevirtual(vector, "intoArray", MethodTypeDesc.of(CD_void, array, CD_int));
  }

  /** Pushes {@code start + step * stride + offset}. */
  private void index(int start, int stride, int offset) {
    code.iload(start).iload(step).iload(stride).imul().iadd().loadConstant(offset).iadd();
  }
}
