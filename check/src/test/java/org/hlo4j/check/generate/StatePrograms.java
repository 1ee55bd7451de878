package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * Programs of control flow over arrays: loops, conditionals and calls, nested in each other, that
 * update, alias, forward and swap their state. The state begins with constants, parameters, and the
 * same array twice; its arrays have about 16, 256 or 4096 bytes, those of each fourth seed mostly
 * 4096 or more. All ops are exact.
 */
final class StatePrograms {
  private static final List<ElementType> TYPES =
      List.of(
          ElementType.F32,
          ElementType.F32,
          ElementType.S32,
          ElementType.S32,
          ElementType.F64,
          ElementType.S64,
          ElementType.U8,
          ElementType.S16,
          ElementType.BF16,
          ElementType.F16,
          ElementType.PRED);
  private static final List<ElementType> COUNTERS =
      List.of(ElementType.S32, ElementType.S32, ElementType.S64, ElementType.U32);
  private static final int[] BYTES = {16, 16, 256, 256, 4096};

  private static final int LARGE_EACH = 4;

  /** Mostly about as many as storage has that is used again. */
  private static final int[] LARGE_BYTES = {16, 4096, 4096, 4096, 10_000};

  private final Choices choices;
  private final int[] bytes;

  private StatePrograms(Choices choices, int[] bytes) {
    this.choices = choices;
    this.bytes = bytes;
  }

  static Program of(long seed) {
    Choices choices = new Choices(seed, new Restrictions());
    boolean isLarge = Math.floorMod(seed, LARGE_EACH) == 0;
    StatePrograms programs = new StatePrograms(choices, isLarge ? LARGE_BYTES : BYTES);
    Block entry = Block.entry(new ProgramDraft(choices));
    StateMoves moves = new StateMoves(entry, programs.initial(entry));
    ImmutableList<HloInstruction> initial = moves.state();
    programs.steps(moves, choices.below(2), 0);
    programs.loop(moves, 3);
    programs.steps(moves, choices.below(3), 2);
    List<HloInstruction> results = new ArrayList<>(moves.state());
    if (choices.chance(2)) {
      results.addAll(initial);
    }
    HloInstruction root = entry.add(new Tuple(), results, List.of());
    return new Program(
        HloModule.create("state", entry.close(root)), ImmutableList.copyOf(entry.arguments));
  }

  /** Returns a counter and two to five arrays of at most three shapes. */
  private List<HloInstruction> initial(Block entry) {
    List<HloInstruction> state = new ArrayList<>();
    ElementType counter = choices.oneOf(COUNTERS);
    state.add(entry.scalar(Numbers.scalar(counter, 0)));
    List<Shape.Array> shapes = new ArrayList<>();
    for (int i = 1 + choices.below(3); i > 0; i--) {
      shapes.add(shape());
    }
    for (int i = 2 + choices.below(4); i > 0; i--) {
      boolean again = state.size() > 1 && choices.chance(5);
      state.add(
          again
              ? state.get(1 + choices.below(state.size() - 1))
              : entry.leaf(choices.oneOf(shapes)));
    }
    return state;
  }

  private Shape.Array shape() {
    ElementType type = choices.oneOf(TYPES);
    int count =
        bytes[choices.below(bytes.length)] / Math.max(1, type.bits() / 8) + choices.below(3) - 1;
    return switch (choices.below(6)) {
      case 0 -> Shape.of(type);
      case 1 -> Shape.of(type, Dims.of(2 + choices.below(3), Math.max(1, count / 3)));
      default -> Shape.of(type, Dims.of(Math.max(1, count)));
    };
  }

  /** Makes some moves, of which those with computations of their own nest to a depth. */
  private void steps(StateMoves moves, int count, int depth) {
    for (int i = 0; i < count; i++) {
      try {
        step(moves, depth);
      } catch (HloException unsuitable) {
        // The move does not suit these shapes; the next one may.
      }
    }
  }

  private void step(StateMoves moves, int depth) {
    int nested = depth > 0 ? choices.below(8) : 8;
    switch (nested) {
      case 0, 1 -> conditional(moves, depth - 1);
      case 2 -> loop(moves, depth - 1);
      case 3 -> call(moves, depth - 1);
      default -> moves.move();
    }
  }

  /** Replaces part of the state by what a loop makes of it. */
  private void loop(StateMoves moves, int depth) {
    List<Integer> part = part(moves);
    Block block = moves.block();
    List<HloInstruction> start = new ArrayList<>();
    start.add(moves.number(StateMoves.shape(moves.counter()).elementType(), choices.below(2)));
    part.forEach(i -> start.add(moves.state().get(i)));
    HloInstruction tuple = block.add(new Tuple(), start, List.of());
    HloComputation condition = condition(block, tuple.shape(), depth);
    HloComputation body = body(block, tuple.shape(), depth);
    put(moves, part, block.add(new While(), List.of(tuple), List.of(condition, body)));
  }

  /**
   * Returns whether the counter is below a limit, to which one may be added by what the condition
   * computes of the arrays.
   */
  private HloComputation condition(Block block, Shape state, int depth) {
    Block condition = block.inner(Numbers.CALLED, List.of(state), 1);
    StateMoves moves = taken(condition);
    HloInstruction limit = moves.number(ElementType.S32, choices.below(depth > 1 ? 12 : 5));
    if (moves.state().size() > 1 && choices.chance(2)) {
      HloInstruction counter = moves.counter();
      steps(moves, 1 + choices.below(3), Math.min(depth, 1));
      HloInstruction seen = moves.integer(moves.element(moves.state().get(moves.some())));
      moves.set(0, counter);
      limit = condition.add(new Elementwise(Kind.ADD), limit, seen);
    }
    HloInstruction counter = condition.add(new Convert(ElementType.S32), moves.counter());
    return condition.close(
        condition.add(new Compare(Compare.Direction.LT, Optional.empty()), counter, limit));
  }

  private HloComputation body(Block block, Shape state, int depth) {
    Block body = block.inner(Numbers.CALLED, List.of(state), 1);
    StateMoves moves = taken(body);
    steps(moves, moves.state().size() > 1 ? 1 + choices.below(4) : 0, depth);
    ElementType type = StateMoves.shape(moves.counter()).elementType();
    moves.set(0, body.add(new Elementwise(Kind.ADD), moves.counter(), moves.number(type, 1)));
    return closed(moves);
  }

  /** Replaces part of the state by what one of two or three branches makes of it. */
  private void conditional(StateMoves moves, int depth) {
    Block block = moves.block();
    List<Integer> part = part(moves);
    boolean byTruth = choices.chance(2);
    HloInstruction index =
        byTruth
            ? moves.isEven()
            : moves.integer(
                choices.chance(2)
                    ? moves.counter()
                    : moves.element(moves.state().get(moves.some())));
    List<HloInstruction> operands = new ArrayList<>(List.of(index));
    List<HloComputation> branches = new ArrayList<>();
    for (int i = byTruth ? 2 : 1 + choices.below(3); i > 0; i--) {
      HloInstruction tuple = tuple(moves, part);
      operands.add(tuple);
      StateMoves branch = taken(block.inner(Numbers.CALLED, List.of(tuple.shape()), 1));
      steps(branch, choices.below(4), depth);
      branches.add(closed(branch));
    }
    put(
        moves,
        part,
        block.add(
            new Conditional(byTruth ? ElementType.PRED : ElementType.S32), operands, branches));
  }

  /** Replaces part of the state by what a computation makes of it, called once or twice. */
  private void call(StateMoves moves, int depth) {
    Block block = moves.block();
    List<Integer> part = part(moves);
    List<HloInstruction> arguments = new ArrayList<>(List.of(moves.counter()));
    part.forEach(i -> arguments.add(moves.state().get(i)));
    Block inner =
        block.inner(Numbers.CALLED, arguments.stream().map(HloInstruction::shape).toList(), 1);
    StateMoves callee = new StateMoves(inner, inner.instructions());
    steps(callee, 1 + choices.below(4), depth);
    HloComputation computation = closed(callee);
    for (int times = 1 + choices.below(2); times > 0; times--) {
      List<HloInstruction> now = new ArrayList<>(List.of(moves.counter()));
      part.forEach(i -> now.add(moves.state().get(i)));
      put(moves, part, block.add(new Call(), now, List.of(computation)));
    }
  }

  /** Returns some of the arrays, by index, at times one of them twice. */
  private List<Integer> part(StateMoves moves) {
    List<Integer> part = new ArrayList<>();
    for (int i = 1; i < moves.state().size(); i++) {
      if (!choices.chance(4)) {
        part.add(i);
      }
    }
    if (part.isEmpty() || choices.chance(6)) {
      part.add(moves.some());
    }
    return part;
  }

  private HloInstruction tuple(StateMoves moves, List<Integer> part) {
    List<HloInstruction> elements = new ArrayList<>(List.of(moves.counter()));
    part.forEach(i -> elements.add(moves.state().get(i)));
    return moves.block().add(new Tuple(), elements, List.of());
  }

  /** Returns the moves of a computation whose parameter is the state as a tuple. */
  private static StateMoves taken(Block block) {
    HloInstruction parameter = block.instructions().get(0);
    List<HloInstruction> state = new ArrayList<>();
    for (int i = 0; i < ((Shape.Tuple) parameter.shape()).elements().size(); i++) {
      state.add(block.add(new GetTupleElement(i), parameter));
    }
    return new StateMoves(block, state);
  }

  private static HloComputation closed(StateMoves moves) {
    return moves.block().close(moves.block().add(new Tuple(), moves.state(), List.of()));
  }

  /** Puts the elements of a result, but for its counter, where they come from. */
  private static void put(StateMoves moves, List<Integer> part, HloInstruction result) {
    for (int i = 0; i < part.size(); i++) {
      moves.set(part.get(i), moves.block().add(new GetTupleElement(1 + i), result));
    }
  }
}
