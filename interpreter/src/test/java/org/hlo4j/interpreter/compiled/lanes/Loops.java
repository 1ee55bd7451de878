package org.hlo4j.interpreter.compiled.lanes;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.function.BiFunction;
import org.hlo4j.hlo.ElementType;

/** Loops over arrays, generated for tests. */
public final class Loops {
  private Loops() {}

  /** A loop over positions of arrays. */
  public interface Loop {
    /** Computes elements from..to, as many as a multiple of the width. */
    void run(Object[] arrays, int from, int to);
  }

  /** {@code arrays[n][i] = body(arrays[0][i], ..., arrays[n - 1][i])}, so many at a time. */
  static Loop of(
      int width,
      ElementType[] operands,
      ElementType result,
      BiFunction<Lanes, Value[], Value> body) {
    return HiddenClasses.instance(
        Loop.class,
        "Test",
        code -> {
          Lanes lanes = width == 1 ? Lanes.scalar(code) : Lanes.vector(code, width);
          lanes.body(() -> write(lanes, operands, result, body));
        });
  }

  private static void write(
      Lanes lanes,
      ElementType[] operands,
      ElementType result,
      BiFunction<Lanes, Value[], Value> body) {
    CodeBuilder code = lanes.code();
    int[] arrays = new int[operands.length + 1];
    for (int i = 0; i < arrays.length; i++) {
      arrays[i] = lanes.array(1, i, i < operands.length ? operands[i] : result);
    }
    int index = lanes.newLocal(TypeKind.INT);
    Label test = code.newLabel();
    Label start = code.newLabel();
    code.iload(2).istore(index).goto_(test).labelBinding(start);
    Value[] values = new Value[operands.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = lanes.load(operands[i], arrays[i], index);
    }
    lanes.store(result, arrays[operands.length], index, body.apply(lanes, values));
    code.iinc(index, lanes.width()).labelBinding(test).iload(index).iload(3).if_icmplt(start);
    code.return_();
  }
}
