package org.hlo4j.benchmarks;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.function.BiFunction;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Value;

/** A generator of loops that apply a function to arrays. */
public final class MathLoops {
  /** A loop over floats. */
  public interface Floats {
    /**
     * Computes {@code result[i]} for i from 0 to count, which is a multiple of the vector width.
     */
    void run(float[] lhs, float[] rhs, float[] result, int count);
  }

  /** A loop from floats to doubles. */
  public interface Widening {
    /**
     * Computes {@code result[i]} for i from 0 to count, which is a multiple of the vector width.
     */
    void run(float[] lhs, float[] rhs, double[] result, int count);
  }

  private static final int LHS = 1;
  private static final int RHS = 2;
  private static final int RESULT = 3;
  private static final int COUNT = 4;

  private MathLoops() {}

  /** Generates the loop of a function of one or two operands of f32. */
  public static Floats floats(
      int width, int operands, BiFunction<CodeEmitter, Value[], Value> body) {
    return HiddenClasses.instance(
        Floats.class, "Floats", code -> write(code, width, operands, ElementType.F32, body));
  }

  /** Generates the loop of a function of one or two operands of f64, which are given in f32. */
  public static Widening widening(
      int width, int operands, BiFunction<CodeEmitter, Value[], Value> body) {
    return HiddenClasses.instance(
        Widening.class, "Widening", code -> write(code, width, operands, ElementType.F64, body));
  }

  private static void write(
      CodeBuilder code,
      int width,
      int operands,
      ElementType type,
      BiFunction<CodeEmitter, Value[], Value> body) {
    CodeEmitter emitter = width == 1 ? CodeEmitter.scalar(code) : CodeEmitter.vector(code, width);
    emitter.body(() -> writeLoop(emitter, operands, type, body));
  }

  private static void writeLoop(
      CodeEmitter emitter,
      int operands,
      ElementType type,
      BiFunction<CodeEmitter, Value[], Value> body) {
    CodeBuilder code = emitter.code();
    int index = emitter.newLocal(TypeKind.INT);
    Label test = code.newLabel();
    Label start = code.newLabel();
    code.iconst_0().istore(index).goto_(test).labelBinding(start);
    Value[] values = new Value[operands];
    for (int i = 0; i < operands; i++) {
      Value operand = emitter.load(ElementType.F32, i == 0 ? LHS : RHS, index);
      values[i] = emitter.convert(operand, Lane.of(type));
    }
    emitter.store(type, RESULT, index, body.apply(emitter, values));
    code.iinc(index, emitter.width()).labelBinding(test);
    code.iload(index).iload(COUNT).if_icmplt(start).return_();
  }
}
