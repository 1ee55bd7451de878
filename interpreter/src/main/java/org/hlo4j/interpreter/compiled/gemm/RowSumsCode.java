package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Array;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;

/**
 * Generates the class of a {@link RowSums}. The accumulators of a few rows at a time are in
 * registers. The horizontal sums of as many rows as a vector has lanes are computed together, also
 * in registers, by a tree. A node of the tree takes two vectors with the same number of partial
 * sums each and yields one vector with all of them: it concatenates their lower halves,
 * concatenates their upper halves, and adds the two. After as many levels as a vector can be
 * halved, each lane is a horizontal sum.
 */
final class RowSumsCode {
  private static final int SUMS_AT_ONCE = 8;
  private static final ClassDesc VECTOR = ClassDesc.of("jdk.incubator.vector.Vector");
  private static final int A = 1;
  private static final int A_START = 2;
  private static final int A_STRIDE = 3;
  private static final int B = 4;
  private static final int B_START = 5;
  private static final int ITERATIONS = 6;
  private static final int TO = 7;
  private static final int TO_START = 8;
  private static final int COUNT = 9;
  private static final int ORDER = 10;

  private final AccumulatorType elements;
  private final AccumulatorType integerType;
  private final int lanes;
  private final boolean hasColumn;
  private final CodeBuilder code;
  private final int vectorCount;
  private final int rowsAtOnce;
  private final Label end;
  private final VectorCode vectors;
  private final VectorCode integers;
  private final int orders;
  private final int group;
  private final int iteration;
  private final int rows;
  private final int sums;
  private final int left;
  private final int right;

  private RowSumsCode(RowSumsShape shape, CodeBuilder code) {
    this.elements = shape.accumulatorType();
    this.integerType = integerType(elements);
    this.lanes = shape.lanes();
    this.hasColumn = shape.hasColumn();
    this.code = code;
    this.vectorCount = Gemv.LANES / lanes;
    this.rowsAtOnce = hasColumn ? Math.clamp(SUMS_AT_ONCE / vectorCount, 1, lanes) : 1;
    this.end = code.newLabel();
    this.vectors = new VectorCode(code, elements, lanes, end);
    this.integers = new VectorCode(code, integerType, lanes, end);
    this.orders = VectorCode.locals(code, TypeKind.REFERENCE, 2 * levels(lanes));
    this.group = code.allocateLocal(TypeKind.INT);
    this.iteration = code.allocateLocal(TypeKind.INT);
    this.rows = VectorCode.locals(code, TypeKind.INT, rowsAtOnce);
    this.sums = VectorCode.locals(code, TypeKind.REFERENCE, rowsAtOnce * vectorCount);
    this.left = code.allocateLocal(TypeKind.REFERENCE);
    this.right = code.allocateLocal(TypeKind.REFERENCE);
  }

  /** {@return sums of rows, of a new class} */
  static RowSums generate(RowSumsShape shape) {
    String name = "RowSums" + shape.accumulatorType() + shape.lanes();
    return HiddenClasses.instance(RowSums.class, name, code -> new RowSumsCode(shape, code).emit());
  }

  /**
   * {@return the integer type of the same width, in which lanes are selected: that of the lane
   * indices and of the vectors}
   */
  private static AccumulatorType integerType(AccumulatorType elements) {
    return switch (elements) {
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
  static Object order(AccumulatorType elements, int lanes) {
    Object order = Array.newInstance(integerType(elements).component(), 2 * lanes * levels(lanes));
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

  private void emit() {
    vectors.prologue(COUNT, A, B, TO);
    vectors.limit(ITERATIONS);
    integers.lookUp(ORDER);
    for (int i = 0; i < 2 * levels(lanes); i++) {
      int at = i * lanes;
      integers.loadGuarded(ORDER, () -> code.loadConstant(at), orders + i);
    }
    code.iload(A_START).istore(rows).iconst_0().istore(iteration);
    CountedLoop.fromZero(
        code,
        group,
        COUNT,
        () -> {
          int all = emitSums(0, lanes);
          vectors.store(
              all, TO, () -> code.iload(TO_START).iload(group).loadConstant(lanes).imul().iadd());
        });
    code.labelBinding(end).return_();
  }

  /** Writes the sums of some rows as one vector and returns its local variable. */
  private int emitSums(int first, int count) {
    if (count == 1) {
      return emitRowSum(first);
    }
    int lower = emitSums(first, count / 2);
    int upper = emitSums(first + count / 2, count / 2);
    int level = levels(count) - 1;
    int chosen = emitSelectLanes(orders + 2 * level, lower, upper);
    return emitAdd(chosen, emitSelectLanes(orders + 2 * level + 1, lower, upper));
  }

  /**
   * Writes the sums of a row as one vector and returns its local variable. The loop over a few rows
   * is written with the first of them.
   */
  private int emitRowSum(int row) {
    int number = row % rowsAtOnce;
    if (number == 0) {
      emitRows();
    }
    return emitAdded(number * vectorCount, 1);
  }

  /**
   * Writes the addition of the accumulators {@code first}, {@code first + apart} and so on of a
   * row, by halving, and returns the local variable of the result.
   */
  private int emitAdded(int first, int distance) {
    return distance < vectorCount
        ? emitAdd(emitAdded(first, 2 * distance), emitAdded(first + distance, 2 * distance))
        : sums + first;
  }

  private int emitAdd(int one, int other) {
    int sum = code.allocateLocal(TypeKind.REFERENCE);
    vectors.add(one, other, sum);
    return sum;
  }

  private void emitRows() {
    for (int i = rows + 1; i < rows + rowsAtOnce; i++) {
      code.iload(i - 1).iload(A_STRIDE).iadd().istore(i);
    }
    if (hasColumn) {
      emitProducts();
    } else {
      for (int v = 0; v < vectorCount; v++) {
        load(A, rows, v, sums + v);
      }
    }
    code.iload(rows + rowsAtOnce - 1).iload(A_STRIDE).iadd().istore(rows);
  }

  private void emitProducts() {
    for (int i = 0; i < rowsAtOnce * vectorCount; i++) {
      vectors.zero(sums + i);
    }
    CountedLoop.fromZero(code, iteration, ITERATIONS, this::emitIteration);
    for (int i = 0; i < rowsAtOnce * vectorCount; i++) {
      vectors.guard(sums + i);
    }
  }

  private void emitIteration() {
    for (int v = 0; v < vectorCount; v++) {
      load(B, B_START, v, right);
      for (int i = 0; i < rowsAtOnce; i++) {
        load(A, rows + i, v, left);
        vectors.multiplyAdd(left, right, sums + i * vectorCount + v);
      }
    }
  }

  private void load(int array, int start, int number, int to) {
    vectors.loadGuarded(
        array,
        () -> {
          code.iload(start).iload(iteration).loadConstant(Gemv.LANES).imul().iadd();
          code.loadConstant(number * lanes).iadd();
        },
        to);
  }

  private int emitSelectLanes(int order, int first, int second) {
    int to = code.allocateLocal(TypeKind.REFERENCE);
    ClassDesc integer = integerType.vector();
    code.aload(order);
    emitReinterpretation(first, elements, integerType);
    emitReinterpretation(second, elements, integerType);
    code.invokevirtual(integer, "selectFrom", MethodTypeDesc.of(integer, VECTOR, VECTOR));
    code.astore(to);
    emitReinterpretation(to, integerType, elements);
    code.astore(to);
    vectors.guard(to);
    return to;
  }

  /** Pushes a vector with the bits of another one. */
  private void emitReinterpretation(int vector, AccumulatorType from, AccumulatorType to) {
    code.aload(vector);
    if (from != to) {
      String name =
          switch (to) {
            case F32 -> "Floats";
            case F64 -> "Doubles";
            case I32 -> "Ints";
            case I64 -> "Longs";
          };
      code.invokevirtual(from.vector(), "reinterpretAs" + name, MethodTypeDesc.of(to.vector()));
    }
  }
}
