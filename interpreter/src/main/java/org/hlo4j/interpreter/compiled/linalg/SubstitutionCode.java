package org.hlo4j.interpreter.compiled.linalg;

import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The code writer of {@link SubstitutionStep}. A few vectors of each of four rows stay in
 * registers.
 */
final class SubstitutionCode {
  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final int ARRAYS = 1;
  private static final int TARGET = 2;
  private static final int KNOWN = 3;
  private static final int COUNT = 4;
  private static final int STEP = 5;
  private static final int N = 6;
  private static final int MAX_VECTORS = Machine.registers() / 8;

  private final CodeEmitter emitter;
  private final int panel;
  private final int vectors;
  private final CodeBuilder code;
  private final int column;
  private final int iteration;
  private final int row;
  private final int index;

  SubstitutionCode(CodeEmitter emitter, int panel) {
    this.emitter = emitter;
    this.panel = panel;
    this.vectors = Math.min(MAX_VECTORS, panel / emitter.width());
    this.code = emitter.code();
    this.column = emitter.newLocal(TypeKind.INT);
    this.iteration = emitter.newLocal(TypeKind.INT);
    this.row = emitter.newLocal(TypeKind.INT);
    this.index = emitter.newLocal(TypeKind.INT);
  }

  void write() {
    emitter.body(() -> {
      int x = emitter.array(ARRAYS, 0, ElementType.F64);
      int m = emitter.array(ARRAYS, 1, ElementType.F64);
      code.iload(COUNT).loadConstant(PanelSubstitution.MAX_ROWS);
      code.invokestatic(MATH, "min", MethodTypeDesc.of(CD_int, CD_int, CD_int)).istore(COUNT);
      Label next = code.newLabel();
      Label done = code.newLabel();
      code.iconst_0().istore(column).labelBinding(next);
      code.iload(column).loadConstant(panel).if_icmpge(done);
      columns(x, m);
      code.iinc(column, vectors * emitter.width()).goto_(next).labelBinding(done).return_();
    });
  }

  private void columns(int x, int m) {
    int mark = emitter.mark();
    List<Value> kept = new ArrayList<>();
    for (int i = 0; i < PanelSubstitution.ROWS * vectors; i++) {
      target(i / vectors);
      kept.add(emitter.variable(emitter.load(ElementType.F64, x, place(i % vectors))));
    }
    Label next = code.newLabel();
    Label done = code.newLabel();
    code.iconst_0()
        .istore(iteration)
        .labelBinding(next)
        .iload(iteration)
        .iload(COUNT)
        .if_icmpge(done);
    int within = emitter.mark();
    emitter.markLoopCarried(kept);
    code.iload(KNOWN).iload(iteration).iload(STEP).imul().iadd().istore(row);
    List<Value> known = new ArrayList<>();
    for (int v = 0; v < vectors; v++) {
      known.add(emitter.load(ElementType.F64, x, place(v)));
    }
    for (int i = 0; i < PanelSubstitution.ROWS; i++) {
      code.iload(TARGET).iload(STEP).loadConstant(i).imul().iadd().iload(N).imul();
      code.iload(row).iadd().istore(index);
      Value factor = emitter.loadSplat(ElementType.F64, m, index);
      for (int v = 0; v < vectors; v++) {
        Value value = kept.get(i * vectors + v);
        emitter.assign(value, emitter.subtract(value, emitter.multiply(factor, known.get(v))));
      }
    }
    emitter.release(within);
    code.iinc(iteration, 1).goto_(next).labelBinding(done);
    emitter.markLoopCarried(kept);
    for (int i = 0; i < kept.size(); i++) {
      target(i / vectors);
      emitter.store(ElementType.F64, x, place(i % vectors), kept.get(i));
    }
    emitter.release(mark);
  }

  /** Writes {@code row = target + i * step}. */
  private void target(int i) {
    code.iload(TARGET).iload(STEP).loadConstant(i).imul().iadd().istore(row);
  }

  /** Writes the index of a vector of the row, and returns the local variable that holds it. */
  private int place(int vector) {
    code.iload(row).loadConstant(panel).imul().iload(column).iadd();
    code.loadConstant(vector * emitter.width()).iadd().istore(index);
    return index;
  }
}
