package org.hlo4j.interpreter.compiled.gemm;

import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Array;
import java.util.function.IntUnaryOperator;
import org.hlo4j.interpreter.compiled.codegen.VectorClass;

/**
 * Writes how as many vectors as they have lanes, each with what is to be one sum, become one vector
 * of all these sums. Two vectors that hold so many sums each become one that holds all of them:
 * their lower halves, next to each other, are added to their upper halves. That done as often as a
 * vector can be halved, each lane is a sum of its own.
 */
final class HorizontalSumTree {
  private static final ClassDesc VECTOR = ClassDesc.of("jdk.incubator.vector.Vector");
  private static final ClassDesc SPECIES = ClassDesc.of("jdk.incubator.vector.VectorSpecies");

  private final AccumulatorType carrier;
  private final AccumulatorType whole;
  private final int lanes;
  private final String species;
  private final CodeBuilder code;
  private final int orders;
  private final VectorClass type;
  private final VectorClass wholeType;

  /**
   * A writer for vectors of so many lanes.
   *
   * @param end where to go if a vector is of another class, which never is
   */
  HorizontalSumTree(AccumulatorType carrier, int lanes, CodeBuilder code, Label end) {
    this.carrier = carrier;
    this.whole = whole(carrier);
    this.lanes = lanes;
    this.species = VectorClass.species(lanes * carrier.bits());
    this.code = code;
    this.orders = code.allocateLocal(TypeKind.REFERENCE);
    for (int i = 1; i < 2 * levels(lanes); i++) {
      code.allocateLocal(TypeKind.REFERENCE);
    }
    this.type = new VectorClass(code, carrier.vector(), species, end);
    this.wholeType = new VectorClass(code, whole.vector(), species, end);
  }

  /** Lanes are chosen by whole numbers of as many bits, and as such. */
  private static AccumulatorType whole(AccumulatorType carrier) {
    return switch (carrier) {
      case F32, I32 -> AccumulatorType.I32;
      case F64, I64 -> AccumulatorType.I64;
    };
  }

  private static int levels(int lanes) {
    return Integer.numberOfTrailingZeros(lanes);
  }

  /** For each level the lanes of two vectors that are added, those of both after each other. */
  static Object order(AccumulatorType carrier, int lanes) {
    Object order = Array.newInstance(whole(carrier).component(), 2 * lanes * levels(lanes));
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

  /** What tells the class of the vectors that are added. */
  VectorClass type() {
    return type;
  }

  /**
   * Writes what is done once, before all loops.
   *
   * @param order a local variable with {@link #order}
   */
  void begin(int order) {
    type.find();
    wholeType.find();
    code.aload(order).checkcast(whole.element().arrayType()).astore(order);
    for (int i = 0; i < 2 * levels(lanes); i++) {
      int at = i * lanes;
      load(whole, order, () -> code.loadConstant(at), orders + i);
      wholeType.tell(orders + i);
    }
  }

  /**
   * Writes all sums.
   *
   * @param each writes the vector of a sum, and gives where it is; asked in order
   * @return where the vector of all sums is
   */
  int sums(IntUnaryOperator each) {
    return sums(each, 0, lanes);
  }

  private int sums(IntUnaryOperator each, int first, int count) {
    if (count == 1) {
      return each.applyAsInt(first);
    }
    int lower = sums(each, first, count / 2);
    int upper = sums(each, first + count / 2, count / 2);
    int level = levels(count) - 1;
    int chosen = chosen(orders + 2 * level, lower, upper);
    return added(chosen, chosen(orders + 2 * level + 1, lower, upper));
  }

  /** Writes a load. */
  void load(int array, Runnable position, int to) {
    load(carrier, array, position, to);
    type.tell(to);
  }

  private void load(AccumulatorType kind, int array, Runnable position, int to) {
    ClassDesc vector = kind.vector();
    ClassDesc arrayType = kind.element().arrayType();
    code.getstatic(vector, species, SPECIES).aload(array).checkcast(arrayType);
    position.run();
    code.invokestatic(vector, "fromArray", MethodTypeDesc.of(vector, SPECIES, arrayType, CD_int));
    code.astore(to);
  }

  /** Writes a sum of two vectors. */
  int added(int one, int other) {
    int sum = code.allocateLocal(TypeKind.REFERENCE);
    code.aload(one).aload(other);
    code.invokevirtual(carrier.vector(), "add", MethodTypeDesc.of(carrier.vector(), VECTOR));
    code.astore(sum);
    type.tell(sum);
    return sum;
  }

  private int chosen(int order, int first, int second) {
    int to = code.allocateLocal(TypeKind.REFERENCE);
    code.aload(order);
    wholeNumbers(first);
    wholeNumbers(second);
    code.invokevirtual(
        whole.vector(), "selectFrom", MethodTypeDesc.of(whole.vector(), VECTOR, VECTOR));
    if (carrier.isFloating()) {
      String numbers = carrier == AccumulatorType.F32 ? "Floats" : "Doubles";
      code.invokevirtual(
          whole.vector(), "reinterpretAs" + numbers, MethodTypeDesc.of(carrier.vector()));
    }
    code.astore(to);
    type.tell(to);
    return to;
  }

  private void wholeNumbers(int vector) {
    code.aload(vector);
    if (carrier.isFloating()) {
      String numbers = whole == AccumulatorType.I32 ? "Ints" : "Longs";
      code.invokevirtual(
          carrier.vector(), "reinterpretAs" + numbers, MethodTypeDesc.of(whole.vector()));
    }
  }
}
