package org.hlo4j.interpreter.compiled.lanes;

import static java.util.Objects.requireNonNull;

import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * The arrays of a program on scalars, of which it reads and writes single elements.
 *
 * <p>An array is overwritten in place: {@code dynamic-update-slice} gives the next version of it,
 * and what was there before is gone. Code that asks for a version that is gone by then is refused.
 * What others hold, such as an operand, is copied before it is written to first.
 */
final class ScalarArrays {
  private final Lanes lanes;
  private final int arraysLocal;
  private final List<Literal> constants = new ArrayList<>();
  private final Map<Integer, Integer> operands = new HashMap<>();
  private final Set<Integer> copied = new HashSet<>();
  private final Set<Integer> owned = new HashSet<>();
  private Map<Integer, Integer> versions = new HashMap<>();
  private int arrays;
  private int lastVersion;

  /**
   * No arrays yet.
   *
   * @param lanes the scalar back end
   * @param arraysLocal the parameter that holds arrays: first the operands, then constants
   */
  ScalarArrays(Lanes lanes, int arraysLocal) {
    this.lanes = lanes;
    this.arraysLocal = arraysLocal;
  }

  // ---- where arrays come from

  /** The next array that is given: an operand. */
  Item.Leaf operand(Shape.Array shape, int indexLocal) {
    ElementType type = shape.elementType();
    int number = arrays++;
    int local = lanes.array(arraysLocal, number, type);
    if (Item.isScalar(shape)) {
      return new Item.Scalar(type, lanes.load(type, local, indexLocal));
    }
    operands.put(local, number);
    return next(shape, local);
  }

  /** A constant; all operands have been asked for by then. */
  Item.Leaf constant(Literal literal) {
    Shape.Array shape = Item.arrays(literal.shape()).findFirst().orElseThrow();
    if (literal.isElided()) {
      throw new UnsupportedOperationException("elements left out: " + shape);
    }
    if (Item.isScalar(shape)) {
      return new Item.Scalar(literal.elementType(), lanes.constant(literal));
    }
    constants.add(literal);
    int number = arrays++;
    int local = lanes.newLocal(TypeKind.REFERENCE);
    lanes.inPrologue(() -> lanes.loadArray(arraysLocal, number, shape.elementType(), local));
    return next(shape, local);
  }

  /** The constants that the program is to be given behind its operands. */
  List<Literal> constants() {
    return constants;
  }

  /** Which operand an array is, or is a copy of. */
  OptionalInt operand(Item.Cells cells) {
    Integer number = operands.get(cells.local());
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }

  /** Whether nobody else holds an array, so that the program may write to it. */
  boolean isOwned(Item.Cells cells) {
    return owned.contains(cells.local());
  }

  /** Which operands are to be given as copies. */
  Set<Integer> copied() {
    return copied;
  }

  // ---- versions

  private Item.Cells next(Shape.Array shape, int local) {
    versions.put(local, ++lastVersion);
    return new Item.Cells(shape, local, lastVersion);
  }

  /** An array that has to be still as it was. */
  Item.Cells there(Item.Cells cells) {
    if (!Objects.equals(versions.get(cells.local()), cells.version())) {
      throw new UnsupportedOperationException("overwritten by now: " + cells);
    }
    return cells;
  }

  /** Checks that an array, as it is now, lies where another did. */
  void requireIn(Item.Leaf place, Item.Cells cells) {
    if (!(place instanceof Item.Cells there && there.local() == there(cells).local())) {
      throw new UnsupportedOperationException("arrays change their places: " + cells);
    }
  }

  /** The same array as it is now. */
  Item.Cells now(Item.Cells cells) {
    return new Item.Cells(
        cells.shape(), cells.local(), requireNonNull(versions.get(cells.local())));
  }

  /** The versions of all arrays, to go back to. */
  Map<Integer, Integer> versions() {
    return Map.copyOf(versions);
  }

  /** Goes back: what is written next is not run behind what was written since. */
  void restore(Map<Integer, Integer> before) {
    versions = new HashMap<>(before);
  }

  /** What is written next is run behind one of several pieces of code. */
  void join(List<Map<Integer, Integer>> ends) {
    for (Integer local : Set.copyOf(versions.keySet())) {
      if (ends.stream().map(end -> end.get(local)).distinct().count() > 1) {
        versions.put(local, ++lastVersion);
      }
    }
  }

  /**
   * An array that can be written to, with the same elements.
   *
   * @param isOnce whether this is run once only, so that an operand can be given as a copy
   */
  Item.Cells writable(Item.Cells cells, boolean isOnce) {
    there(cells);
    if (owned.contains(cells.local())) {
      return next(cells.shape(), cells.local());
    }
    if (isOnce && operands.containsKey(cells.local())) {
      copied.add(operands.get(cells.local()));
      owned.add(cells.local());
      return next(cells.shape(), cells.local());
    }
    return copy(cells);
  }

  /** A copy of an array. */
  Item.Cells copy(Item.Cells cells) {
    ClassDesc type = Types.storage(cells.shape().elementType()).array();
    int local = lanes.newLocal(TypeKind.REFERENCE);
    lanes.code().aload(cells.local());
    lanes.code().invokevirtual(type, "clone", MethodTypeDesc.of(ConstantDescs.CD_Object));
    lanes.code().checkcast(type).astore(local);
    owned.add(local);
    return next(cells.shape(), local);
  }

  // ---- elements

  /** An element, starts clamped so that there is one. */
  Item.Scalar read(Item.Cells cells, List<Item> starts) {
    there(cells);
    ElementType type = cells.shape().elementType();
    int index = position(cells.shape(), starts).local();
    return new Item.Scalar(type, lanes.load(type, cells.local(), index));
  }

  /** The array with an element replaced, starts clamped so that there is one. */
  Item.Cells write(Item.Cells cells, Item.Scalar element, List<Item> starts, boolean isOnce) {
    Item.Cells target = writable(cells, isOnce);
    int index = position(cells.shape(), starts).local();
    lanes.store(element.type(), target.local(), index, element.value());
    return target;
  }

  private Value position(Shape.Array shape, List<Item> starts) {
    if (starts.size() != shape.rank()) {
      throw new UnsupportedOperationException("no start for each dimension");
    }
    Value position = lanes.constant(Lane.I32, 0);
    int stride = 1;
    for (int d = shape.rank() - 1; d >= 0; d--) {
      if (shape.size(d) > 1) {
        Value start = clamped(starts.get(d).scalar(), shape.size(d) - 1);
        Value step = lanes.multiply(start, lanes.constant(Lane.I32, stride));
        position = lanes.add(position, step);
      }
      stride *= (int) shape.size(d);
    }
    return position;
  }

  private Value clamped(Item.Scalar start, long last) {
    Lane lane = start.value().lane();
    Value most = lanes.constant(lane, last);
    boolean isUnsigned =
        start.type().kind() == ElementType.Kind.UNSIGNED && start.type().bits() == lane.bits();
    Value within =
        isUnsigned
            ? lanes.minUnsigned(start.value(), most)
            : lanes.max(lanes.min(start.value(), most), lanes.constant(lane, 0));
    return lanes.convert(within, Lane.I32);
  }
}
