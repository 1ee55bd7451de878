package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * The row of loops: a state of any values, in which one scalar makes the loop end. It counts up,
 * down or by doubling, or is a flag; conditions and bodies may do anything else.
 */
final class LoopRows {
  /** How a loop comes to its end. */
  private enum Form {
    UP(Direction.LT, Kind.ADD, 1),
    UNTIL(Direction.NE, Kind.ADD, 1),
    DOWN(Direction.GT, Kind.SUBTRACT, 1),
    DOUBLING(Direction.LT, Kind.MULTIPLY, 2),
    SHIFTED(Direction.LT, Kind.SHIFT_LEFT, 1);

    private final Direction goesOn;
    private final Kind step;
    private final int by;

    Form(Direction goesOn, Kind step, int by) {
      this.goesOn = goesOn;
      this.step = step;
      this.by = by;
    }
  }

  private final Block block;
  private final Choices choices;
  private final Form form;
  private final ElementType counter;
  private final int iterations;
  private final List<HloInstruction> state = new ArrayList<>();
  private final int position;
  private final boolean isNested;

  private LoopRows(Block block) {
    this.block = block;
    this.choices = block.choices();
    this.form = choices.oneOf(List.of(Form.values()));
    this.counter =
        choices.oneOf(
            List.of(
                ElementType.S32,
                ElementType.S32,
                ElementType.S64,
                ElementType.U32,
                ElementType.U8,
                ElementType.S16));
    this.iterations = choices.chance(8) ? 6 : choices.below(4);
    state.addAll(ControlRows.some(block));
    this.position = choices.below(state.size() + 1);
    this.isNested = choices.chance(5);
    state.add(position, initial());
  }

  static void loop(Block block, Choices choices) {
    Regions.requireRoom(block);
    LoopRows row = new LoopRows(block);
    List<HloInstruction> parts = new ArrayList<>(row.state);
    boolean isBare = parts.size() == 1 && choices.chance(2);
    HloInstruction start = isBare ? parts.get(0) : row.packed(block, parts);
    block.add(new While(), List.of(start), List.of(row.condition(start), row.body(start)));
  }

  private Literal number(long value) {
    return Literal.ofBits(Shape.of(counter), i -> value);
  }

  private long first() {
    return switch (form) {
      case UP, UNTIL -> choices.chance(2) ? 0 : Math.min(iterations, choices.below(3));
      case DOWN -> iterations;
      case DOUBLING, SHIFTED -> 1;
    };
  }

  private long last() {
    return switch (form) {
      case UP, UNTIL -> iterations;
      case DOWN -> 0;
      case DOUBLING, SHIFTED -> 1L << iterations;
    };
  }

  private HloInstruction initial() {
    return block.isEntry() && choices.chance(2)
        ? block.parameter(number(first()))
        : block.add(new Constant(number(first())));
  }

  private HloInstruction packed(Block in, List<HloInstruction> parts) {
    HloInstruction flat = in.add(new Tuple(), parts, List.of());
    return isNested ? in.add(new Tuple(), List.of(flat), List.of()) : flat;
  }

  /** Returns the values of the state that the only parameter is. */
  private List<HloInstruction> unpacked(Block in) {
    HloInstruction whole = in.instruction(0);
    if (!(whole.shape() instanceof Shape.Tuple)) {
      return List.of(whole);
    }
    if (isNested) {
      whole = in.add(new GetTupleElement(0), whole);
    }
    List<HloInstruction> parts = new ArrayList<>();
    for (int i = 0; i < state.size(); i++) {
      parts.add(in.add(new GetTupleElement(i), whole));
    }
    return parts;
  }

  private Block inner(Place place, HloInstruction start) {
    return block.inner(place, ImmutableList.of(start.shape()), iterations + 1L);
  }

  private void fill(Block in, Place place) {
    in.draft().takeWanted(place, in);
    if (!in.draft().isFull()) {
      for (int i = choices.below(place == Place.BODY ? 5 : 3); i > 0; i--) {
        OpRows.any(in);
      }
    }
  }

  private HloComputation condition(HloInstruction start) {
    Block in = inner(Place.CONDITION, start);
    HloInstruction count = unpacked(in).get(position);
    fill(in, Place.CONDITION);
    HloInstruction goesOn =
        in.add(
            new Compare(form.goesOn, Optional.empty()),
            count,
            in.add(new Constant(number(last()))));
    if (choices.chance(3)) {
      HloInstruction other = Regions.root(in, Shape.of(ElementType.PRED));
      goesOn = in.add(new Elementwise(Kind.AND), goesOn, other);
    }
    return in.close(goesOn);
  }

  private HloComputation body(HloInstruction start) {
    Block in = inner(Place.BODY, start);
    List<HloInstruction> parts = unpacked(in);
    fill(in, Place.BODY);
    HloInstruction step = in.add(new Constant(number(form.by)));
    HloInstruction next = in.add(new Elementwise(form.step), parts.get(position), step);
    List<HloInstruction> results = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      results.add(i == position ? next : next(in, parts.get(i)));
    }
    boolean isBare = !(start.shape() instanceof Shape.Tuple);
    return in.close(isBare ? next : packed(in, results));
  }

  /**
   * Returns the next value of a part of the state: the same, another of its shape, or a new one.
   */
  private HloInstruction next(Block in, HloInstruction part) {
    return switch (choices.below(3)) {
      case 0 -> part;
      case 1 -> Sources.value(in, part.shape());
      default -> Regions.root(in, part.shape());
    };
  }
}
