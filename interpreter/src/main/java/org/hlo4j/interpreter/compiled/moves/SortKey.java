package org.hlo4j.interpreter.compiled.moves;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;

/**
 * What a comparator orders by, if it is {@code f(left) < f(right)} or the like for one operand.
 *
 * @param operand which operand
 * @param elementType the type of its elements
 * @param valueType the type of f
 * @param order the order
 * @param descending whether the greater come first
 * @param function f, none if it is the element itself
 */
record SortKey(
    int operand,
    ElementType elementType,
    ElementType valueType,
    Compare.Type order,
    boolean descending,
    Optional<ScalarProgram> function) {
  /** The key of a top-k. */
  static SortKey of(ElementType type, boolean descending) {
    Compare.Type order =
        type.isFloating() ? Compare.Type.TOTALORDER : Compare.Type.defaultFor(type);
    return new SortKey(0, type, type, order, descending, Optional.empty());
  }

  /** The key of a comparator; none if it has none of this form. */
  static Optional<SortKey> of(HloComputation comparator) {
    HloInstruction root = comparator.root();
    if (!(root.op() instanceof Compare compare)
        || (compare.direction() != Compare.Direction.LT
            && compare.direction() != Compare.Direction.GT)) {
      return Optional.empty();
    }
    HloInstruction first = root.operands().get(0);
    HloInstruction second = root.operands().get(1);
    Set<HloInstruction> ofFirst = parameters(first);
    Set<HloInstruction> ofSecond = parameters(second);
    if (ofFirst.size() != 1 || ofSecond.size() != 1 || isComplex(first)) {
      return Optional.empty();
    }
    int left = number(ofFirst);
    int right = number(ofSecond);
    if ((left ^ right) != 1 || !same(first, second)) {
      return Optional.empty();
    }
    boolean greaterFirst = (compare.direction() == Compare.Direction.GT) == (left < right);
    return function(comparator, ofFirst.iterator().next(), first)
        .map(function ->
            new SortKey(
                left / 2,
                type(ofFirst.iterator().next()),
                type(first),
                compare.typeFor(type(first)),
                greaterFirst,
                function.program()));
  }

  /** A function that is known; no program for the identity. */
  private record Known(Optional<ScalarProgram> program) {}

  private static Optional<Known> function(
      HloComputation comparator, HloInstruction parameter, HloInstruction value) {
    if (value == parameter) {
      return Optional.of(new Known(Optional.empty()));
    }
    Set<HloInstruction> needed = new LinkedHashSet<>();
    collect(value, needed);
    List<HloInstruction> steps =
        comparator.instructions().stream().filter(needed::contains).toList();
    return ScalarProgram.of(parameter, steps, value)
        .map(program -> new Known(Optional.of(program)));
  }

  private static boolean isComplex(HloInstruction instruction) {
    return type(instruction).isComplex();
  }

  private static ElementType type(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).elementType();
  }

  private static int number(Set<HloInstruction> parameters) {
    return ((Parameter) parameters.iterator().next().op()).number();
  }

  private static Set<HloInstruction> parameters(HloInstruction value) {
    Set<HloInstruction> all = new LinkedHashSet<>();
    collect(value, all);
    all.removeIf(instruction -> !(instruction.op() instanceof Parameter));
    return all;
  }

  private static void collect(HloInstruction value, Set<HloInstruction> seen) {
    if (seen.add(value)) {
      value.operands().forEach(operand -> collect(operand, seen));
    }
  }

  /** Whether two values are the same function of their parameters. */
  private static boolean same(HloInstruction a, HloInstruction b) {
    if (a.op() instanceof Parameter && b.op() instanceof Parameter) {
      return a.shape().compatible(b.shape());
    }
    boolean equal =
        (a.op() instanceof Constant first && b.op() instanceof Constant second)
            ? first.literal().equals(second.literal())
            : a.op().equals(b.op());
    if (!equal || !a.called().isEmpty() || a.operands().size() != b.operands().size()) {
      return false;
    }
    for (int i = 0; i < a.operands().size(); i++) {
      if (!same(a.operands().get(i), b.operands().get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Whether some elements may have no place in the order. */
  boolean isPartial() {
    return order == Compare.Type.FLOAT;
  }

  /** Whether keys fit 32 bits. */
  boolean isShort() {
    return valueType.bits() <= 32;
  }

  /** Reads keys, within one run. */
  Reader in(Object storage) {
    return new Reader(storage);
  }

  /** Reads the keys of elements of an array. */
  final class Reader {
    private final Object storage;
    private final long[] slots;

    private Reader(Object storage) {
      this.storage = storage;
      this.slots = function.map(ScalarProgram::newSlots).orElseGet(() -> new long[1]);
    }

    private long carrier(int at) {
      long carrier = Carrier.read(elementType, storage, at);
      if (function.isEmpty()) {
        return carrier;
      }
      slots[0] = carrier;
      function.get().run(slots);
      return slots[function.get().result(0)];
    }

    /** Whether an element is NaN, which has no place among numbers. */
    boolean isUnordered(int at) {
      return Double.isNaN(Double.longBitsToDouble(carrier(at)));
    }

    /** A number of 32 bits for each element, ordered as the elements are to be. */
    int shortKey(int at) {
      long carrier = carrier(at);
      int key =
          switch (order) {
            case SIGNED -> (int) carrier;
            case UNSIGNED -> (int) carrier ^ Integer.MIN_VALUE;
            case TOTALORDER -> key((float) Double.longBitsToDouble(carrier));
            case FLOAT -> key((float) Double.longBitsToDouble(carrier) + 0.0f);
          };
      return descending ? ~key : key;
    }

    private static int key(float value) {
      int bits = Float.floatToRawIntBits(value);
      return bits ^ ((bits >> 31) >>> 1);
    }

    /** A number of 64 bits for each element, ordered as the elements are to be. */
    long longKey(int at) {
      long carrier = carrier(at);
      long key =
          switch (order) {
            case SIGNED -> carrier;
            case UNSIGNED -> carrier ^ Long.MIN_VALUE;
            case TOTALORDER -> Relation.totalOrderKey(carrier);
            case FLOAT ->
                Relation.totalOrderKey(
                    Double.doubleToRawLongBits(Double.longBitsToDouble(carrier) + 0.0));
          };
      return descending ? ~key : key;
    }
  }
}
