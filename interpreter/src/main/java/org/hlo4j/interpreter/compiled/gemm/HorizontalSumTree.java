package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Array;
import java.util.function.IntUnaryOperator;

/**
 * Generates a tree reduction of as many vectors as they have lanes to one vector of their
 * horizontal sums. A node of the tree takes two vectors with the same number of partial sums each
 * and yields one vector with all of them: it concatenates their lower halves, concatenates their
 * upper halves, and adds the two. After as many levels as a vector can be halved, each lane is a
 * horizontal sum.
 */
final class HorizontalSumTree {
  private static final ClassDesc VECTOR = ClassDesc.of("jdk.incubator.vector.Vector");

  private final AccumulatorType accumulatorType;
  private final AccumulatorType integerType;
  private final int lanes;
  private final CodeBuilder code;
  private final int orders;
  private final VectorCode vectors;
  private final VectorCode integers;

  /**
   * Creates a generator for vectors of {@code lanes} lanes.
   *
   * @param end the target of the jump if a vector has another class, which never happens
   */
  HorizontalSumTree(AccumulatorType accumulatorType, int lanes, CodeBuilder code, Label end) {
    this.accumulatorType = accumulatorType;
    this.integerType = integerType(accumulatorType);
    this.lanes = lanes;
    this.code = code;
    this.orders = VectorCode.locals(code, TypeKind.REFERENCE, 2 * levels(lanes));
    this.vectors = new VectorCode(code, accumulatorType, lanes, end);
    this.integers = new VectorCode(code, integerType, lanes, end);
  }

  /**
   * {@return the integer type of the same width, in which lanes are selected: that of the lane
   * indices and of the vectors}
   */
  private static AccumulatorType integerType(AccumulatorType accumulatorType) {
    return switch (accumulatorType) {
      case F32, I32 -> AccumulatorType.I32;
      case F64, I64 -> AccumulatorType.I64;
    };
  }

  private static int levels(int lanes) {
    return Integer.numberOfTrailingZeros(lanes);
  }

  /**
   * {@return for each level the lanes of two vectors that are added: those of the lower halves,
   * then those of the upper halves}
   */
  static Object order(AccumulatorType accumulatorType, int lanes) {
    Object order =
        Array.newInstance(integerType(accumulatorType).component(), 2 * lanes * levels(lanes));
    for (int level = 0, at = 0; level < levels(lanes); level++) {
      int half = lanes >> (level + 1);
      for (int upper = 0; upper < 2; upper++) {
        for (int lane = 0; lane < lanes; lane++) {
          int from = (lane / half * 2 + upper) * half + lane % half;
          Array.setByte(order, at++, (byte) from);
        }
      }
    }
    return order;
  }

  /** {@return the writer of the vectors that are added} */
  VectorCode vectors() {
    return vectors;
  }

  /**
   * Writes the initialization, once, before all loops.
   *
   * @param steps the number of iterations; if negative, the method returns
   * @param order the local variable with {@link #order}
   * @param arrays the local variables of arrays of elements
   */
  void emitPrologue(int steps, int order, int... arrays) {
    vectors.prologue(steps, arrays);
    integers.lookUp(order);
    for (int i = 0; i < 2 * levels(lanes); i++) {
      int at = i * lanes;
      integers.loadGuarded(order, () -> code.loadConstant(at), orders + i);
    }
  }

  /**
   * Writes the computation of all sums.
   *
   * @param each writes the vector of a sum and returns its local variable; called in order
   * @return the local variable with the vector of all sums
   */
  int emitSums(IntUnaryOperator each) {
    return emitSums(each, 0, lanes);
  }

  private int emitSums(IntUnaryOperator each, int first, int count) {
    if (count == 1) {
      return each.applyAsInt(first);
    }
    int lower = emitSums(each, first, count / 2);
    int upper = emitSums(each, first + count / 2, count / 2);
    int level = levels(count) - 1;
    int chosen = emitSelectLanes(orders + 2 * level, lower, upper);
    return emitAdd(chosen, emitSelectLanes(orders + 2 * level + 1, lower, upper));
  }

  /** Writes the sum of two vectors and returns its local variable. */
  int emitAdd(int one, int other) {
    int sum = code.allocateLocal(TypeKind.REFERENCE);
    vectors.add(one, other, sum);
    return sum;
  }

  private int emitSelectLanes(int order, int first, int second) {
    int to = code.allocateLocal(TypeKind.REFERENCE);
    code.aload(order);
    emitAsIntegers(first);
    emitAsIntegers(second);
    code.invokevirtual(
        integerType.vector(),
        "selectFrom",
        MethodTypeDesc.of(integerType.vector(), VECTOR, VECTOR));
    if (accumulatorType.isFloating()) {
      String numbers = accumulatorType == AccumulatorType.F32 ? "Floats" : "Doubles";
      code.invokevirtual(
          integerType.vector(),
          "reinterpretAs" + numbers,
          MethodTypeDesc.of(accumulatorType.vector()));
    }
    code.astore(to);
    vectors.guard(to);
    return to;
  }

  private void emitAsIntegers(int vector) {
    code.aload(vector);
    if (accumulatorType.isFloating()) {
      String numbers = integerType == AccumulatorType.I32 ? "Ints" : "Longs";
      code.invokevirtual(
          accumulatorType.vector(),
          "reinterpretAs" + numbers,
          MethodTypeDesc.of(integerType.vector()));
    }
  }
}
