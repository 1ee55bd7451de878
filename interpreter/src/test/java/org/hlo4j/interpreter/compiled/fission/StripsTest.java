package org.hlo4j.interpreter.compiled.fission;

import static com.google.common.truth.Truth.assertThat;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class StripsTest {
  private static final int X = 4;
  private static final int Y = 5;
  private static final int I = 6;
  private static final int FREE = 7;
  private static final ClassDesc FLOATS = ConstantDescs.CD_float.arrayType();
  private static final ClassDesc FLOAT = ConstantDescs.CD_Float;
  private static final MethodTypeDesc TO_BITS =
      MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_float);
  private static final MethodTypeDesc FROM_BITS =
      MethodTypeDesc.of(ConstantDescs.CD_float, ConstantDescs.CD_int);
  private static final MethodTypeDesc FUNCTION =
      MethodTypeDesc.of(ConstantDescs.CD_double, ConstantDescs.CD_double);
  private static final int COUNT = 2 * StripArrays.STRIP + 300;

  /** A loop over two arrays. */
  public interface Loop {
    /** Computes elements {@code from} to {@code to}, exclusive. */
    void run(Object[] arrays, int from, int to);
  }

  /** Splits {@code for (i = from; i < to; i++) body}, whose arrays are set in a prologue. */
  private static Optional<Loop> split(Consumer<CodeBuilder> body) {
    return LoopFission.instance(
        Loop.class,
        "Test",
        code -> {
          Label prologue = code.newLabel();
          Label start = code.newLabel();
          code.goto_(prologue).labelBinding(start).iload(2).istore(I);
          Label next = code.newBoundLabel();
          Label done = code.newLabel();
          code.iload(I).iload(3).if_icmpge(done);
          body.accept(code);
          code.iinc(I, 1).goto_(next).labelBinding(done).return_().labelBinding(prologue);
          code.aload(1).iconst_0().aaload().checkcast(FLOATS).astore(X);
          code.aload(1).iconst_1().aaload().checkcast(FLOATS).astore(Y);
          code.fconst_1().fstore(FREE).goto_(start);
        });
  }

  private static float[] run(Loop loop, int from) {
    float[] x = new float[COUNT];
    for (int i = 0; i < COUNT; i++) {
      x[i] = i * 0.25f - 100;
    }
    float[] y = new float[COUNT];
    loop.run(new Object[] {x, y}, from, COUNT);
    return y;
  }

  /** y[i] = -x[i] + FREE, with the sign bit flipped as an integer; FREE is 1 at first. */
  private static void negateAndAdd(CodeBuilder code) {
    code.aload(X).iload(I).faload().fstore(FREE + 1);
    code.fload(FREE + 1).invokestatic(FLOAT, "floatToRawIntBits", TO_BITS).istore(FREE + 2);
    code.iload(FREE + 2).loadConstant(Integer.MIN_VALUE).ixor().istore(FREE + 3);
    code.iload(FREE + 3).invokestatic(FLOAT, "intBitsToFloat", FROM_BITS).fstore(FREE + 4);
    code.fload(FREE + 4).fload(FREE).fadd().fstore(FREE + 5);
    code.aload(Y).iload(I).fload(FREE + 5).fastore();
  }

  @Test
  void bitsAreCopiedBetweenLoops() {
    float[] y = run(split(StripsTest::negateAndAdd).orElseThrow(), 5);
    for (int i = 0; i < COUNT; i++) {
      assertThat(y[i]).isEqualTo(i < 5 ? 0 : 1 - (i * 0.25f - 100));
    }
  }

  /** y[i] = ((int) x[i] < 0 ? sin(x[i]) : x[i]) + 1. */
  private static void sineOfNegatives(CodeBuilder code) {
    Label done = code.newLabel();
    code.aload(X).iload(I).faload().fstore(FREE + 1);
    code.fload(FREE + 1).f2i().bipush(31).iushr().istore(FREE + 2);
    code.fload(FREE + 1).f2d().dstore(FREE + 3);
    code.dload(FREE + 3).dstore(FREE + 5);
    code.iload(FREE + 2).ifeq(done);
    code.dload(FREE + 3).invokestatic(ClassDesc.of("java.lang.StrictMath"), "sin", FUNCTION);
    code.dstore(FREE + 7).dload(FREE + 7).dstore(FREE + 5).labelBinding(done);
    code.dload(FREE + 5).d2f().fload(FREE).fadd().fstore(FREE + 9);
    code.aload(Y).iload(I).fload(FREE + 9).fastore();
  }

  @Test
  void callsAreMasked() {
    float[] y = run(split(StripsTest::sineOfNegatives).orElseThrow(), 0);
    for (int i = 0; i < COUNT; i++) {
      float x = i * 0.25f - 100;
      assertThat(y[i]).isEqualTo((x <= -1 ? (float) StrictMath.sin(x) : x) + 1);
    }
  }

  @Test
  void loopsThatC2VectorizesAreNotSplit() {
    assertThat(
            split(code ->
                code.aload(Y).iload(I).aload(X).iload(I).faload().fload(FREE).fadd().fastore()))
        .isEmpty();
  }

  /** Each iteration reads a value of the previous one. */
  @Test
  void loopsWithLoopCarriedDependencesAreNotSplit() {
    assertThat(
            split(code -> {
              negateAndAdd(code);
              code.fload(FREE).fload(FREE + 5).fadd().fstore(FREE);
            }))
        .isEmpty();
  }

  /** y[i] = 1 - x[i], and then y[i] is doubled. */
  @Test
  void storedElementsMayBeReadAndStoredAgain() {
    Loop loop =
        split(
                code -> {
                  negateAndAdd(code);
                  code.aload(Y).iload(I);
                  code.aload(Y).iload(I).faload().fconst_2().fmul().fastore();
                })
            .orElseThrow();
    assertThat(run(loop, 0)[8]).isEqualTo(2 * (1 + 98));
  }

  /** Stores 1 - x[i] to y[i] and to y[i + 1]. */
  @Test
  void storesAtDifferentIndicesAreNotSplit() {
    assertThat(
            split(code -> {
              negateAndAdd(code);
              code.aload(Y).iload(I).iconst_1().iadd().fload(FREE + 5).fastore();
            }))
        .isEmpty();
  }

  /** y[i] = y[i] - x[i]. */
  @Test
  void readsBeforeStoresAtTheSameIndexAreSplit() {
    Loop loop =
        split(
                code -> {
                  code.aload(Y).iload(I).faload().fstore(FREE);
                  negateAndAdd(code);
                })
            .orElseThrow();
    float[] y = run(loop, 0);
    assertThat(y[8]).isEqualTo(98);
  }

  /** y[i] depends on y[i + 1], which a later iteration stores. */
  @Test
  void readsAtAnotherIndexAreNotSplit() {
    assertThat(
            split(code -> {
              code.aload(Y).iload(I).iconst_1().iadd().faload().fstore(FREE);
              negateAndAdd(code);
            }))
        .isEmpty();
  }

  /** The body assigns the limit of the loop. */
  @Test
  void loopsThatAssignTheirLimitAreNotSplit() {
    assertThat(
            split(code -> {
              negateAndAdd(code);
              code.iload(3).istore(3);
            }))
        .isEmpty();
  }

  /** The second store is to y[2 i], which is not contiguous. */
  @Test
  void stridedStoresAreNotSplit() {
    assertThat(
            split(code -> {
              negateAndAdd(code);
              code.aload(Y).iload(I).iconst_2().imul().fload(FREE + 5).fastore();
            }))
        .isEmpty();
  }
}
