package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.While;

/**
 * A loop: a state of any values, in which one scalar makes the loop end. It counts up, down or by
 * doubling; conditions and bodies may do anything else.
 */
final class Loop {
  /**
   * How a loop comes to its end.
   *
   * @param first the first value of the counter, given the number of iterations
   * @param last the value that it is compared with
   */
  private record Form(
      Direction goesOn, Kind step, int by, LongUnaryOperator first, LongUnaryOperator last) {}

  private static final List<Form> FORMS =
      List.of(
          new Form(Direction.LT, Kind.ADD, 1, n -> 0, n -> n),
          new Form(Direction.NE, Kind.ADD, 1, n -> n / 2, n -> n),
          new Form(Direction.GT, Kind.SUBTRACT, 1, n -> n, n -> 0),
          new Form(Direction.LT, Kind.MULTIPLY, 2, n -> 1, n -> 1L << n),
          new Form(Direction.LT, Kind.SHIFT_LEFT, 1, n -> 1, n -> 1L << n));

  private static final List<ElementType> COUNTERS =
      List.of(
          ElementType.S32,
          ElementType.S32,
          ElementType.S64,
          ElementType.U32,
          ElementType.U8,
          ElementType.S16);

  private final Block block;
  private final Choices choices;
  private final Form form;
  private final Shape.Array counter;
  private final int iterations;
  private final List<HloInstruction> state;
  private final int position;
  private final boolean isNested;

  Loop(Block block) {
    require(block.mayNest(), "", "too deep, or too often");
    this.block = block;
    this.choices = block.choices();
    this.form = choices.oneOf(FORMS);
    this.counter = Shape.of(choices.oneOf(COUNTERS));
    this.iterations = choices.chance(8) ? 6 : choices.below(4);
    this.state = new ArrayList<>(Sources.some(block));
    this.position = choices.below(state.size() + 1);
    this.isNested = choices.chance(5);
    state.add(position, Sources.number(block, counter, form.first().applyAsLong(iterations)));
  }

  /** Appends the loop. */
  void add() {
    boolean isBare = state.size() == 1 && choices.chance(2);
    HloInstruction start = isBare ? state.get(0) : packed(block, state);
    List<HloComputation> called = List.of(condition(start), body(start));
    block.add(new While(), List.of(start), called);
  }

  private HloInstruction packed(Block in, List<HloInstruction> parts) {
    HloInstruction flat = in.tuple(parts);
    return isNested ? in.tuple(List.of(flat)) : flat;
  }

  private Block inner(Place place, HloInstruction start) {
    return block.inner(place, ImmutableList.of(start.shape()), iterations + 1L);
  }

  /** Returns the values of the state that the only parameter is, after which steps follow. */
  private List<HloInstruction> unpacked(Block in, Place place, int most) {
    HloInstruction whole = in.instruction(0);
    List<HloInstruction> parts = new ArrayList<>();
    if (!(whole.shape() instanceof Shape.Tuple)) {
      parts.add(whole);
    } else {
      HloInstruction flat = isNested ? in.add(new GetTupleElement(0), whole) : whole;
      for (int i = 0; i < state.size(); i++) {
        parts.add(in.add(new GetTupleElement(i), flat));
      }
    }
    in.draft().takeWanted(place, in);
    OpRows.some(in, in.draft().isFull() ? 1 : most);
    return parts;
  }

  private HloInstruction number(Block in, long value) {
    return in.scalar(Literal.ofBits(counter, i -> value));
  }

  private HloComputation condition(HloInstruction start) {
    Block in = inner(Place.CONDITION, start);
    HloInstruction count = unpacked(in, Place.CONDITION, 3).get(position);
    HloInstruction last = number(in, form.last().applyAsLong(iterations));
    HloInstruction goesOn = in.add(new Compare(form.goesOn(), Optional.empty()), count, last);
    if (choices.chance(3)) {
      goesOn = in.apply(Kind.AND, goesOn, Regions.root(in, Shape.of(ElementType.PRED)));
    }
    return in.close(goesOn);
  }

  private HloComputation body(HloInstruction start) {
    Block in = inner(Place.BODY, start);
    List<HloInstruction> parts = unpacked(in, Place.BODY, 5);
    HloInstruction next = in.apply(form.step(), parts.get(position), number(in, form.by()));
    List<HloInstruction> results = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      results.add(i == position ? next : next(in, parts.get(i)));
    }
    return in.close(start.shape() instanceof Shape.Tuple ? packed(in, results) : next);
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
