package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.Window;

/**
 * Programs whose comparators, selectors and reducers compute NaNs and look at their bits, on arrays
 * of any bits. The results are looked at as bits as well, so that a NaN of another sign or payload
 * is a difference.
 */
final class NaNPrograms {
  private static final List<ElementType> TYPES =
      List.of(ElementType.F32, ElementType.F32, ElementType.F16, ElementType.BF16, ElementType.F64);

  private final Choices choices;
  private final Block entry;
  private final ElementType type;

  private NaNPrograms(Choices choices) {
    this.choices = choices;
    this.entry = Block.entry(new ProgramDraft(choices));
    this.type = choices.oneOf(TYPES);
  }

  static Program of(long seed) {
    NaNPrograms program = new NaNPrograms(new Choices(seed, new Restrictions()));
    HloInstruction root = program.root();
    return new Program(
        HloModule.create("nan", program.entry.close(root)),
        ImmutableList.copyOf(program.entry.arguments));
  }

  private HloInstruction root() {
    Dims sizes = Dims.of(2 + choices.below(40), 3 + choices.below(choices.chance(4) ? 300 : 20));
    HloInstruction x = entry.parameter(choices.literal(Shape.of(type, sizes)));
    HloInstruction y = entry.parameter(choices.literal(Shape.of(type, sizes)));
    for (int i = choices.below(4); i > 0; i--) {
      x = pointwise(entry, x, y);
    }
    List<HloInstruction> results = new ArrayList<>();
    for (int i = 1 + choices.below(2); i > 0; i--) {
      HloInstruction result = choices.chance(8) ? x : consumed(x, y);
      if (choices.chance(2)) {
        result = pointwise(entry, result, result);
      }
      results.add(bits(entry, result));
    }
    if (choices.chance(3)) {
      results.add(bits(entry, x));
    }
    return entry.add(new Tuple(), results, List.of());
  }

  private HloInstruction consumed(HloInstruction x, HloInstruction y) {
    return switch (choices.below(8)) {
      case 0, 1 -> sorted(x, y);
      case 2 -> selected(x);
      case 3, 4 -> reduced(x);
      case 5 -> windowed(x);
      case 6 -> scanned(x);
      default ->
          entry.add(
              new Reverse(Numbers.subset(choices, 2)), entry.add(new Transpose(Dims.of(1, 0)), x));
    };
  }

  /** Appends an op that may make NaNs of numbers, or keeps their bits. */
  private HloInstruction pointwise(Block block, HloInstruction x, HloInstruction y) {
    Shape.Array shape = StateMoves.shape(x);
    boolean alike = StateMoves.shape(y).equals(shape);
    HloInstruction other = alike && choices.chance(2) ? y : special(block, shape);
    return switch (choices.below(9)) {
      case 0 -> add(block, new Elementwise(Kind.MULTIPLY), x, other);
      case 1 -> add(block, new Elementwise(Kind.ADD), x, other);
      case 2 -> add(block, new Elementwise(Kind.SUBTRACT), other, x);
      case 3 -> add(block, new Elementwise(Kind.MAXIMUM), x, other);
      case 4 -> add(block, new Elementwise(Kind.NEGATE), x);
      case 5 -> add(block, new Elementwise(Kind.ABS), x);
      case 6 -> {
        HloInstruction wide = add(block, new Convert(ElementType.F64), x);
        yield add(block, new Convert(type), wide);
      }
      case 7 ->
          add(
              block,
              new Select(),
              add(block, new Compare(Compare.Direction.LE, Optional.empty()), x, other),
              x,
              other);
      default -> add(block, new Elementwise(Kind.MINIMUM), other, x);
    };
  }

  /** Returns a constant of a shape that makes NaNs: 0, an infinity, NaN; at times 1 or -1. */
  private HloInstruction special(Block block, Shape.Array shape) {
    List<Double> values = List.of(0.0, -0.0, 1.0, -1.0, Double.NaN, Double.POSITIVE_INFINITY);
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(type));
    scalar.setBits(0, type.encode(choices.oneOf(values)));
    return block.constant(scalar.build(), (Shape.Array) shape.withoutLayout());
  }

  private HloInstruction bits(Block block, HloInstruction x) {
    if (!StateMoves.shape(x).elementType().isFloating()) {
      return x;
    }
    return add(block, new BitcastConvert(integer()), x);
  }

  private ElementType integer() {
    return switch (type.bits()) {
      case 16 -> choices.chance(2) ? ElementType.S16 : ElementType.U16;
      case 32 -> choices.chance(2) ? ElementType.S32 : ElementType.U32;
      default -> choices.chance(2) ? ElementType.S64 : ElementType.U64;
    };
  }

  /** Returns whether one scalar comes before another by a total order of what is computed of it. */
  private HloInstruction before(Block block, HloInstruction x, HloInstruction y, boolean orEqual) {
    HloInstruction constant = special(block, Shape.of(type));
    Kind kind = choices.oneOf(List.of(Kind.MULTIPLY, Kind.ADD, Kind.SUBTRACT, Kind.MAXIMUM));
    HloInstruction left = add(block, new Elementwise(kind), x, constant);
    HloInstruction right = add(block, new Elementwise(kind), y, constant);
    Compare.Direction up = orEqual ? Compare.Direction.GE : Compare.Direction.LT;
    Compare.Direction down = orEqual ? Compare.Direction.LE : Compare.Direction.GT;
    Compare.Direction direction = choices.chance(2) ? up : down;
    if (choices.chance(2)) {
      return add(block, new Compare(direction, Optional.of(Compare.Type.TOTALORDER)), left, right);
    }
    ElementType integer = integer();
    return add(
        block,
        new Compare(direction, Optional.empty()),
        add(block, new BitcastConvert(integer), left),
        add(block, new BitcastConvert(integer), right));
  }

  private HloInstruction sorted(HloInstruction x, HloInstruction y) {
    boolean pair = choices.chance(2);
    Block block = scalars(pair ? 4 : 2);
    HloComputation comparator =
        block.close(before(block, block.instructions().get(0), block.instructions().get(1), false));
    HloInstruction sorted =
        entry.add(
            new Sort(choices.below(2), true),
            pair ? List.of(x, y) : List.of(x),
            List.of(comparator));
    return pair ? entry.add(new GetTupleElement(choices.below(2)), sorted) : sorted;
  }

  private HloInstruction selected(HloInstruction x) {
    Dims sizes = StateMoves.shape(x).sizes();
    Block select = scalars(2);
    HloComputation selector =
        select.close(
            before(select, select.instructions().get(0), select.instructions().get(1), true));
    Window window = Window.of(2, 2).withStrides(new long[] {2, 2});
    return entry.add(
        new SelectAndScatter(window),
        List.of(
            x,
            entry.parameter(choices.literal(Shape.of(type, window.outputSizes(sizes)))),
            special(entry, Shape.of(type))),
        List.of(selector, ReduceSteps.body(entry, Kind.MAXIMUM, type)));
  }

  /** Returns a reducer whose result depends on the order, and on the bits of what it computes. */
  private HloComputation reducer() {
    Block block = scalars(2);
    HloInstruction x = block.instructions().get(0);
    HloInstruction y = block.instructions().get(1);
    HloInstruction made = choices.chance(2) ? pointwise(block, y, y) : y;
    return switch (choices.below(4)) {
      case 0 -> ReduceSteps.body(entry, Kind.MAXIMUM, type);
      case 1 -> block.close(add(block, new Select(), before(block, x, y, false), x, made));
      case 2 -> block.close(add(block, new Select(), before(block, y, x, true), made, x));
      default ->
          block.close(
              add(
                  block,
                  new Select(),
                  add(block, new Compare(Compare.Direction.LE, Optional.empty()), y, x),
                  x,
                  made));
    };
  }

  private HloInstruction reduced(HloInstruction x) {
    Dims dimensions = choices.oneOf(List.of(Dims.of(0), Dims.of(1), Dims.of(0, 1), Dims.of(1, 0)));
    return entry.add(
        new Reduce(dimensions), List.of(x, special(entry, Shape.of(type))), List.of(reducer()));
  }

  private HloInstruction windowed(HloInstruction x) {
    return entry.add(
        new ReduceWindow(Window.of(1 + choices.below(2), 1 + choices.below(3))),
        List.of(x, special(entry, Shape.of(type))),
        List.of(reducer()));
  }

  /** Scans all elements as one row. */
  private HloInstruction scanned(HloInstruction x) {
    Block block = scalars(2);
    HloInstruction one = block.instructions().get(0);
    HloInstruction two = block.instructions().get(1);
    HloInstruction next = add(block, new Select(), before(block, one, two, false), one, two);
    HloComputation step = block.close(block.add(new Tuple(), List.of(next, next), List.of()));
    Shape.Array row = Shape.of(type, StateMoves.shape(x).elementCount());
    HloInstruction scanned =
        entry.add(
            new Scan(Dims.of(0), 1, choices.chance(2), false),
            List.of(add(entry, new Reshape(row), x), special(entry, Shape.of(type))),
            List.of(step));
    return add(entry, new GetTupleElement(0), scanned);
  }

  private Block scalars(int count) {
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      shapes.add(Shape.of(type));
    }
    return entry.inner(Numbers.CALLED, shapes, 1);
  }

  private static HloInstruction add(Block block, Op op, HloInstruction... operands) {
    return block.add(op, operands);
  }
}
