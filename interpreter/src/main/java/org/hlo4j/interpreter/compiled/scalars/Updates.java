package org.hlo4j.interpreter.compiled.scalars;

import com.google.common.collect.ImmutableList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.interpreter.compiled.lanes.Value;

/**
 * The code of {@link DynamicUpdateSlice}, in place: what is read from the array later, as it was,
 * is read before or from a copy.
 */
final class Updates {
  /** A longer array is not copied in each turn. */
  private static final int MAX_COPIED = 256;

  private final ScalarArrays arrays;
  private final ArrayCode code;
  private final Movements movements;
  private final Deque<Frame> frames;

  /**
   * A writer.
   *
   * @param frames the computations whose code is being written
   */
  Updates(ScalarArrays arrays, ArrayCode code, Movements movements, Deque<Frame> frames) {
    this.arrays = arrays;
    this.code = code;
    this.movements = movements;
    this.frames = frames;
  }

  Item.Leaf write(HloInstruction instruction, List<Item> operands, boolean isOnce) {
    Item.Leaf target = operands.get(0).leaf();
    Item.Leaf update = operands.get(1).leaf();
    if (target instanceof Item.Scalar) {
      return update;
    }
    Shape.Array shape = Item.array(instruction.shape());
    Shape.Array window = Item.array(instruction.operands().get(1).shape());
    ImmutableList<Value> starts =
        movements.starts(shape, window, operands.subList(2, operands.size()));
    Item.Leaf source = apart(update, target);
    Item.Cells result =
        target instanceof Item.Cells cells ? writable(cells, isOnce) : code.inMemory(target);
    if (source instanceof Item.Scalar scalar) {
      code.store(scalar.value(), result, starts);
    } else {
      code.store(source, window.sizes(), result, index -> code.indices().plus(starts, index));
    }
    return result;
  }

  /** What is put into an array must not be read from it meanwhile. */
  private Item.Leaf apart(Item.Leaf update, Item.Leaf target) {
    boolean isApart = update.reads().stream().noneMatch(target.reads()::contains);
    return switch (update) {
      case Item.Computed computed when !isApart -> code.inMemory(computed);
      case Item.Cells cells when !isApart -> copied(cells);
      case Item.Leaf other -> other;
    };
  }

  /** An array to be overwritten, with the same elements, when nobody wants it as it was. */
  Item.Cells writable(Item.Cells cells, boolean isOnce) {
    boolean isSmall = cells.shape().elementCount() <= MAX_COPIED;
    if (isSmall && frames.stream().flatMap(Frame::wanted).anyMatch(cells::isPlaceOf)) {
      return copied(cells);
    }
    store(computed -> computed.reads().contains(cells.local()));
    return arrays.writable(cells, isOnce);
  }

  /** Stores what is wanted later, before code that may overwrite what it is read from, or not. */
  void settle() {
    store(computed -> !computed.reads().isEmpty());
  }

  private void store(Predicate<Item.Computed> which) {
    for (Frame frame : frames) {
      frame.replaceWanted(leaf ->
          leaf instanceof Item.Computed computed && which.test(computed)
              ? code.inMemory(computed)
              : leaf);
    }
  }

  /** A copy of an array. */
  Item.Cells copied(Item.Cells cells) {
    Item.Cells copy = arrays.scratch(cells.shape());
    code.overwrite(copy, cells);
    return arrays.now(copy);
  }
}
