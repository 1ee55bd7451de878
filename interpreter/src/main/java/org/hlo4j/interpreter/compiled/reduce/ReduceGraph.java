package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.expr.Term;
import org.hlo4j.interpreter.compiled.index.AffineAlgebra;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.hlo4j.interpreter.compiled.index.IterationSpace;
import org.hlo4j.interpreter.compiled.index.NotAffineException;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.engine.Liveness;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;
import org.jspecify.annotations.Nullable;

/**
 * The graph of a computation with reduces. Its values are defined over two spaces: the positions
 * that are reduced, and those of the results. Movement ops are composed into the views of the
 * arrays that are read. A movement op without a view, such as a pad, is an array of its own, which
 * loops compute in parts while the kernel runs.
 */
final class ReduceGraph {
  /** The space over which a value is defined. */
  enum Space {
    /** The positions that are reduced. */
    FULL,
    /** The positions of the results. */
    KEPT
  }

  /**
   * The length of the longest table of numbers that an iota counts, a few megabytes. Loops compute
   * longer ones.
   */
  private static final long MAX_TABLE = 1 << 20;

  private final List<HloInstruction> inputs;
  private final List<Literal> tables = new ArrayList<>();
  private long bytesOfNumbers;
  private final Map<List<Object>, ReduceNode> nodes = new HashMap<>();
  private final Map<HloInstruction, Optional<Reduction>> reductions = new HashMap<>();
  private final Map<List<Object>, ReduceNode> results = new HashMap<>();
  private final Obstacle obstacle = new Obstacle();
  private final ImmutableMap<HloInstruction, ComputedArray> computed;
  private final Map<ReduceNode.Read, HloInstruction> moved = new LinkedHashMap<>();
  private final Set<HloInstruction> obstructed = new LinkedHashSet<>();

  /** The outermost movement op around the current node; null if nothing has moved. */
  private @Nullable HloInstruction outermost;

  private final Dims sizes;
  private final Reduce reduce;
  private final boolean joinsInner;
  private final ReductionSpace collapsed;
  private final MixedRadixView keptInFull;

  /**
   * Creates a graph over the positions that a reduce reduces.
   *
   * @param inputs instructions whose values are given
   * @param pattern one of the reduces; all others have to reduce the same dimensions
   * @param joinsInner whether the innermost dimension may be merged with its neighbour
   * @param computed movement ops whose elements loops compute
   */
  ReduceGraph(
      List<HloInstruction> inputs,
      HloInstruction pattern,
      boolean joinsInner,
      Map<HloInstruction, ComputedArray> computed) {
    this.inputs = inputs;
    this.computed = ImmutableMap.copyOf(computed);
    this.joinsInner = joinsInner;
    this.reduce = (Reduce) pattern.op();
    this.sizes = array(pattern.operands().get(0)).sizes();
    this.collapsed = ReductionSpace.of(sizes, reduce.dimensions(), joinsInner);
    Dims kept = reduce.kept(sizes.count());
    Dims dense = sizes.at(kept).rowMajorStrides();
    Dims strides = Dims.filled(sizes.count(), 0);
    for (int i = 0; i < kept.count(); i++) {
      strides = strides.with(kept.getInt(i), dense.get(i));
    }
    this.keptInFull = MixedRadixView.of(sizes, strides, 0);
  }

  private static ElementType type(HloInstruction instruction) {
    return array(instruction).elementType();
  }

  private static Shape.Array array(HloInstruction instruction) {
    return (Shape.Array) instruction.shape();
  }

  /** {@return whether an instruction is an array of real numbers} */
  static boolean isReal(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array && !array.elementType().isComplex();
  }

  /** {@return the reason why some value has no node} */
  Obstacle obstacle() {
    return obstacle;
  }

  /** Records why there is no node. */
  private ReduceNode decline(String reason) {
    obstacle.add(reason);
    if (outermost != null) {
      obstructed.add(outermost);
    }
    return new ReduceNode.Immediate(Literal.of(0f));
  }

  /**
   * {@return the outermost movement ops through which there is no view, or only one of a stride
   * that not all kernels have}
   */
  Set<HloInstruction> obstructed() {
    Set<HloInstruction> found = new LinkedHashSet<>(obstructed);
    if (!obstacle.isMet()) {
      moved.forEach((read, instruction) -> {
        if (read.view.strideWithin(collapsed.inner()).filter(stride -> stride <= 1).isEmpty()) {
          found.add(instruction);
        }
      });
    }
    return found;
  }

  /** {@return the arrays that loops compute, which a read has as number -1, -2 and so on} */
  ImmutableList<ComputedArray> computed() {
    return computed.values().asList();
  }

  int operandCount() {
    return inputs.size();
  }

  ReductionSpace collapsed() {
    return collapsed;
  }

  /** {@return the bytes of the tables of numbers, which are in no constant of the module} */
  long bytesOfNumbers() {
    return bytesOfNumbers;
  }

  /** {@return arrays that are read in addition to the operands} */
  List<Literal> tables() {
    return tables;
  }

  /** {@return whether a result has an element for each position that is reduced} */
  boolean isFull(HloInstruction result) {
    return array(result).elementCount() == sizes.product() && collapsed.depth() != 1;
  }

  /**
   * {@return the node of a result, which has as many elements as are reduced, or as there are
   * results of reductions}
   */
  ReduceNode result(HloInstruction instruction) {
    if (!isReal(instruction)) {
      return notReal(instruction);
    }
    long count = array(instruction).elementCount();
    if (isFull(instruction)) {
      return node(instruction, Space.FULL, MixedRadixView.identity((int) count));
    } else if (count == collapsed.results()) {
      return node(instruction, Space.KEPT, MixedRadixView.identity((int) count));
    }
    return decline("a result of another size: " + instruction.shape());
  }

  private ReduceNode node(HloInstruction instruction, Space space, MixedRadixView view) {
    List<Object> key = List.of(instruction, space, view);
    ReduceNode known = nodes.get(key);
    if (known == null) {
      known = make(instruction, space, view);
      nodes.put(key, known);
    }
    return known;
  }

  private ReduceNode make(HloInstruction instruction, Space space, MixedRadixView view) {
    if (!isReal(instruction)) {
      return notReal(instruction);
    } else if (array(instruction).elementCount() > Integer.MAX_VALUE) {
      return decline("more elements than a Java array holds");
    }
    int input = inputs.indexOf(instruction);
    if (input >= 0) {
      ReduceNode.Read read = new ReduceNode.Read(input, type(instruction), view);
      if (outermost != null) {
        moved.put(read, outermost);
      }
      return read;
    }
    boolean isAtPosition =
        space == Space.FULL && view.equals(MixedRadixView.identity((int) sizes.product()));
    if (isAtPosition && computed.containsKey(instruction)) {
      int number = computed.keySet().asList().indexOf(instruction);
      return new ReduceNode.Read(-1 - number, type(instruction), view);
    }
    HloInstruction around = outermost;
    if (isAtPosition && outermost == null && isArrayOfItsOwn(instruction)) {
      outermost = instruction;
    }
    ReduceNode made = lower(instruction, space, view);
    outermost = around;
    return made;
  }

  /** {@return whether loops can compute an instruction, if there is no view through it} */
  private static boolean isArrayOfItsOwn(HloInstruction instruction) {
    return instruction.op() instanceof Movement
        || !instruction.operands().stream().allMatch(ReduceGraph::isReal);
  }

  private ReduceNode lower(HloInstruction instruction, Space space, MixedRadixView view) {
    return switch (instruction.op()) {
      case Constant constant -> constant(constant.literal(), view);
      case Copy _ -> node(operand(instruction), space, view);
      case Movement movement when OpTraits.of(movement).has(Trait.KEEPS_ORDER) ->
          reshaped(instruction, space, view);
      case Movement movement -> move(instruction, movement, space, view);
      case Reduce reduction -> reductionResult(instruction, 0, space, view);
      case GetTupleElement element when operand(instruction).op() instanceof Reduce ->
          reductionResult(operand(instruction), element.index(), space, view);
      default -> apply(instruction, space, view);
    };
  }

  private ReduceNode notReal(HloInstruction instruction) {
    return decline("no array of real numbers: " + instruction.shape().withoutLayout());
  }

  private static HloInstruction operand(HloInstruction instruction) {
    return instruction.operands().get(0);
  }

  private ReduceNode constant(Literal literal, MixedRadixView view) {
    return literal.elementCount() == 1 ? new ReduceNode.Immediate(literal) : table(literal, view);
  }

  /** {@return the numbers from 0, wrapped or rounded to the type as in the reference} */
  private static Literal iota(Shape.Array shape) {
    LiteralBuilder numbers = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      if (shape.elementType().isFloating()) {
        numbers.setDouble(i, i);
      } else {
        numbers.setLong(i, i);
      }
    }
    return numbers.build();
  }

  private ReduceNode table(Literal literal, MixedRadixView view) {
    int number = 0;
    while (number < tables.size() && !Storages.sameBits(literal, tables.get(number))) {
      number++;
    }
    if (number == tables.size()) {
      tables.add(literal);
    }
    return new ReduceNode.Read(inputs.size() + number, literal.elementType(), view);
  }

  private ReduceNode reshaped(HloInstruction instruction, Space space, MixedRadixView view) {
    if (!isReal(operand(instruction)) || type(instruction) != type(operand(instruction))) {
      return decline("a bitcast to another type");
    }
    return node(operand(instruction), space, view);
  }

  /**
   * {@return the operand of a movement op, at the positions whose elements the op moves, or a read
   * from a table of the numbers that an iota counts}
   */
  private ReduceNode move(
      HloInstruction instruction, Movement op, Space space, MixedRadixView view) {
    List<Shape.Array> operands = instruction.operands().stream().map(ReduceGraph::array).toList();
    Shape.Array shape = array(instruction);
    AffineAlgebra<Void> x = new AffineAlgebra<>(IterationSpace.of(shape.sizes()));
    List<AffineIndex> counters =
        IntStream.range(0, shape.rank()).mapToObj(AffineIndex::counter).toList();
    try {
      return switch (op.source(x, operands, shape, counters)) {
        case Movement.Source.Counted<AffineIndex>(AffineIndex value) -> {
          long count = shape.size(value.counters() - 1);
          if (count > MAX_TABLE) {
            yield decline("an iota of more than " + MAX_TABLE + " numbers");
          }
          Literal numbers = iota(Shape.of(shape.elementType(), count));
          bytesOfNumbers += Liveness.bytes(numbers.arrayShape());
          yield compose(shape, view, value, seen -> table(numbers, seen));
        }
        case Movement.Source.Element<AffineIndex>(int operand, List<AffineIndex> index) -> {
          AffineIndex position = x.position(index, operands.get(operand).sizes());
          HloInstruction from = instruction.operands().get(operand);
          yield compose(shape, view, position, seen -> node(from, space, seen));
        }
      };
    } catch (NotAffineException notAffine) {
      return decline("no view through " + op.opcode());
    }
  }

  private ReduceNode compose(
      Shape.Array shape,
      MixedRadixView view,
      AffineIndex position,
      Function<MixedRadixView, ReduceNode> node) {
    Dims strides =
        Dims.copyOf(IntStream.range(0, shape.rank()).mapToObj(position::coefficient).toList());
    if (strides.stream().anyMatch(stride -> stride < 0)) {
      return decline("a view backwards");
    }
    return view.compose(shape.sizes(), strides, (int) position.base())
        .map(node)
        .orElseGet(() -> decline("a view that straddles dimensions"));
  }

  private ReduceNode reductionResult(
      HloInstruction instruction, int output, Space space, MixedRadixView view) {
    if (space == Space.FULL) {
      return broadcast(view, () -> reductionResult(instruction, output, Space.KEPT, identity()));
    } else if (!view.equals(identity())) {
      return decline("results of a reduction that move");
    }
    return reduction(instruction)
        .map(reduction ->
            results.computeIfAbsent(
                List.<Object>of(instruction, output),
                key -> new ReduceNode.Reduced(reduction, output)))
        .orElseGet(() -> decline(obstacle.reason()));
  }

  private MixedRadixView identity() {
    return MixedRadixView.identity(collapsed.results());
  }

  private ReduceNode broadcast(MixedRadixView view, Supplier<ReduceNode> kept) {
    if (!view.equals(keptInFull)) {
      return decline("results of a reduction that are broadcast elsewhere");
    }
    return new ReduceNode.BroadcastBack(kept.get());
  }

  private Optional<Reduction> reduction(HloInstruction instruction) {
    Optional<Reduction> known = reductions.get(instruction);
    if (known == null) {
      HloInstruction around = outermost;
      outermost = null;
      known = newReduction(instruction);
      outermost = around;
      reductions.put(instruction, known);
    }
    return known;
  }

  /**
   * {@return the reduction of an instruction; empty, after an obstacle has been recorded, if it is
   * not supported or reduces other dimensions}
   */
  private Optional<Reduction> newReduction(HloInstruction instruction) {
    Reduce op = (Reduce) instruction.op();
    if (!instruction.operands().stream().allMatch(ReduceGraph::isReal)) {
      obstacle.add("operands that are no arrays of real numbers");
      return Optional.empty();
    }
    Dims reduced = array(operand(instruction)).sizes();
    if (!ReductionSpace.of(reduced, op.dimensions(), joinsInner).isLike(collapsed)) {
      obstacle.add("reductions along other dimensions: " + instruction.name());
      return Optional.empty();
    }
    Optional<Reducer> body = Reducer.of(instruction.called().get(0));
    if (body.isEmpty()) {
      obstacle.add(Reducer.noCode(instruction.called().get(0)));
      return Optional.empty();
    }
    int count = instruction.operands().size() / 2;
    ImmutableList.Builder<ReduceNode> values = ImmutableList.builder();
    ImmutableList.Builder<ReduceNode> initials = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      values.add(
          node(
              instruction.operands().get(i),
              Space.FULL,
              MixedRadixView.identity((int) reduced.product())));
      initials.add(initial(instruction.operands().get(count + i)));
    }
    return Optional.of(new Reduction(values.build(), initials.build(), body.get()));
  }

  private ReduceNode initial(HloInstruction instruction) {
    ReduceNode node = node(instruction, Space.KEPT, MixedRadixView.identity(1));
    if (node instanceof ReduceNode.Immediate || node instanceof ReduceNode.Read) {
      return node;
    }
    return decline("an initial value that is computed: " + instruction.name());
  }

  private ReduceNode apply(HloInstruction instruction, Space space, MixedRadixView view) {
    List<HloInstruction> in = instruction.operands();
    if (!in.stream().allMatch(ReduceGraph::isReal)) {
      return decline("operands that are no arrays of real numbers");
    }
    if (in.isEmpty()
        || !Term.Applied.of(instruction.op(), type(instruction), in, ReduceGraph::type)
            .traits()
            .isSupported()) {
      return decline("no code for " + instruction.op().opcode());
    }
    if (space == Space.FULL
        && view.equals(keptInFull)
        && !view.equals(MixedRadixView.identity((int) sizes.product()))) {
      long count = array(instruction).elementCount();
      MixedRadixView kept =
          count == collapsed.results() ? identity() : MixedRadixView.identity((int) count);
      return new ReduceNode.BroadcastBack(node(instruction, Space.KEPT, kept));
    }
    ImmutableList.Builder<ReduceNode> operands = ImmutableList.builder();
    for (HloInstruction operand : in) {
      boolean scalar = array(operand).isScalar() && !array(instruction).isScalar();
      operands.add(node(operand, space, scalar ? MixedRadixView.identity(1) : view));
    }
    return new ReduceNode.Apply(instruction.op(), type(instruction), operands.build());
  }
}
