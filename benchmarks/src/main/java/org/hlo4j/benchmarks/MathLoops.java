package org.hlo4j.benchmarks;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.function.BiFunction;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.HiddenClasses;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** Generated loops that apply a function to arrays. */
public final class MathLoops {
  /** A loop over floats. */
  public interface Floats {
    /** Computes {@code result[i]} for i from 0 to count, a multiple of the width. */
    void run(float[] lhs, float[] rhs, float[] result, int count);
  }

  private static final int LHS = 1;
  private static final int RHS = 2;
  private static final int RESULT = 3;
  private static final int COUNT = 4;

  private MathLoops() {}

  /** The loop of a function of one or two f32 operands. */
  public static Floats floats(int width, int operands, BiFunction<Lanes, Value[], Value> body) {
    return HiddenClasses.instance(
        Floats.class,
        "Accuracy",
        code -> {
          Lanes lanes = width == 1 ? Lanes.scalar(code) : Lanes.vector(code, width);
          lanes.body(() -> write(lanes, operands, body));
        });
  }

  private static void write(Lanes lanes, int operands, BiFunction<Lanes, Value[], Value> body) {
    CodeBuilder code = lanes.code();
    int index = lanes.newLocal(TypeKind.INT);
    Label test = code.newLabel();
    Label start = code.newLabel();
    code.iconst_0().istore(index).goto_(test).labelBinding(start);
    Value[] values = new Value[operands];
    for (int i = 0; i < operands; i++) {
      values[i] = lanes.load(ElementType.F32, i == 0 ? LHS : RHS, index);
    }
    lanes.store(ElementType.F32, RESULT, index, body.apply(lanes, values));
    code.iinc(index, lanes.width()).labelBinding(test);
    code.iload(index).iload(COUNT).if_icmplt(start).return_();
  }
}
