package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/** Code of loops that count a local variable up to the value of another. */
public final class CountedLoop {
  /** The maximum trip count of a loop that C2 does not strip-mine, if it is known to C2. */
  public static final int MAX_SHORT = 960;

  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final MethodTypeDesc MIN =
      MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int, ConstantDescs.CD_int);

  private CountedLoop() {}

  /** Writes {@code for (counter = 0; counter < end; counter++)}. */
  public static void fromZero(CodeBuilder code, int counter, int end, Runnable body) {
    code.iconst_0().istore(counter);
    upTo(code, counter, end, 1, body);
  }

  /** Writes {@code for (; counter < end; counter += step)}. */
  public static void upTo(CodeBuilder code, int counter, int end, int step, Runnable body) {
    Label done = code.newLabel();
    Label next = code.newBoundLabel();
    code.iload(counter).iload(end).if_icmpge(done);
    body.run();
    code.iinc(counter, step).goto_(next).labelBinding(done);
  }

  /** Writes {@code for (; counter + step <= end; counter += step)}. */
  public static void wholeSteps(CodeBuilder code, int counter, int end, int step, Runnable body) {
    Label done = code.newLabel();
    Label next = code.newBoundLabel();
    code.iload(counter).loadConstant(step).iadd().iload(end).if_icmpgt(done);
    body.run();
    code.iinc(counter, step).goto_(next).labelBinding(done);
  }

  /**
   * Replaces the number of iterations on the operand stack by a limit if it is greater. C2 does not
   * strip-mine loops that it knows to be short.
   */
  public static CodeBuilder limit(CodeBuilder code, int limit) {
    return min(code.loadConstant(limit));
  }

  /** Replaces the two numbers on the operand stack by the lesser one. */
  public static CodeBuilder min(CodeBuilder code) {
    return code.invokestatic(MATH, "min", MIN);
  }
}
