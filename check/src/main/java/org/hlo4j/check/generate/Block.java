package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.Tuple;

/**
 * A computation under construction. Steps choose their operands among the instructions so far, so
 * values have several uses or none.
 */
final class Block {
  /** How many computations are in each other at most. */
  private static final int MAX_DEPTH = 3;

  /** How often a computation runs at most that calls others with ops of all kinds. */
  private static final long MAX_TIMES = 1_000;

  /** How many times as many elements all runs of a computation may have together. */
  private static final long MORE_OF_ALL = 7;

  /** How many texts are tried to compute a value, of which some are not of its type. */
  private static final int ATTEMPTS = 3;

  final ProgramDraft draft;
  final Choices choices;
  final Place place;

  /** How often it runs, at most. */
  final long times;

  /** The literals for the parameters of the entry, in order. */
  final List<Literal> arguments = new ArrayList<>();

  private final int depth;
  private final List<HloInstruction> instructions = new ArrayList<>();

  /** How many values are being computed for each other. */
  private int values;

  private Block(ProgramDraft draft, Place place, long times, int depth) {
    this.draft = draft;
    this.choices = draft.choices;
    this.place = place;
    this.times = times;
    this.depth = depth;
  }

  /** Returns an empty entry computation, which creates parameters as needed. */
  static Block entry(ProgramDraft draft) {
    return new Block(draft, Place.ENTRY, 1, 0);
  }

  /**
   * Returns a computation with these parameters that instructions of this one can call.
   *
   * @param where the place in which it is called
   * @param parameters the shapes of its parameters
   * @param count how often it runs when this one runs once, at most
   */
  Block inner(Place where, List<? extends Shape> parameters, long count) {
    require(depth <= MAX_DEPTH, "", "too deep");
    Block inner = new Block(draft, where, times * Math.max(1, count), depth + 1);
    for (int i = 0; i < parameters.size(); i++) {
      inner.add(new Parameter(i, parameters.get(i).withoutLayout()));
    }
    return inner;
  }

  boolean isEntry() {
    return place.equals(Place.ENTRY);
  }

  /** Returns whether a computation may call others that run as programs of their own. */
  boolean mayNest() {
    return depth < MAX_DEPTH && times <= MAX_TIMES && !draft.isFull();
  }

  List<HloInstruction> instructions() {
    return ImmutableList.copyOf(instructions);
  }

  /** Returns the instructions that no other one uses. */
  List<HloInstruction> ends() {
    Set<HloInstruction> used = new HashSet<>();
    instructions.forEach(each -> used.addAll(each.operands()));
    return instructions.stream().filter(each -> !used.contains(each)).toList();
  }

  HloComputation close(HloInstruction root) {
    return HloComputation.create("c" + draft.nextName(), instructions, root);
  }

  /** Appends an instruction, if its operands suit. */
  HloInstruction add(Op op, HloInstruction... operands) {
    return add(op, List.of(operands), List.of());
  }

  /** Appends an instruction, if its operands suit and it is not too expensive. */
  HloInstruction add(Op op, List<HloInstruction> operands, List<HloComputation> called) {
    Shape shape = op.infer(HloInstruction.inputs(operands, called));
    choices.restrictions().require(op, shape);
    boolean isOrdered =
        draft.hasPredecessors
            && !place.isOf("fusion")
            && !instructions.isEmpty()
            && choices.chance(6);
    HloInstruction instruction =
        HloInstruction.create(
            op.opcode() + "." + draft.nextName(),
            op,
            operands,
            called,
            op instanceof Bitcast ? shape : draft.laidOut(shape),
            Metadata.NONE,
            isOrdered
                ? ImmutableMap.of(
                    "control-predecessors", "{" + choices.oneOf(instructions).name() + "}")
                : ImmutableMap.of());
    require(draft.cost.of(instruction).flops() * times <= draft.maxCost, "", "too expensive");
    instructions.add(instruction);
    return instruction;
  }

  HloInstruction tuple(List<HloInstruction> parts) {
    return add(new Tuple(), parts, List.of());
  }

  /**
   * Takes a step, and again while its choices are refused. What a refused one added is removed.
   *
   * @param count the maximum number of attempts
   * @return whether one was not refused
   */
  boolean attempt(int count, Step step) {
    int before = instructions.size();
    int given = arguments.size();
    for (int i = 0; i < count; i++) {
      try {
        step.take(this, choices);
        return true;
      } catch (HloException unsuitable) {
        instructions.subList(before, instructions.size()).clear();
        arguments.subList(given, arguments.size()).clear();
      }
    }
    return false;
  }

  // Operands.

  /** Returns an existing array whose shape matches, preferably a recent one, or a new one. */
  HloInstruction any(Predicate<ElementType> types, Predicate<Shape.Array> suits) {
    List<HloInstruction> found =
        arrays(shape -> types.test(shape.elementType()) && suits.test(shape));
    if (draft.isChain && !found.isEmpty() && found.getLast() == instructions.getLast()) {
      return found.getLast();
    } else if (!found.isEmpty() && !choices.chance(4)) {
      return choices.late(found);
    }
    for (int attempt = 0; attempt < 60; attempt++) {
      Shape.Array shape = shape(choices.type(types), choices.rank());
      if (suits.test(shape)) {
        return value(shape);
      }
    }
    throw new HloException("", "nothing suits");
  }

  /** Returns a new parameter of the entry with this argument. */
  HloInstruction parameter(Literal argument) {
    HloInstruction parameter = add(new Parameter(arguments.size(), argument.shape()));
    arguments.add(argument);
    return parameter;
  }

  /** Returns a scalar broadcast to a shape. */
  HloInstruction constant(Literal scalar, Shape.Array shape) {
    HloInstruction constant = scalar(scalar);
    return shape.isScalar() ? constant : add(new Broadcast(shape, Dims.of()), constant);
  }

  HloInstruction scalar(Literal value) {
    return add(new Constant(value));
  }

  /** Returns the most elements of an array of a computation. */
  long most() {
    long most = draft.maxElements;
    return Math.clamp(MORE_OF_ALL * most / Math.max(1, times), 1, most);
  }

  /** Returns the shape of an array, without its layout; a tuple does not suit. */
  static Shape.Array shape(HloInstruction array) {
    if (array.shape().withoutLayout() instanceof Shape.Array shape) {
      return shape;
    }
    throw new HloException("", "no array");
  }

  static ElementType type(HloInstruction array) {
    return shape(array).elementType();
  }

  /** Returns a shape that a computation may have. */
  Shape.Array shape(ElementType type, int rank) {
    return Shape.of(type, choices.sizes(rank, most()));
  }

  /** Returns a shape of any type and rank that a computation may have. */
  Shape.Array shape() {
    return shape(choices.anyType(), choices.rank());
  }

  /** Returns the values whose shapes suit, but those that only the end of an op may take. */
  List<HloInstruction> values(Predicate<Shape> suits) {
    return instructions().stream()
        .filter(each -> !isOpen(each) && suits.test(each.shape().withoutLayout()))
        .toList();
  }

  static boolean isOpen(HloInstruction instruction) {
    return switch (instruction.op()) {
      case CollectiveStart _, AsyncStart _, AsyncUpdate _, CopyStart _, Send _, Recv _ -> true;
      default -> false;
    };
  }

  /** Returns the arrays of static sizes that suit. */
  List<HloInstruction> arrays(Predicate<Shape.Array> suits) {
    return values(
        shape -> shape instanceof Shape.Array array && !array.isDynamic() && suits.test(array));
  }

  /** Returns an array whose type and rank suit: one used before, or one of a new shape. */
  HloInstruction array(Predicate<ElementType> types, IntPredicate ranks) {
    return any(types, shape -> ranks.test(shape.rank()) && shape.elementCount() <= most());
  }

  /** Returns any value: an array, a tuple, or a token. */
  HloInstruction any() {
    return any(shape -> !shape.isDynamic());
  }

  /** Returns a value that suits, or any array. */
  HloInstruction any(Predicate<Shape> suits) {
    List<HloInstruction> values = values(suits);
    return values.isEmpty() || choices.chance(4)
        ? array(type -> true, rank -> true)
        : choices.oneOf(values);
  }

  /** Returns some values, none at times. */
  List<HloInstruction> some() {
    return Stream.generate(this::any).limit(choices.below(4)).toList();
  }

  /** Returns one of some shapes or of a new one, or a tuple of several. */
  Shape outcome(List<Shape> given) {
    List<Shape> some = new ArrayList<>(given);
    some.add(shape());
    List<Shape> results =
        Stream.generate(() -> choices.oneOf(some)).limit(choices.below(4)).toList();
    return results.size() == 1 ? results.get(0) : new Shape.Tuple(ImmutableList.copyOf(results));
  }

  /** Returns one of the values that suit, or most of those without use and some others. */
  HloInstruction root(Predicate<Shape> suits) {
    List<HloInstruction> values = values(suits);
    if (!values.isEmpty() && choices.chance(6)) {
      return values.getLast();
    }
    List<HloInstruction> ends = ends();
    return tuple(
        values.stream()
            .filter(each -> ends.contains(each) ? !choices.chance(5) : choices.chance(12))
            .toList());
  }

  static List<Shape> shapes(List<HloInstruction> values) {
    return values.stream().map(each -> each.shape().withoutLayout()).toList();
  }

  /** Returns a value of a shape: one that is there, or one made of others. */
  HloInstruction value(Shape shape) {
    Shape plain = shape.withoutLayout();
    List<HloInstruction> found = values(plain::equals);
    boolean isNew = !plain.isDynamic() && (found.isEmpty() || choices.chance(3));
    return switch (plain) {
      case Shape.Array array when isNew -> created(array);
      case Shape.Tuple tuple when isNew ->
          tuple(tuple.elements().stream().map(each -> value(each)).toList());
      case Shape.Token _ when isNew ->
          add(new AfterAll(), found.subList(0, Math.min(found.size(), 2)), List.of());
      default -> choices.oneOf(found);
    };
  }

  private HloInstruction created(Shape.Array shape) {
    boolean isPlain = values > 1 || shape.elementCount() > most();
    return isPlain || !choices.chance(4) ? leaf(shape) : computed(shape);
  }

  /** Returns an array of a shape that is computed of other values, to some depth. */
  HloInstruction computed(Shape.Array shape) {
    values++;
    boolean isMade =
        attempt(
            ATTEMPTS,
            (_, choices) -> {
              Drawing drawing = new Drawing(this, List.of());
              drawing.result(shape);
              Shape got = OpRows.of("value", choices).write(drawing).shape().withoutLayout();
              require(got.equals(shape), "", "of another type");
            });
    values--;
    return isMade ? instructions().getLast() : leaf(shape);
  }

  /** Returns an array that depends on nothing: a parameter of the entry, a constant, an iota. */
  HloInstruction leaf(Shape.Array shape) {
    ElementType type = shape.elementType();
    int way = choices.below(isEntry() ? 9 : 4);
    if (way > 3) {
      return parameter(choices.literal(shape));
    } else if (way == 2 && shape.rank() > 0 && type != ElementType.PRED) {
      return add(new Iota(shape, choices.below(shape.rank())));
    }
    return way > 1 && (isEntry() || shape.elementCount() <= 64)
        ? scalar(choices.literal(shape))
        : constant(way == 1 ? choices.neutral(type) : choices.literal(Shape.of(type)), shape);
  }

  /** Returns an array with this data: a parameter of the entry or a constant. */
  HloInstruction given(Literal literal) {
    return isEntry() && !choices.chance(3) ? parameter(literal) : scalar(literal);
  }

  /** Returns small integers of a type, mostly below a bound, as indices and sizes are. */
  HloInstruction indices(Shape.Array shape, long bound) {
    if (choices.chance(3)) {
      return value(shape);
    }
    long spare = choices.chance(3) ? 2 : 0;
    long least = Math.clamp(shape.elementType().minLong(), -spare, 0);
    return given(choices.whole(shape, () -> choices.between(least, bound - 1 + spare)));
  }
}
