package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/** Steps that call computations, and steps with tuples. */
final class ControlSteps {
  static final ImmutableList<Step> ALL =
      ImmutableList.of(
          ControlSteps::loop,
          ControlSteps::loop,
          ControlSteps::conditional,
          ControlSteps::call,
          ControlSteps::fusion,
          ControlSteps::fusion,
          ControlSteps::nested);

  private ControlSteps() {}

  /** Returns the elements of a tuple, each as an instruction. */
  static void takeApart(Block block, HloInstruction tuple) {
    for (int i = 0; i < ((Shape.Tuple) tuple.shape()).elements().size(); i++) {
      block.add(new GetTupleElement(i), tuple);
    }
  }

  /**
   * Returns a computation that computes values of these shapes from its parameters in a few steps.
   */
  private static HloComputation body(
      Block block, Choices choices, List<? extends Shape> parameters, List<Shape.Array> results) {
    Block body = block.inner(Numbers.CALLED, parameters, 1);
    return close(body, choices, results);
  }

  private static HloComputation close(Block body, Choices choices, List<Shape.Array> results) {
    AnyPrograms.steps(body, choices, 1 + choices.below(5), false);
    List<HloInstruction> parts = results.stream().map(shape -> near(body, choices, shape)).toList();
    return body.close(parts.size() == 1 ? parts.get(0) : body.add(new Tuple(), parts, List.of()));
  }

  /** Returns a value of a shape that a final step has computed. */
  private static HloInstruction near(Block body, Choices choices, Shape.Array shape) {
    HloInstruction value = Numbers.like(body, shape);
    List<Elementwise.Kind> kinds =
        List.of(Elementwise.Kind.ADD, Elementwise.Kind.MAXIMUM, Elementwise.Kind.MULTIPLY);
    return choices.chance(3)
        ? value
        : body.add(new Elementwise(choices.oneOf(kinds)), value, Numbers.like(body, shape));
  }

  /** Returns some arrays to pass to a computation. */
  private static List<HloInstruction> some(Block block, Choices choices) {
    List<HloInstruction> some = new ArrayList<>();
    for (int i = 1 + choices.below(3); i > 0; i--) {
      some.add(Numbers.any(block));
    }
    return some;
  }

  private static List<Shape.Array> shapes(List<HloInstruction> instructions) {
    return instructions.stream()
        .map(instruction -> (Shape.Array) instruction.shape().withoutLayout())
        .toList();
  }

  /** Appends a loop that updates arrays for a few iterations, with a counter. */
  private static void loop(Block block, Choices choices) {
    List<HloInstruction> carried = some(block, choices);
    carried.add(0, first(block, choices));
    HloInstruction start = block.add(new Tuple(), carried, List.of());
    Block condition = block.inner(Numbers.CALLED, List.of(start.shape()), 1);
    HloInstruction count = condition.add(new GetTupleElement(0), condition.instructions().get(0));
    HloInstruction end = condition.scalar(Literal.of(choices.below(6)));
    HloComputation goesOn =
        condition.close(
            condition.add(new Compare(Compare.Direction.LT, Optional.empty()), count, end));
    HloInstruction result =
        block.add(
            new While(),
            List.of(start),
            List.of(goesOn, iteration(block, choices, start, carried)));
    takeApart(block, result);
  }

  /** Returns the initial value of a counter: a constant, or a value unknown at compile time. */
  private static HloInstruction first(Block block, Choices choices) {
    return choices.chance(2)
        ? block.scalar(Literal.of(choices.below(3)))
        : block.add(
            new Elementwise(Elementwise.Kind.AND),
            Numbers.like(block, Shape.of(ElementType.S32)),
            block.scalar(Literal.of(1)));
  }

  private static HloComputation iteration(
      Block block, Choices choices, HloInstruction start, List<HloInstruction> carried) {
    Block body = block.inner(Numbers.CALLED, List.of(start.shape()), 1);
    takeApart(body, body.instructions().get(0));
    HloInstruction next =
        body.add(
            new Elementwise(Elementwise.Kind.ADD),
            body.instructions().get(1),
            body.scalar(Literal.of(1)));
    AnyPrograms.steps(body, choices, 1 + choices.below(4), false);
    if (block.isEntry() && choices.chance(3)) {
      inner(body, choices);
    }
    List<HloInstruction> parts = new ArrayList<>(List.of(next));
    List<Shape.Array> shapes = shapes(carried);
    for (int i = 1; i < shapes.size(); i++) {
      boolean isInvariant = choices.chance(2);
      parts.add(isInvariant ? body.instructions().get(1 + i) : near(body, choices, shapes.get(i)));
    }
    return body.close(body.add(new Tuple(), parts, List.of()));
  }

  /** Takes a step that nests a loop or a conditional in a loop. */
  private static void inner(Block body, Choices choices) {
    try {
      Step step = choices.chance(2) ? ControlSteps::loop : ControlSteps::conditional;
      step.take(body, choices);
      AnyPrograms.steps(body, choices, choices.below(3), false);
    } catch (HloException unsuitable) {
      // The step does not apply here.
    }
  }

  private static void conditional(Block block, Choices choices) {
    HloInstruction first = Numbers.any(block);
    HloInstruction second = Numbers.any(block);
    List<Shape.Array> results = shapes(some(block, choices));
    boolean byTruth = choices.chance(2);
    ElementType type = byTruth ? ElementType.PRED : ElementType.S32;
    List<HloInstruction> operands =
        new ArrayList<>(List.of(Numbers.like(block, Shape.of(type)), first, second));
    List<HloComputation> branches = new ArrayList<>();
    branches.add(body(block, choices, shapes(List.of(first)), results));
    branches.add(body(block, choices, shapes(List.of(second)), results));
    if (!byTruth && choices.chance(2)) {
      operands.add(first);
      branches.add(body(block, choices, shapes(List.of(first)), results));
    }
    spread(block, block.add(new Conditional(type), operands, branches));
  }

  /** Appends a call of a computation, sometimes twice. */
  private static void call(Block block, Choices choices) {
    List<HloInstruction> operands = some(block, choices);
    List<Shape.Array> results = shapes(some(block, choices));
    HloComputation callee = body(block, choices, shapes(operands), results);
    for (int times = 1 + choices.below(2); times > 0; times--) {
      List<HloInstruction> arguments =
          operands.stream()
              .map(operand -> Numbers.like(block, (Shape.Array) operand.shape()))
              .toList();
      spread(block, block.add(new Call(), arguments, List.of(callee)));
    }
  }

  private static void spread(Block block, HloInstruction result) {
    if (result.shape() instanceof Shape.Tuple) {
      takeApart(block, result);
    }
  }

  /** Appends a fusion over arrays of one shape, in which every parameter is used. */
  private static void fusion(Block block, Choices choices) {
    HloInstruction first = Numbers.any(block);
    Shape.Array shape = (Shape.Array) first.shape();
    HloInstruction second = Numbers.like(block, shape);
    Block body = block.inner(Numbers.CALLED, List.of(shape, shape), 1);
    List<Elementwise.Kind> kinds =
        List.of(Elementwise.Kind.ADD, Elementwise.Kind.MAXIMUM, Elementwise.Kind.MULTIPLY);
    body.add(
        new Elementwise(choices.oneOf(kinds)),
        body.instructions().get(0),
        body.instructions().get(1));
    AnyPrograms.steps(body, choices, choices.below(8), false);
    spread(
        block,
        block.add(
            new Fusion(Fusion.Kind.LOOP),
            List.of(first, second),
            List.of(Numbers.tight(body, body.instructions().getLast()))));
  }

  /** Appends a nested tuple and extracts its elements. */
  private static void nested(Block block, Choices choices) {
    HloInstruction inner = block.add(new Tuple(), some(block, choices), List.of());
    HloInstruction outer = block.add(new Tuple(), List.of(inner, Numbers.any(block)), List.of());
    HloInstruction again = block.add(new GetTupleElement(0), outer);
    if (((Shape.Tuple) again.shape()).elements().isEmpty()) {
      throw new HloException("", "nothing in it");
    }
    takeApart(block, again);
  }
}
