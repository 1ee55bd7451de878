package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.hlo4j.check.Environment;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * One instruction that is drawn: its attributes, operands and computations. Each word of a row of
 * {@code ops.table} adds to them; the first operand mostly says what the others may be.
 */
final class Drawing {
  final Block block;
  final Choices choices;
  final Attributes attributes;
  private final List<HloInstruction> operands = new ArrayList<>();
  private final List<HloComputation> called = new ArrayList<>();
  private String opcode;

  Drawing(Block block, String opcode) {
    this.block = block;
    this.choices = block.choices();
    this.opcode = opcode;
    this.attributes = new Attributes(this);
  }

  /** Appends a chain of ops, of which each takes the result of the one before. */
  static void take(Block block, List<String> chain, List<String> sources) {
    Drawing drawing = new Drawing(block, chain.get(0));
    sources.forEach(drawing::source);
    List<Shape> given = Sources.shapes(drawing.operands);
    HloInstruction last = drawing.add(List.copyOf(drawing.operands));
    for (String next : chain.subList(1, chain.size())) {
      if (block.choices().chance(3) && block.mayNest()) {
        OpRows.any(block);
      }
      drawing.opcode = next;
      drawing.called.clear();
      drawing.attributes.ofNext(given);
      last = drawing.add(List.of(last));
    }
  }

  /** Appends the op with operands. */
  HloInstruction add(List<HloInstruction> given) {
    operands.clear();
    operands.addAll(given);
    Optional<Elementwise> elementwise = OpSchema.elementwise(opcode);
    Op op = elementwise.isPresent() ? elementwise.get() : attributes.op();
    return block.add(op, given, List.copyOf(called));
  }

  String opcode() {
    return opcode;
  }

  List<HloInstruction> operands() {
    return operands;
  }

  /** Returns the shape of the first operand, an array. */
  Shape.Array shape() {
    return Sources.shape(operands.get(0));
  }

  ElementType type() {
    return shape().elementType();
  }

  /** Adds a value of a shape. */
  void add(Shape shape) {
    operands.add(Sources.value(block, shape));
  }

  /** Makes what a word of the table says. */
  private void source(String word) {
    List<String> parts = Splitter.onPattern("[:+]").splitToList(word);
    Predicate<ElementType> suits = parts.size() < 2 ? type -> true : types(parts.get(1));
    switch (parts.get(0)) {
      case "any" -> operands.add(Sources.array(block, suits, 0, 5));
      case "low" -> operands.add(Sources.array(block, suits, 0, 4));
      case "line" -> operands.add(Sources.array(block, suits, 1, 5));
      case "like" -> like(shape());
      case "scalar" -> add(Shape.of(type()));
      case "bound" -> like(choices.chance(2) ? Shape.of(type()) : shape());
      case "between" -> Collections.swap(operands, 0, 1);
      case "either" -> Collections.swap(operands, 0, choices.below(2));
      case "token" -> add(Shape.token());
      case "tokens" -> times(4, () -> add(Shape.token()));
      case "value" -> operands.add(Sources.any(block));
      case "values" -> operands.addAll(Sources.some(block));
      case "more" -> besides(type -> true);
      case "alike" -> besides(type -> type == type());
      case "effects" -> block.draft().requireEffects();
      case "nested" -> nested();
      case "tuple" -> tuple();
      case "again" -> again();
      case "branches" -> branches();
      case "observed" -> observed();
      case "initials" -> initials();
      case "scanned" -> scanned();
      default -> {
        if (word.startsWith("@")) {
          called.add(region(Place.valueOf(word.substring(1))));
        } else {
          new Shapes(this).source(word);
        }
      }
    }
    if (word.endsWith("+")) { // up to two more arrays of the same sizes
      times(3, () -> like(shape().withElementType(choices.chance(2) ? type() : choices.anyType())));
    }
  }

  private void times(int bound, Runnable work) {
    for (int i = choices.below(bound); i > 0; i--) {
      work.run();
    }
  }

  /** Adds a value of a shape, at times the first operand once more. */
  private void like(Shape.Array shape) {
    if (shape.equals(shape()) && choices.chance(6)) {
      operands.add(operands.get(0));
    } else {
      add(shape);
    }
  }

  private Predicate<ElementType> types(String name) {
    return switch (name) {
      case "float" -> ElementType::isFloating;
      case "real" -> type -> !type.isComplex();
      case "sized" -> type -> type.isFloating() && Shapes.unsigned(type).isPresent();
      case "own" -> OpSchema.elementwise(opcode).orElseThrow().kind()::accepts;
      case "fft" ->
          attributes.of("fft_type") == Fft.FftType.RFFT
              ? type -> type == ElementType.F32 || type == ElementType.F64
              : ElementType::isComplex;
      default -> type -> true;
    };
  }

  /** Adds up to two other arrays of the rank at least. */
  private void besides(Predicate<ElementType> types) {
    int rank = shape().rank();
    times(3, () -> operands.add(Sources.array(block, types, rank, Math.max(rank, 5))));
  }

  private void nested() {
    if (choices.chance(2)) {
      HloInstruction inner = block.tuple(Sources.some(block));
      operands.add(choices.below(operands.size() + 1), inner);
    }
  }

  private void tuple() {
    List<HloInstruction> tuples =
        Sources.values(
            block, shape -> shape instanceof Shape.Tuple tuple && !tuple.elements().isEmpty());
    operands.add(
        tuples.isEmpty() || choices.chance(3)
            ? block.tuple(List.of(Sources.any(block), Sources.any(block)))
            : choices.oneOf(tuples));
  }

  /** At times calls the same computation before, with other operands. */
  private void again() {
    if (choices.chance(3)) {
      List<Shape> shapes = Sources.shapes(operands);
      List<HloInstruction> others =
          shapes.stream().map(shape -> Sources.value(block, shape)).toList();
      block.add(new Call(), others, List.copyOf(called));
    }
  }

  /** By a pred, or by an index, which may be out of range. */
  private void branches() {
    boolean isByTruth = choices.chance(2);
    ElementType type = isByTruth ? ElementType.PRED : ElementType.S32;
    int count = isByTruth ? 2 : 1 + choices.below(5);
    attributes.give("index_type", type);
    operands.add(Sources.indices(block, Shape.of(type), count));
    for (int i = 0; i < count; i++) {
      HloInstruction operand =
          choices.chance(3) ? block.tuple(Sources.some(block)) : Sources.any(block);
      operands.add(operand);
      List<Shape> parameters = Sources.shapes(List.of(operand));
      called.add(
          called.isEmpty()
              ? Regions.free(block, Place.BRANCH, parameters)
              : Regions.of(block, Place.BRANCH, parameters, called.get(0).root().shape(), 1));
    }
  }

  /** A target that only says where a value is, or one that keeps what it is given. */
  private void observed() {
    boolean isMarked = choices.chance(4);
    if (isMarked) {
      operands.add(Sources.any(block));
    } else {
      block.draft().requireEffects();
      operands.addAll(Sources.some(block));
    }
    List<String> targets =
        isMarked
            ? List.of("Sharding", "annotate_device_placement", "MoveToHost")
            : Environment.TARGETS.asList();
    attributes.give("custom_call_target", choices.oneOf(targets));
    attributes.give("custom_call_has_side_effect", !isMarked);
    attributes.give(
        "shape",
        isMarked
            ? operands.get(0).shape().withoutLayout()
            : choices.chance(6)
                ? new Shape.Tuple(ImmutableList.of())
                : Sources.shape(block, choices.anyType(), choices.rank()));
  }

  // Computations that are applied to elements.

  private static ImmutableList<Shape> scalars(List<HloInstruction> arrays) {
    return arrays.stream().map(each -> Shape.of(Sources.type(each))).collect(toImmutableList());
  }

  private static Shape together(ImmutableList<Shape> shapes) {
    return shapes.size() == 1 ? shapes.get(0) : new Shape.Tuple(shapes);
  }

  /** Returns how often a computation in a place runs, at most. */
  private long runs(Place place) {
    return switch (place) {
      case WINDOW, SELECTOR -> {
        Window window = (Window) attributes.of("window");
        long times = window.outputSizes(shape().sizes()).product() * window.sizes().product();
        block.requireFew(times, 20_000);
        yield times;
      }
      case COMBINER, SCATTERER -> Sources.shape(operands.getLast()).elementCount();
      case COMPARATOR -> 4 * shape().elementCount();
      default -> shape().elementCount();
    };
  }

  private HloComputation region(Place place) {
    List<HloInstruction> arrays =
        switch (place) {
          case COMBINER -> operands.subList(0, operands.size() / 2);
          case SELECTOR, SCATTERER, DEVICES -> operands.subList(0, 1);
          default -> operands;
        };
    return switch (place) {
      case CALLED -> Regions.free(block, place, Sources.shapes(operands));
      case FUSED -> Regions.tight(block, Sources.shapes(operands));
      case ASYNCHRONOUS -> asynchronous();
      case MAPPED ->
          Regions.of(block, place, scalars(arrays), Shape.of(choices.anyType()), runs(place));
      case COMPARATOR -> Regions.comparator(block, scalars(arrays), runs(place));
      default -> {
        ImmutableList<Shape> results = scalars(arrays);
        List<Shape> both = Stream.concat(results.stream(), results.stream()).toList();
        Shape result = place == Place.SELECTOR ? Shape.of(ElementType.PRED) : together(results);
        yield Regions.of(block, place, both, result, runs(place));
      }
    };
  }

  private HloComputation asynchronous() {
    HloComputation body = Regions.alone(block, Sources.shapes(operands));
    attributes.give(
        "shape",
        new Shape.Tuple(
            ImmutableList.of(
                new Shape.Tuple(ImmutableList.copyOf(Sources.shapes(operands))),
                body.root().shape().withoutLayout(),
                Shape.of(ElementType.U32))));
    return body;
  }

  /** Adds initial values: any, or for other systems those that change nothing. */
  private void initials() {
    HloInstruction root = called.getLast().root();
    List<HloInstruction> results = root.op() instanceof Tuple ? root.operands() : List.of(root);
    for (HloInstruction each : results) {
      ElementType type = Sources.type(each);
      if (choices.restrictions().isPortable() && each.op() instanceof Elementwise combining) {
        operands.add(Regions.identity(block, combining.kind(), type));
      } else {
        add(Shape.of(type));
      }
    }
  }

  /** Inputs, outputs and carried values of any shapes. */
  private void scanned() {
    int dimension = choices.below(shape().rank());
    long steps = shape().size(dimension);
    Dims kept = Dims.range(0, shape().rank()).without(Dims.of(dimension));
    List<Shape> parameters =
        new ArrayList<>(operands.stream().map(each -> Sources.shape(each).select(kept)).toList());
    List<Shape> results = new ArrayList<>();
    long most = Math.max(1, Sources.most(block) / Math.max(1, steps));
    times(
        3,
        () ->
            results.add(
                choices.chance(2)
                    ? choices.oneOf(parameters)
                    : Shape.of(
                        choices.anyType(), choices.sizes(dimension + choices.below(2), most))));
    int inputs = operands.size();
    times(3, () -> operands.add(Sources.array(block, type -> true, 0, 5)));
    List<Shape> carries = Sources.shapes(operands.subList(inputs, operands.size()));
    parameters.addAll(carries);
    results.addAll(carries);
    attributes.give("dimensions", Dims.of(dimension));
    attributes.give("num_carries", carries.size());
    Shape result = new Shape.Tuple(ImmutableList.copyOf(results));
    called.add(Regions.of(block, Place.STEP, parameters, result, steps));
  }
}
