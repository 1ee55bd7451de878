package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
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
    Consumer<CodeEmitter> writing =
        emitter -> emitter.body(() -> write(emitter, operands, result, body));
    if (width == CUT) {
      try {
        return LoopFission.instance(Loop.class, "Test", writing);
      } catch (NoCodeException oneLoop) {
        return instance(code -> writing.accept(new BranchlessEmitter(code)));
      }
    }
    return instance(code ->
        writing.accept(width == 1 ? CodeEmitter.scalar(code) : CodeEmitter.vector(code, width)));
  }

  private static Loop instance(Consumer<CodeBuilder> writing) {
    return HiddenClasses.instance(Loop.class, "Test", writing);
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
    Runnable iteration =
        () -> {
          Value[] values = new Value[operands.length];
          for (int i = 0; i < values.length; i++) {
            values[i] = emitter.load(operands[i], arrays[i], index);
          }
          emitter.store(result, arrays[operands.length], index, body.apply(emitter, values));
        };
    emitter.loop(index, 3, emitter.width(), iteration);
    code.return_();
  }
}
