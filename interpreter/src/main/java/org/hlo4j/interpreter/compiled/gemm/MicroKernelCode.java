package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.tiering.Tiered;

/**
 * Generates the class of a {@link MicroKernel}. All accumulators are vector registers; each
 * iteration loads one vector for each column vector and broadcasts one element for each row. The
 * trip count is limited, so that C2 sees a short loop. It would strip-mine a longer one under G1,
 * and then spill the accumulators.
 */
final class MicroKernelCode {
  private static final int A = 1;
  private static final int A_START = 2;
  private static final int A_STRIDE = 3;
  private static final int A_STEP = 4;
  private static final int B = 5;
  private static final int B_START = 6;
  private static final int B_STRIDE = 7;
  private static final int C = 8;
  private static final int C_START = 9;
  private static final int C_STRIDE = 10;
  private static final int STEPS = 11;
  private static final int ADD = 12;

  private final MicroKernelShape shape;
  private final CodeBuilder code;
  private final CodeEmitter emitter;
  private final ElementType type;
  private final int step;
  private final int index;
  private final int[] rows;

  private MicroKernelCode(MicroKernelShape shape, CodeBuilder code) {
    this.shape = shape;
    this.code = code;
    this.emitter = CodeEmitter.vector(code, shape.lanes());
    this.type = shape.accumulatorType().type();
    this.step = emitter.newLocal(TypeKind.INT);
    this.index = emitter.newLocal(TypeKind.INT);
    this.rows = IntStream.range(0, shape.rows()).map(i -> emitter.newLocal(TypeKind.INT)).toArray();
  }

  /** {@return a micro-kernel of a new class} */
  static MicroKernel generate(MicroKernelShape shape) {
    String name = "Tile" + shape.accumulatorType() + shape.rows() + "x" + shape.width();
    return HiddenClasses.instance(
        MicroKernel.class, name, code -> new MicroKernelCode(shape, code).emit());
  }

  private void emit() {
    // No steps are work, too: zeros are stored. Fewer are the warm-up.
    code.iconst_m1().istore(step);
    Tiered.writeWarmupPrologue(code, step, STEPS);
    emitter.body(() -> {
      IntStream.of(A, B, C).forEach(array -> emitter.castArray(type, array));
      CountedLoop.limit(code.iload(STEPS), CountedLoop.MAX_SHORT).istore(STEPS);
      for (int i = 0; i < shape.rows() && shape.rowStride() == 0; i++) {
        storeIndex(A_START, A_STRIDE, i, 0, rows[i]);
      }
      List<Value> sums = emitter.zeros(type, shape.accumulatorCount());
      CountedLoop.fromZero(code, step, STEPS, () -> emitStep(sums));
      emitter.markLoopCarried(sums);
      Label adding = code.newLabel();
      code.iload(ADD).ifne(adding);
      emitStores(sums, false);
      code.labelBinding(adding);
      emitStores(sums, true);
    });
  }

  /** Writes a step: loads a row of b and multiplies it with each element of a column of a. */
  private void emitStep(List<Value> sums) {
    int mark = emitter.mark();
    List<Value> columns =
        IntStream.range(0, shape.vectors())
            .mapToObj(x -> {
              storeIndexOfB(x * shape.lanes());
              return emitter.load(type, B, index);
            })
            .toList();
    for (int i = 0; i < shape.rows(); i++) {
      storeIndexOfA(i);
      Value left = emitter.loadSplat(type, A, index);
      for (int x = 0; x < shape.vectors(); x++) {
        emitter.addProduct(sums.get(i * shape.vectors() + x), left, columns.get(x));
      }
    }
    emitter.release(mark);
  }

  private void emitStores(List<Value> sums, boolean add) {
    int mark = emitter.mark();
    for (int i = 0; i < shape.accumulatorCount(); i++) {
      int offset = i % shape.vectors() * shape.lanes();
      storeIndex(C_START, C_STRIDE, i / shape.vectors(), offset, index);
      Value sum = sums.get(i);
      emitter.store(type, C, index, add ? emitter.add(sum, emitter.load(type, C, index)) : sum);
    }
    emitter.release(mark);
    code.return_();
  }

  /** Stores the index of an element of the step's row of b. */
  private void storeIndexOfB(int offset) {
    if (shape.isPacked()) {
      storeIndex(B_START, step, shape.width(), offset, index);
    } else {
      code.iload(B_START).iload(step).iload(B_STRIDE).imul().iadd();
      code.loadConstant(offset).iadd().istore(index);
    }
  }

  /** Stores the index of the step's element of row i of a. */
  private void storeIndexOfA(int i) {
    if (shape.rowStride() != 0) {
      storeIndex(A_START, step, shape.stepStride(), i * shape.rowStride(), index);
    } else if (shape.stepStride() != 0) {
      storeIndex(rows[i], step, shape.stepStride(), 0, index);
    } else {
      code.iload(rows[i]).iload(step).iload(A_STEP).imul().iadd().istore(index);
    }
  }

  /** Stores {@code start + variable * factor + offset}. */
  private void storeIndex(int start, int variable, int factor, int offset, int to) {
    code.iload(start).iload(variable).loadConstant(factor).imul().iadd();
    code.loadConstant(offset).iadd().istore(to);
  }
}
