package org.hlo4j.interpreter.compiled.dots;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import org.hlo4j.interpreter.compiled.lanes.HiddenClasses;

/**
 * Writes the class of a kernel that copies rows of a few vectors: {@code c[cStart + k * cStride +
 * j] = a[aStart + k * bStart + j]} for k below {@code steps}. A call of {@code System.arraycopy}
 * for each row would take five times as long.
 */
final class CopyCode {
  private static final ClassDesc SPECIES = ClassDesc.of("jdk.incubator.vector.VectorSpecies");
  private static final int A = 1;
  private static final int A_START = 2;
  private static final int A_STRIDE = 4;
  private static final int C = 5;
  private static final int C_START = 6;
  private static final int C_STRIDE = 7;
  private static final int STEPS = 8;

  private CopyCode() {}

  static Tile tile(TileForm form) {
    String name = "Copy" + form.carrier() + form.width();
    return HiddenClasses.instance(Tile.class, name, code -> emit(form, code));
  }

  private static void emit(TileForm form, CodeBuilder code) {
    TileCode.emitCounting(code, STEPS);
    ClassDesc array = form.carrier().element().arrayType();
    for (int operand : new int[] {A, C}) {
      code.aload(operand).checkcast(array).astore(operand);
    }
    int step = code.allocateLocal(TypeKind.INT);
    Label body = code.newLabel();
    Label end = code.newLabel();
    code.iconst_0().istore(step).labelBinding(body);
    code.iload(step).iload(STEPS).if_icmpge(end);
    for (int j = 0; j < form.vectors(); j++) {
      copyVector(form, code, array, step, j * form.lanes());
    }
    code.iinc(step, 1).goto_(body).labelBinding(end).return_();
  }

  private static void copyVector(
      TileForm form, CodeBuilder code, ClassDesc array, int step, int offset) {
    ClassDesc vector = form.carrier().vector();
    code.getstatic(vector, form.species(), SPECIES).aload(A);
    code.iload(A_START).iload(step).iload(A_STRIDE).imul().iadd().loadConstant(offset).iadd();
    code.invokestatic(vector, "fromArray", MethodTypeDesc.of(vector, SPECIES, array, CD_int));
    code.aload(C);
    code.iload(C_START).iload(step).iload(C_STRIDE).imul().iadd().loadConstant(offset).iadd();
    code.invokevirtual(vector, "intoArray", MethodTypeDesc.of(CD_void, array, CD_int));
  }
}
