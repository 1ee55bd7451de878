package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.hlo4j.interpreter.compiled.index.IterationSpace;
import org.hlo4j.interpreter.compiled.index.NotAffineException;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.compiled.loops.IndexLowering;
import org.hlo4j.interpreter.compiled.loops.Inputs;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;
import org.hlo4j.interpreter.engine.Liveness;
import org.jspecify.annotations.Nullable;

/**
 * The lowering of a computation with reduces to a {@link RowProgram}, over the elements that one of
 * them reduces. All reduce the same dimensions, and their results are read at their own rows. A
 * movement op that is no affine index, such as a pad, becomes an array of its own, which loops
 * compute in parts while the kernel runs.
 */
final class RowLowering extends IndexLowering {
  /**
   * The length of the longest table of numbers that an iota counts, a few megabytes. Loops compute
   * longer ones.
   */
  private static final long MAX_TABLE = 1 << 20;

  /**
   * What is lowered.
   *
   * @param inputs the arrays that are read
   * @param pattern the reduce whose dimensions are reduced
   * @param results the instructions whose values are stored
   * @param isTuple whether these are elements of a tuple
   * @param computing gives loops that compute an array in parts, if there are any
   */
  record Source(
      Inputs inputs,
      HloInstruction pattern,
      List<HloInstruction> results,
      boolean isTuple,
      Function<HloInstruction, Optional<ComputedArray>> computing) {}

  private final Source source;
  private final Set<HloInstruction> isComputed;
  private final IterationSpace domain;
  private final ReductionSpace space;

  /** The position of a row among all rows. */
  private final AffineIndex row;

  private final Map<HloInstruction, Reduction> reductions = new HashMap<>();
  private final Set<LoopNode> rowValues = new LinkedHashSet<>();
  private final Map<LoopNode.Read, HloInstruction> moved = new LinkedHashMap<>();
  private final List<Literal> tables;
  private long bytesOfNumbers;
  private final List<ComputedArray> computed = new ArrayList<>();
  private final Map<LoopNode, HloInstruction> inputs = new HashMap<>();

  /** The outermost movement op around the current node; null if nothing has moved. */
  private @Nullable HloInstruction outermost;

  private RowLowering(Source source, Set<HloInstruction> isComputed, IterationSpace domain) {
    super(source.inputs, domain);
    this.source = source;
    this.isComputed = isComputed;
    this.domain = domain;
    this.tables = new ArrayList<>(source.inputs.constants());
    Dims sizes = sizes(source.pattern.operands().get(0));
    Reduce reduce = (Reduce) source.pattern.op();
    Dims strides = sizes.rowMajorStrides();
    Dims kept = reduce.kept(sizes.count());
    Dims keptStrides = sizes.at(kept).rowMajorStrides();
    List<Integer> reduced = new ArrayList<>();
    AffineIndex ofRow = AffineIndex.constant(0);
    for (int loop = 0; loop < domain.loops(); loop++) {
      long stride = domain.position().coefficient(loop);
      int dimension =
          IntStream.range(0, sizes.count())
              .filter(d -> sizes.get(d) > 1 && stride >= strides.get(d))
              .findFirst()
              .orElseThrow();
      int number = kept.indexOf(dimension);
      if (number < 0) {
        reduced.add(loop);
      } else {
        ofRow = ofRow.with(loop, stride / strides.get(dimension) * keptStrides.get(number));
      }
    }
    this.row = ofRow;
    this.space =
        ReductionSpace.of(Dims.of(domain.counts().toArray()), Dims.copyOf(reduced), domain.loops());
  }

  /**
   * {@return the program of a computation}
   *
   * @param isComputed movement ops whose elements loops compute
   * @throws NoCodeException if it cannot be one
   */
  static RowProgram lower(Source source, Set<HloInstruction> isComputed) {
    Shape.Array shape = array(source.pattern.operands().get(0));
    if (shape.elementCount() > Integer.MAX_VALUE || !source.inputs.canBeHeld()) {
      throw new NoCodeException("more elements than a Java array holds");
    }
    return IterationSpace.of(shape.sizes())
        .parts(1, domain -> new RowLowering(source, isComputed, domain).program())
        .map(programs -> programs.get(0))
        .orElseThrow(() -> new NoCodeException("elements that take several loops to compute"));
  }

  private static Shape.Array array(HloInstruction instruction) {
    return (Shape.Array) instruction.shape();
  }

  /** {@return whether an instruction is an array of real numbers} */
  static boolean isReal(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array && !array.elementType().isComplex();
  }

  private RowProgram program() {
    ImmutableList<LoopNode> roots =
        source.results.stream().map(this::root).collect(ImmutableList.toImmutableList());
    return new RowProgram(
        domain,
        space,
        roots,
        source.results.stream().map(this::isFull).collect(ImmutableList.toImmutableList()),
        ImmutableSet.copyOf(rowValues),
        ImmutableMap.copyOf(moved),
        input -> source.computing.apply(requireNonNull(inputs.get(input))),
        new ReduceArrays(
            ImmutableList.copyOf(tables),
            bytesOfNumbers,
            ImmutableList.copyOf(computed),
            source.results.stream()
                .map(result -> array(result).withLayout(null))
                .collect(ImmutableList.toImmutableList()),
            source.isTuple));
  }

  private boolean isFull(HloInstruction result) {
    return array(result).elementCount() == domain.elements() && space.depth() != 1;
  }

  private static void requireReal(HloInstruction instruction) {
    if (!isReal(instruction)) {
      throw new NoCodeException("no array of real numbers: " + instruction.shape().withoutLayout());
    }
  }

  /**
   * {@return the node of a result, which has as many elements as are reduced, or as there are
   * results of reductions}
   */
  private LoopNode root(HloInstruction result) {
    requireReal(result.op() instanceof Reduce ? result.operands().get(0) : result);
    if (isFull(result)) {
      return at(result, domain.position(), 0);
    } else if (array(result).elementCount() == space.results()) {
      return at(result, row, 0);
    }
    throw new NoCodeException("a result of another size: " + result.shape());
  }

  @Override
  protected LoopNode lower(HloInstruction instruction, AffineIndex position, int part) {
    if (instruction.op() instanceof Reduce) {
      return reduced(instruction, 0, position);
    } else if (instruction.op() instanceof GetTupleElement element
        && instruction.operands().get(0).op() instanceof Reduce) {
      return reduced(instruction.operands().get(0), element.index(), position);
    }
    boolean isBoundary =
        outermost == null && position.equals(domain.position()) && isArrayOfItsOwn(instruction);
    if (isBoundary && mustBeComputed(instruction)) {
      Optional<LoopNode> read = computed(instruction);
      if (read.isPresent()) {
        return read.get();
      }
    }
    outermost = isBoundary ? instruction : outermost;
    try {
      return lowerHere(instruction, position, part);
    } catch (NotAffineException notAffine) {
      if (notAffine.parts().size() == 1 || (outermost != null && !isBoundary)) {
        throw notAffine;
      }
      return (isBoundary ? computed(instruction) : Optional.<LoopNode>empty())
          .orElseThrow(() -> new NoCodeException("no code for " + instruction.op().opcode()));
    } finally {
      outermost = isBoundary ? null : outermost;
    }
  }

  private LoopNode lowerHere(HloInstruction instruction, AffineIndex position, int part) {
    if (!isReal(instruction)
        || (instruction.op() instanceof Movement
            && instruction.operands().stream().anyMatch(operand -> !isReal(operand)))) {
      throw NotAffineException.impossible();
    }
    LoopNode made = super.lower(instruction, position, part);
    if (made instanceof LoopNode.Read read) {
      if (read.position().counters() > domain.loops()
          || read.position().coefficients().stream().anyMatch(stride -> stride < 0)) {
        throw NotAffineException.impossible();
      } else if (outermost != null) {
        moved.putIfAbsent(read, outermost);
      }
    } else if (made instanceof LoopNode.Apply
        && position.equals(row)
        && !row.equals(domain.position())
        && !(instruction.op() instanceof Movement || instruction.op() instanceof Copy)) {
      rowValues.add(made);
    }
    return made;
  }

  /** {@return whether loops can compute an instruction, if its elements have no affine index} */
  private boolean isArrayOfItsOwn(HloInstruction instruction) {
    return source.inputs.number(instruction) < 0
        && (instruction.op() instanceof Movement
            || !instruction.operands().stream().allMatch(RowLowering::isReal));
  }

  private boolean mustBeComputed(HloInstruction instruction) {
    return isComputed.contains(instruction)
        || !instruction.operands().stream().allMatch(RowLowering::isReal);
  }

  private Optional<LoopNode> computed(HloInstruction instruction) {
    return source
        .computing
        .apply(instruction)
        .map(array -> {
          if (!computed.contains(array)) {
            computed.add(array);
          }
          return new LoopNode.Read(-1 - computed.indexOf(array), array.type(), domain.position());
        });
  }

  /** {@return a read from a table of the numbers, wrapped or rounded to the type} */
  @Override
  protected LoopNode counted(ElementType type, AffineIndex value) {
    long count = positions().maximum(value) + 1;
    if (count > MAX_TABLE) {
      throw NotAffineException.impossible();
    }
    Literal numbers = numbers(Shape.of(type, count));
    int number = 0;
    while (number < tables.size() && !Storages.sameBits(numbers, tables.get(number))) {
      number++;
    }
    if (number == tables.size()) {
      tables.add(numbers);
      bytesOfNumbers += Liveness.bytes(numbers.arrayShape());
    }
    return new LoopNode.Read(source.inputs.operands() + number, type, value);
  }

  private static Literal numbers(Shape.Array shape) {
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

  private LoopNode reduced(HloInstruction reduce, int output, AffineIndex position) {
    if (!position.equals(row)) {
      throw new NoCodeException("results of a reduction that are read elsewhere");
    }
    Reduction known = reductions.get(reduce);
    if (known == null) {
      HloInstruction around = outermost;
      outermost = null;
      known = reduction(reduce);
      outermost = around;
      reductions.put(reduce, known);
    }
    return new LoopNode.Reduced(known, output);
  }

  private Reduction reduction(HloInstruction reduce) {
    List<HloInstruction> operands = reduce.operands();
    operands.forEach(RowLowering::requireReal);
    Dims sizes = sizes(operands.get(0));
    if (!ReductionSpace.of(sizes, ((Reduce) reduce.op()).dimensions(), sizes.count())
        .isLike(space)) {
      throw new NoCodeException("reductions along other dimensions: " + reduce.name());
    }
    Reducer body =
        Reducer.of(reduce.called().get(0))
            .orElseThrow(() -> new NoCodeException(Reducer.noCode(reduce.called().get(0))));
    int count = operands.size() / 2;
    ImmutableList<LoopNode> inputs =
        operands.subList(0, count).stream()
            .map(this::input)
            .collect(ImmutableList.toImmutableList());
    ImmutableList<LoopNode> initials =
        operands.subList(count, 2 * count).stream()
            .map(this::initial)
            .collect(ImmutableList.toImmutableList());
    return new Reduction(inputs, initials, body);
  }

  private LoopNode input(HloInstruction instruction) {
    LoopNode node = at(instruction, domain.position(), 0);
    inputs.putIfAbsent(node, instruction);
    return node;
  }

  private LoopNode initial(HloInstruction instruction) {
    LoopNode node = at(instruction, AffineIndex.constant(0), 0);
    if (node instanceof LoopNode.Immediate || node instanceof LoopNode.Read) {
      return node;
    }
    throw new NoCodeException("an initial value that is computed: " + instruction.name());
  }
}
