package org.hlo4j.check.generate;

import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.op.Elementwise.Kind.ADD;
import static org.hlo4j.hlo.op.Elementwise.Kind.AND;
import static org.hlo4j.hlo.op.Elementwise.Kind.MAXIMUM;
import static org.hlo4j.hlo.op.Elementwise.Kind.MINIMUM;
import static org.hlo4j.hlo.op.Elementwise.Kind.MULTIPLY;
import static org.hlo4j.hlo.op.Elementwise.Kind.OR;
import static org.hlo4j.hlo.op.Elementwise.Kind.XOR;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.While;

/**
 * The computations that instructions call. Some are one op, some ignore what they are given or give
 * it back, and some are programs of their own, with dead instructions and further computations.
 */
final class Regions {
  /** The target of a custom call of a text that stands for random steps and what they give. */
  static final String NEXT = "next";

  /** How often a computation with ops of all kinds runs at most. */
  private static final long MAX_TIMES = 1_500;

  /** The most iterations of a loop. */
  static final int MAX_ITERATIONS = 6;

  /** The functions that reductions combine by, some more often. */
  static final ImmutableList<Kind> REDUCTIONS =
      ImmutableList.of(ADD, ADD, MAXIMUM, MINIMUM, MULTIPLY, AND, OR, XOR);

  private Regions() {}

  static Kind combining(Choices choices, ElementType type) {
    return choices.oneOf(REDUCTIONS.stream().filter(kind -> kind.accepts(type)).toList());
  }

  /** Returns the identity of a function, a scalar. */
  static HloInstruction identity(Block block, Kind kind, ElementType type) {
    return block.scalar(kind.identity(type).orElseThrow(() -> new HloException("", "no identity")));
  }

  /** Appends the instructions of a text, a computation. Returns its root. */
  static HloInstruction spliced(Block block, HloComputation from, List<HloInstruction> given) {
    Map<HloInstruction, HloInstruction> copies = new HashMap<>();
    for (HloInstruction each : from.instructions()) {
      List<HloInstruction> operands = each.operands().stream().map(copies::get).toList();
      if (operands.stream().anyMatch(Block::isOpen) && block.choices.chance(3) && block.mayNest()) {
        OpRows.any(block);
      }
      HloInstruction copy =
          switch (each.op()) {
            case Parameter parameter -> given.get(parameter.number());
            case CustomCall hole ->
                made(block, hole.customCallTarget(), operands, each.shape())
                    .orElseGet(() -> block.add(hole, operands, List.of()));
            default -> block.add(each.op(), operands, called(block, each));
          };
      copies.put(each, copy);
    }
    return requireNonNull(copies.get(from.root()));
  }

  /** Returns what a custom call of a text stands for, if it stands for anything. */
  private static Optional<HloInstruction> made(
      Block block, String target, List<HloInstruction> operands, Shape shape) {
    Choices choices = block.choices;
    return Optional.ofNullable(
        switch (target) {
          case "neutral" -> block.scalar(choices.neutral(((Shape.Array) shape).elementType()));
          case "literal" -> block.scalar(choices.literal(shape));
          case "argument" -> {
            require(block.isEntry(), "", "the caller gives the parameters");
            yield block.parameter(choices.literal(shape));
          }
          case "given" -> block.given(((Constant) operands.get(0).op()).literal());
          case "value" -> block.value(shape);
          case "again" -> again(block);
          case "order" -> comparator(block);
          case "tight" -> tight(filled(block));
          case "free" -> filled(block).root(any -> true);
          case NEXT -> {
            filled(block);
            yield choices.chance(4) ? block.value(shape) : root(block, shape);
          }
          default -> null;
        });
  }

  private static HloInstruction again(Block block) {
    HloInstruction one =
        block.choices.oneOf(
            block.instructions().stream()
                .filter(each -> !each.operands().isEmpty() && !Block.isOpen(each))
                .filter(each -> !each.op().opcode().endsWith("-done"))
                .toList());
    return block.add(one.op(), one.operands(), one.called());
  }

  /** Returns the computations of an instruction of a text. */
  private static List<HloComputation> called(Block block, HloInstruction caller) {
    require(!(caller.op() instanceof While) || block.mayNest(), "", "too deep, or too often");
    List<HloComputation> called = new ArrayList<>();
    for (HloComputation text : caller.called()) {
      boolean isOfOne = block.place.isOf("async-start"); // its only op is a call
      Place place = isOfOne ? block.place : new Place(caller.op().opcode(), called.size());
      ProgramShape shape = text.programShape();
      Block inner = block.inner(place, shape.parameters(), times(caller));
      boolean isShared =
          text.root().op() instanceof CustomCall hole && hole.customCallTarget().equals(NEXT);
      called.add(
          block
              .draft
              .shared(shape)
              .filter(_ -> isShared)
              .orElseGet(() ->
                  block.draft.share(
                      isShared, inner.close(spliced(inner, text, inner.instructions())))));
    }
    return called;
  }

  /** Returns how often an instruction runs a computation, at most. */
  private static long times(HloInstruction caller) {
    long most =
        caller.operands().stream()
            .filter(each -> each.shape() instanceof Shape.Array)
            .mapToLong(each -> Block.shape(each).elementCount())
            .max()
            .orElse(1);
    return switch (caller.op()) {
      case ReduceWindow op -> most * op.window().sizes().product();
      case SelectAndScatter op -> most * op.window().sizes().product();
      case While _ -> MAX_ITERATIONS;
      case Call _, Conditional _, Fusion _, AsyncStart _ -> 1;
      default -> most;
    };
  }

  /** Takes the steps that were asked for here, and some others. Returns the block. */
  private static Block filled(Block block) {
    boolean isShort = block.times > MAX_TIMES || block.draft.isFull() || block.choices.chance(3);
    block.draft.takeWanted(block);
    OpRows.some(block, isShort ? 1 : 5);
    return block;
  }

  /** Returns the values without use, so that no instruction is dead, as in fusions. */
  private static HloInstruction tight(Block block) {
    List<HloInstruction> ends = block.ends();
    require(ends.stream().noneMatch(Block::isOpen), "", "an end is missing");
    boolean isArray = ends.size() == 1 && !(ends.get(0).op() instanceof Parameter);
    return isArray ? ends.get(0) : block.tuple(ends);
  }

  /** Returns a root of a shape: computed of the last values, or of the parameters, or neither. */
  static HloInstruction root(Block block, Shape result) {
    Choices choices = block.choices;
    return switch (result) {
      case Shape.Array array when !array.isDynamic() && !choices.chance(8) -> block.computed(array);
      case Shape.Tuple tuple when !choices.chance(8) ->
          block.tuple(tuple.elements().stream().map(each -> root(block, each)).toList());
      default -> block.value(result);
    };
  }

  /**
   * Returns the order of a key that is computed alike of both elements, so that it is the same
   * order whatever the algorithm.
   */
  private static HloInstruction comparator(Block block) {
    int which = 2 * block.choices.below(block.instructions().size() / 2);
    List<HloInstruction> both = block.instructions().subList(which, which + 2);
    return OpRows.of("comparator", block.choices).write(new Drawing(filled(block), both));
  }
}
