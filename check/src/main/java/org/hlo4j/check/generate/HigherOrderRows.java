package org.hlo4j.check.generate;

import static org.hlo4j.check.generate.Sources.shape;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.Window;

/** The rows of ops that apply computations to elements. */
final class HigherOrderRows {
  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put("map", HigherOrderRows::map)
          .put("reduce", HigherOrderRows::reduce)
          .put("reduce-window", HigherOrderRows::reduceWindow)
          .put("scan", HigherOrderRows::scan)
          .put("scatter", IndexRows::scatter)
          .put("select-and-scatter", HigherOrderRows::selectAndScatter)
          .put("sort", HigherOrderRows::sort)
          .buildOrThrow();

  private HigherOrderRows() {}

  /** Returns an array and up to two more of its sizes, of any types, at times the same. */
  static List<HloInstruction> together(Block block, HloInstruction first) {
    Choices choices = block.choices();
    List<HloInstruction> all = new ArrayList<>(List.of(first));
    while (all.size() < 3 && choices.chance(3)) {
      ElementType type = choices.chance(2) ? shape(first).elementType() : choices.anyType();
      all.add(choices.chance(6) ? first : Sources.value(block, shape(first).withElementType(type)));
    }
    return all;
  }

  static List<ElementType> types(List<HloInstruction> arrays) {
    return arrays.stream().map(each -> shape(each).elementType()).toList();
  }

  private static List<Shape> scalars(List<ElementType> types) {
    return types.stream().map(type -> (Shape) Shape.of(type)).toList();
  }

  /** The functions that reductions combine by, some more often. */
  static final ImmutableList<Kind> REDUCTIONS =
      ImmutableList.of(
          Kind.ADD,
          Kind.ADD,
          Kind.MAXIMUM,
          Kind.MINIMUM,
          Kind.MULTIPLY,
          Kind.AND,
          Kind.OR,
          Kind.XOR);

  static Kind combining(Choices choices, ElementType type) {
    return choices.oneOf(REDUCTIONS.stream().filter(kind -> kind.accepts(type)).toList());
  }

  /** Returns a reducer of two scalars, with the operands in either order. */
  static HloComputation body(Block block, Kind kind, ElementType type) {
    Block body = block.inner(List.of(Shape.of(type), Shape.of(type)));
    int first = block.choices().chance(4) ? 1 : 0;
    return body.close(
        body.add(new Elementwise(kind), body.instruction(first), body.instruction(1 - first)));
  }

  /** Returns the identity of a function, a scalar. */
  static HloInstruction identity(Block block, Kind kind, ElementType type) {
    return block.scalar(kind.identity(type).orElseThrow(() -> new HloException("", "no identity")));
  }

  /** Returns a computation of accumulators and elements that gives accumulators. */
  static HloComputation reducer(Block block, Place place, List<ElementType> types, long times) {
    List<Shape> both = new ArrayList<>(scalars(types));
    both.addAll(scalars(types));
    Shape result =
        types.size() == 1 ? both.get(0) : new Shape.Tuple(ImmutableList.copyOf(scalars(types)));
    return Regions.of(block, place, both, result, times);
  }

  /** Returns initial values: any, or for other systems those that change nothing. */
  private static List<HloInstruction> initials(
      Block block, List<ElementType> types, HloComputation reducer) {
    List<HloInstruction> initials = new ArrayList<>();
    HloInstruction root = reducer.root();
    for (int i = 0; i < types.size(); i++) {
      HloInstruction part = root.op() instanceof Tuple ? root.operands().get(i) : root;
      initials.add(
          block.choices().restrictions().isPortable() && part.op() instanceof Elementwise combining
              ? identity(block, combining.kind(), types.get(i))
              : Sources.scalar(block, types.get(i)));
    }
    return initials;
  }

  private static void map(Block block, Choices choices) {
    HloInstruction first = Sources.array(block);
    List<HloInstruction> operands = together(block, first);
    Shape result = Shape.of(choices.anyType());
    HloComputation body =
        Regions.of(
            block, Place.MAPPED, scalars(types(operands)), result, shape(first).elementCount());
    Row.add(block, "map", ImmutableMap.of(), operands, body);
  }

  private static void reduce(Block block, Choices choices) {
    HloInstruction first = Sources.array(block);
    List<HloInstruction> operands = together(block, first);
    List<ElementType> types = types(operands);
    HloComputation reducer = reducer(block, Place.REDUCER, types, shape(first).elementCount());
    operands.addAll(initials(block, types, reducer));
    Row.add(block, "reduce", ImmutableMap.of(), operands, reducer);
  }

  /** Returns a window over an array: sizes, strides, padding of either sign, dilations. */
  static Window window(Choices choices, Dims base, boolean mayDilate) {
    int rank = base.count();
    long[][] all = new long[6][rank];
    boolean[] reversal = new boolean[rank];
    for (int i = 0; i < rank; i++) {
      boolean isPlain = choices.chance(3);
      long widest = Math.min(Math.max(1, base.get(i)), choices.chance(4) ? 40 : 4);
      all[0][i] = isPlain ? 1 : choices.between(1, widest);
      all[1][i] = isPlain || choices.chance(2) ? 1 : choices.between(1, 4);
      all[2][i] = isPlain || choices.chance(2) ? 0 : choices.between(-2, 3);
      all[3][i] = isPlain || choices.chance(2) ? 0 : choices.between(-2, 3);
      all[4][i] = isPlain || !mayDilate || choices.chance(2) ? 1 : choices.between(1, 3);
      all[5][i] = isPlain || !mayDilate || choices.chance(2) ? 1 : choices.between(1, 3);
      reversal[i] = choices.chance(6);
    }
    return Window.of(all[0])
        .withStrides(all[1])
        .withPadding(Dims.of(all[2]), Dims.of(all[3]))
        .withBaseDilation(all[4])
        .withWindowDilation(all[5])
        .withReversal(reversal);
  }

  private static void reduceWindow(Block block, Choices choices) {
    HloInstruction first = Sources.array(block);
    Window window = window(choices, shape(first).sizes(), true);
    long count = window.outputSizes(shape(first).sizes()).product();
    long times = count * window.sizes().product();
    HloException.require(times * block.times() <= 20_000, "", "too many windows");
    List<HloInstruction> operands = together(block, first);
    List<ElementType> types = types(operands);
    HloComputation reducer = reducer(block, Place.WINDOW, types, times);
    operands.addAll(initials(block, types, reducer));
    block.add(new ReduceWindow(window), operands, List.of(reducer));
  }

  private static void selectAndScatter(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block);
    ElementType type = shape(operand).elementType();
    Window window = window(choices, shape(operand).sizes(), choices.chance(4));
    Dims places = window.outputSizes(shape(operand).sizes());
    long times = places.product() * window.sizes().product();
    HloException.require(times * block.times() <= 20_000, "", "too many windows");
    List<Shape> pair = List.of(Shape.of(type), Shape.of(type));
    Shape pred = Shape.of(ElementType.PRED);
    HloComputation selector = Regions.of(block, Place.SELECTOR, pair, pred, times);
    HloComputation adder =
        Regions.of(block, Place.SCATTERER, pair, Shape.of(type), places.product());
    List<HloInstruction> operands =
        new ArrayList<>(List.of(operand, Sources.value(block, Shape.of(type, places))));
    operands.addAll(initials(block, List.of(type), adder));
    block.add(new SelectAndScatter(window), operands, List.of(selector, adder));
  }

  private static void sort(Block block, Choices choices) {
    HloInstruction first = Sources.line(block);
    List<HloInstruction> operands = together(block, first);
    long times = 4 * shape(first).elementCount();
    HloComputation comparator = Regions.comparator(block, types(operands), times);
    Row.add(block, "sort", ImmutableMap.of(), operands, comparator);
  }

  /** Inputs, outputs and carried values of any shapes. */
  private static void scan(Block block, Choices choices) {
    HloInstruction first = Sources.line(block);
    int dimension = choices.below(shape(first).rank());
    long steps = shape(first).size(dimension);
    Dims kept = Dims.range(0, shape(first).rank()).without(Dims.of(dimension));
    List<HloInstruction> operands = together(block, first);
    List<Shape> parameters = new ArrayList<>();
    operands.forEach(each -> parameters.add(shape(each).select(kept)));
    List<Shape> results = new ArrayList<>();
    for (int i = choices.below(3); i > 0; i--) {
      results.add(
          choices.chance(2)
              ? choices.oneOf(parameters)
              : small(block, dimension + choices.below(2), steps));
    }
    int carries = choices.below(3);
    for (int i = 0; i < carries; i++) {
      HloInstruction carry = Sources.array(block);
      operands.add(carry);
      parameters.add(carry.shape().withoutLayout());
      results.add(carry.shape().withoutLayout());
    }
    Shape result = new Shape.Tuple(ImmutableList.copyOf(results));
    block.add(
        new Scan(Dims.of(dimension), carries, choices.chance(2), false),
        operands,
        List.of(Regions.of(block, Place.STEP, parameters, result, steps)));
  }

  private static Shape small(Block block, int rank, long times) {
    Dims sizes = block.choices().sizes(rank, Math.max(1, Sources.most(block) / Math.max(1, times)));
    return Shape.of(block.choices().anyType(), sizes);
  }
}
