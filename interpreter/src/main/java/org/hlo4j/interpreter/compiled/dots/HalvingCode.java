package org.hlo4j.interpreter.compiled.dots;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Array;
import org.hlo4j.interpreter.compiled.lanes.HiddenClasses;
import org.hlo4j.interpreter.compiled.lanes.VectorClass;

/**
 * Writes the class of a {@link Halving}. Two vectors that hold so many sums each become one that
 * holds all of them: their lower halves side by side are added to their upper halves side by side.
 * That done as often as a vector can be halved, each lane is a sum of its own.
 */
final class HalvingCode {
  private static final ClassDesc VECTOR = ClassDesc.of("jdk.incubator.vector.Vector");
  private static final ClassDesc SPECIES = ClassDesc.of("jdk.incubator.vector.VectorSpecies");
  private static final int FROM = 1;
  private static final int FROM_START = 2;
  private static final int TO = 3;
  private static final int TO_START = 4;
  private static final int COUNT = 5;
  private static final int ORDER = 6;

  private final Carrier carrier;
  private final Carrier whole;
  private final int lanes;
  private final String species;
  private final CodeBuilder code;
  private final int step;
  private final int orders;
  private final Label end;
  private final VectorClass type;
  private final VectorClass wholeType;

  private HalvingCode(Carrier carrier, int lanes, CodeBuilder code) {
    this.carrier = carrier;
    this.whole = whole(carrier);
    this.lanes = lanes;
    this.species = VectorClass.species(lanes * carrier.bits());
    this.code = code;
    this.step = code.allocateLocal(TypeKind.INT);
    this.orders = code.allocateLocal(TypeKind.REFERENCE);
    for (int i = 1; i < 2 * levels(lanes); i++) {
      code.allocateLocal(TypeKind.REFERENCE);
    }
    this.end = code.newLabel();
    this.type = new VectorClass(code, carrier.vector(), species, end);
    this.wholeType = new VectorClass(code, whole.vector(), species, end);
  }

  static Halving of(Carrier carrier, int lanes) {
    return HiddenClasses.instance(
        Halving.class,
        "Halving" + carrier + lanes,
        code -> new HalvingCode(carrier, lanes, code).emit());
  }

  /** Lanes are chosen by whole numbers of as many bits, and as such. */
  private static Carrier whole(Carrier carrier) {
    return switch (carrier) {
      case F32, I32 -> Carrier.I32;
      case F64, I64 -> Carrier.I64;
    };
  }

  private static int levels(int lanes) {
    return Integer.numberOfTrailingZeros(lanes);
  }

  /** For each level the lanes of two vectors that are added, those of both after each other. */
  static Object order(Carrier carrier, int lanes) {
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

  private void emit() {
    TileCode.emitCounting(code, COUNT);
    type.find();
    wholeType.find();
    for (int array : new int[] {FROM, TO}) {
      code.aload(array).checkcast(carrier.element().arrayType()).astore(array);
    }
    code.aload(ORDER).checkcast(whole.element().arrayType()).astore(ORDER);
    for (int i = 0; i < 2 * levels(lanes); i++) {
      int at = i * lanes;
      load(whole, ORDER, () -> code.loadConstant(at), orders + i);
      wholeType.tell(orders + i);
    }
    Label body = code.newLabel();
    code.iconst_0().istore(step).labelBinding(body);
    code.iload(step).iload(COUNT).if_icmpge(end);
    int sums = emitSums(0, lanes);
    code.aload(sums).aload(TO);
    code.iload(TO_START).iload(step).loadConstant(lanes).imul().iadd();
    ClassDesc array = carrier.element().arrayType();
    code.invokevirtual(carrier.vector(), "intoArray", MethodTypeDesc.of(CD_void, array, CD_int));
    code.iinc(step, 1).goto_(body).labelBinding(end).return_();
  }

  /** A vector with the halved sums of so many; gives where it is. */
  private int emitSums(int first, int count) {
    if (count == 1) {
      return emitAdded(first * RowProduct.LANES, lanes);
    }
    int lower = emitSums(first, count / 2);
    int upper = emitSums(first + count / 2, count / 2);
    int level = levels(count) - 1;
    int chosen = chosen(orders + 2 * level, lower, upper);
    return added(chosen, chosen(orders + 2 * level + 1, lower, upper));
  }

  /** A vector of every so many-th of the lanes of a sum, from a place on, halved. */
  private int emitAdded(int place, int apart) {
    if (apart < RowProduct.LANES) {
      int lower = emitAdded(place, 2 * apart);
      return added(lower, emitAdded(place + apart, 2 * apart));
    }
    int to = code.allocateLocal(TypeKind.REFERENCE);
    load(carrier, FROM, () -> position(place), to);
    type.tell(to);
    return to;
  }

  /** Pushes where an element of the step lies. */
  private void position(int offset) {
    code.iload(FROM_START).iload(step).loadConstant(lanes * RowProduct.LANES).imul().iadd();
    code.loadConstant(offset).iadd();
  }

  private void load(Carrier kind, int array, Runnable position, int to) {
    ClassDesc vector = kind.vector();
    ClassDesc arrayType = kind.element().arrayType();
    code.getstatic(vector, species, SPECIES).aload(array).checkcast(arrayType);
    position.run();
    code.invokestatic(vector, "fromArray", MethodTypeDesc.of(vector, SPECIES, arrayType, CD_int));
    code.astore(to);
  }

  private int added(int one, int other) {
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
      String numbers = carrier == Carrier.F32 ? "Floats" : "Doubles";
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
      String numbers = whole == Carrier.I32 ? "Ints" : "Longs";
      code.invokevirtual(
          carrier.vector(), "reinterpretAs" + numbers, MethodTypeDesc.of(whole.vector()));
    }
  }
}
