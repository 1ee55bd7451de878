package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.fission.LoopFission;

/** Generated loops over arrays, for tests. */
public final class Loops {
  /** The width that stands for branchless code of single elements, in loops that are split. */
  public static final int CUT = 0;

  private Loops() {}

  /** A loop over the elements of arrays. */
  public interface Loop {
    /**
     * Computes elements {@code from} to {@code to}, exclusive, whose number is a multiple of the
     * width.
     */
    void run(Object[] arrays, int from, int to);
  }

  /**
   * Returns the loop {@code arrays[n][i] = body(arrays[0][i], ..., arrays[n - 1][i])} that computes
   * {@code width} elements at a time.
   */
  public static Loop of(
      int width,
      ElementType[] operands,
      ElementType result,
      BiFunction<CodeEmitter, Value[], Value> body) {
    Consumer<CodeBuilder> writing =
        code -> {
          CodeEmitter emitter =
              switch (width) {
                case CUT -> CodeEmitter.branchless(code);
                case 1 -> CodeEmitter.scalar(code);
                default -> CodeEmitter.vector(code, width);
              };
          emitter.body(() -> write(emitter, operands, result, body));
        };
    return Optional.of(width)
        .filter(given -> given == CUT)
        .flatMap(cut -> LoopFission.instance(Loop.class, "Test", writing))
        .orElseGet(() -> HiddenClasses.instance(Loop.class, "Test", writing));
  }

  private static void write(
      CodeEmitter emitter,
      ElementType[] operands,
      ElementType result,
      BiFunction<CodeEmitter, Value[], Value> body) {
    CodeBuilder code = emitter.code();
    int[] arrays = new int[operands.length + 1];
    for (int i = 0; i < arrays.length; i++) {
      arrays[i] = emitter.array(1, i, i < operands.length ? operands[i] : result);
    }
    int index = emitter.newLocal(TypeKind.INT);
    code.iload(2).istore(index);
    Label next = code.newBoundLabel();
    Label done = code.newLabel();
    code.iload(index).iload(3).if_icmpge(done);
    Value[] values = new Value[operands.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = emitter.load(operands[i], arrays[i], index);
    }
    emitter.store(result, arrays[operands.length], index, body.apply(emitter, values));
    code.iinc(index, emitter.width()).goto_(next).labelBinding(done).return_();
  }
}
