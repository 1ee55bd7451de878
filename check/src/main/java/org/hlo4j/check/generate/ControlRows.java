package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Tuple;

/** The rows of ops that forward values, or run computations on them. */
final class ControlRows {
  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put(
              "add-dependency",
              Row.of(
                  "add-dependency",
                  ControlRows::value,
                  (block, first, op) -> Sources.value(block, Shape.token())))
          .put("after-all", ControlRows::afterAll)
          .put("async-done", ControlRows::asynchronous)
          .put("async-start", ControlRows::asynchronous)
          .put("async-update", ControlRows::updated)
          .put("call", ControlRows::call)
          .put("conditional", ControlRows::conditional)
          .put("constant", ControlRows::constant)
          .put("copy", Row.of("copy", ControlRows::value))
          .put("copy-done", ControlRows::startedCopy)
          .put("copy-start", ControlRows::startedCopy)
          .put("domain", ControlRows::domain)
          .put("fusion", ControlRows::fusion)
          .put("get-tuple-element", ControlRows::getTupleElement)
          .put("opt-barrier", Row.of("opt-barrier", ControlRows::value))
          .put("parameter", ControlRows::parameter)
          .put("tuple", ControlRows::tuple)
          .put("while", LoopRows::loop)
          .buildOrThrow();

  private ControlRows() {}

  /** Returns any value: an array, a tuple, or a token. */
  static HloInstruction value(Block block) {
    List<HloInstruction> values = Sources.values(block, shape -> !shape.isDynamic());
    return values.isEmpty() || block.choices().chance(4)
        ? Sources.array(block)
        : block.choices().oneOf(values);
  }

  /** Returns some values, none at times. */
  static List<HloInstruction> some(Block block) {
    List<HloInstruction> some = new ArrayList<>();
    for (int i = block.choices().below(4); i > 0; i--) {
      some.add(value(block));
    }
    return some;
  }

  static List<Shape> shapes(List<HloInstruction> values) {
    return values.stream().map(each -> each.shape().withoutLayout()).toList();
  }

  private static void afterAll(Block block, Choices choices) {
    List<HloInstruction> tokens = new ArrayList<>();
    for (int i = choices.below(4); i > 0; i--) {
      tokens.add(Sources.value(block, Shape.token()));
    }
    block.add(new AfterAll(), tokens, List.of());
  }

  private static void constant(Block block, Choices choices) {
    Shape.Array shape = Sources.shape(block, choices.anyType(), choices.rank());
    HloException.require(block.isEntry() || shape.elementCount() <= 500, "", "too large");
    block.add(new Constant(choices.literal(shape)));
  }

  /** A parameter of the entry, which may be a tuple. */
  private static void parameter(Block block, Choices choices) {
    HloException.require(block.isEntry(), "", "the caller gives the parameters");
    if (choices.chance(2)) {
      Shape.Array shape = Sources.shape(block, choices.anyType(), choices.rank());
      block.parameter(choices.literal(shape));
      return;
    }
    List<Literal> parts = new ArrayList<>();
    for (int i = choices.below(4); i > 0; i--) {
      Literal part = choices.literal(Sources.shape(block, choices.anyType(), choices.rank()));
      parts.add(choices.chance(4) ? Literal.tuple(part, part) : part);
    }
    block.parameter(Literal.tuple(parts));
  }

  private static void domain(Block block, Choices choices) {
    block.add(
        new Domain(new Domain.Border("sharding", "{maximal device=0}", "{replicated}")),
        value(block));
  }

  private static void startedCopy(Block block, Choices choices) {
    HloInstruction start = block.add(new CopyStart(Optional.empty()), Sources.array(block));
    between(block);
    block.add(new CopyDone(), start);
  }

  /** Appends instructions between the start of an op and its end. */
  static void between(Block block) {
    if (block.choices().chance(3) && Regions.mayNest(block)) {
      OpRows.any(block);
    }
  }

  private static void tuple(Block block, Choices choices) {
    HloInstruction inner = block.add(new Tuple(), some(block), List.of());
    if (choices.chance(2)) {
      List<HloInstruction> parts = some(block);
      parts.add(choices.below(parts.size() + 1), inner);
      block.add(new Tuple(), parts, List.of());
    }
  }

  private static void getTupleElement(Block block, Choices choices) {
    List<HloInstruction> tuples =
        Sources.values(
            block, shape -> shape instanceof Shape.Tuple tuple && !tuple.elements().isEmpty());
    HloInstruction whole =
        tuples.isEmpty() || choices.chance(3)
            ? block.add(new Tuple(), List.of(value(block), value(block)), List.of())
            : choices.oneOf(tuples);
    int count = ((Shape.Tuple) whole.shape()).elements().size();
    block.add(new GetTupleElement(choices.below(count)), whole);
  }

  /** Calls a computation once, or twice with other operands of the same shapes. */
  private static void call(Block block, Choices choices) {
    Regions.requireRoom(block);
    List<HloInstruction> operands = some(block);
    List<Shape> shapes = shapes(operands);
    HloComputation called = Regions.free(block, Place.CALLED, shapes, 1);
    block.add(new Call(), operands, List.of(called));
    if (choices.chance(3)) {
      List<HloInstruction> others =
          shapes.stream().map(shape -> Sources.value(block, shape)).toList();
      block.add(new Call(), others, List.of(called));
    }
  }

  private static void fusion(Block block, Choices choices) {
    Regions.requireRoom(block);
    List<HloInstruction> operands = some(block);
    HloComputation fused = Regions.tight(block, shapes(operands));
    Row.add(block, "fusion", ImmutableMap.of(), operands, fused);
  }

  /** By a pred, or by an index, which may be out of range. */
  private static void conditional(Block block, Choices choices) {
    Regions.requireRoom(block);
    boolean byTruth = choices.chance(2);
    ElementType type = byTruth ? ElementType.PRED : ElementType.S32;
    int count = byTruth ? 2 : 1 + choices.below(5);
    HloInstruction index =
        byTruth ? Sources.scalar(block, type) : Sources.indices(block, Shape.of(type), count);
    List<HloInstruction> operands = new ArrayList<>(List.of(index));
    List<HloComputation> branches = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      HloInstruction operand =
          choices.chance(3) ? block.add(new Tuple(), some(block), List.of()) : value(block);
      operands.add(operand);
      List<Shape> parameters = shapes(List.of(operand));
      branches.add(
          branches.isEmpty()
              ? Regions.free(block, Place.BRANCH, parameters, 1)
              : Regions.of(block, Place.BRANCH, parameters, branches.get(0).root().shape(), 1));
    }
    block.add(new Conditional(type), operands, branches);
  }

  private static void asynchronous(Block block, Choices choices) {
    block.add(new AsyncDone(), started(block));
  }

  private static void updated(Block block, Choices choices) {
    HloInstruction update = block.add(new AsyncUpdate(), started(block));
    between(block);
    block.add(new AsyncDone(), update);
  }

  private static HloInstruction started(Block block) {
    Regions.requireRoom(block);
    List<HloInstruction> operands = some(block);
    HloComputation body = Regions.alone(block, shapes(operands));
    Shape whole =
        new Shape.Tuple(
            ImmutableList.of(
                new Shape.Tuple(ImmutableList.copyOf(shapes(operands))),
                body.root().shape().withoutLayout(),
                Shape.of(ElementType.U32)));
    HloInstruction start = block.add(new AsyncStart(whole, ""), operands, List.of(body));
    between(block);
    return start;
  }
}
