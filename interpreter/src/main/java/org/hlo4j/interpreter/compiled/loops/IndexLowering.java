package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.interpreter.compiled.index.AffineAlgebra;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.hlo4j.interpreter.compiled.index.IterationSpace;
import org.hlo4j.interpreter.compiled.index.NotAffineException;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;
import org.jspecify.annotations.Nullable;

/**
 * The lowering of instructions to one graph of {@link LoopNode}s: how an element of a result is
 * computed from elements of the inputs. Movement ops become arithmetic on the positions in their
 * operands. A reshape keeps them.
 */
public class IndexLowering {
  private static final int MAX_NODES = 1_500;

  /** One component of an element of an instruction: 0, or 1 for the imaginary part. */
  private record Element(HloInstruction instruction, AffineIndex position, int part) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Element that
          && instruction == that.instruction
          && part == that.part
          && position.equals(that.position);
    }

    @Override
    public int hashCode() {
      return 31 * System.identityHashCode(instruction) + position.hashCode();
    }
  }

  private final Inputs inputs;
  private final AffineAlgebra<LoopNode> positions;
  private final Map<Element, LoopNode> known = new HashMap<>();
  private final Map<LoopNode, LoopNode> nodes = new HashMap<>();

  public IndexLowering(Inputs inputs, IterationSpace domain) {
    this.inputs = inputs;
    this.positions = new AffineAlgebra<>(domain);
  }

  public final AffineAlgebra<LoopNode> positions() {
    return positions;
  }

  /** Returns a component of the element of an instruction at a row-major position. */
  public final LoopNode at(HloInstruction instruction, AffineIndex position, int part) {
    Element element = new Element(instruction, position, part);
    LoopNode found = known.get(element);
    if (found != null) {
      return found;
    }
    if (nodes.size() > MAX_NODES) {
      throw NotAffineException.impossible();
    }
    LoopNode made = unique(lower(instruction, position, part));
    known.put(element, made);
    return made;
  }

  private LoopNode unique(LoopNode node) {
    LoopNode same = nodes.putIfAbsent(node, node);
    return same == null ? node : same;
  }

  /** Returns the node of an element that is asked for the first time. */
  protected LoopNode lower(HloInstruction instruction, AffineIndex position, int part) {
    int input = inputs.number(instruction);
    if (input >= 0) {
      return new LoopNode.Read(
          input, type(instruction), position.times(parts(instruction)).plus(part));
    }
    return switch (InstructionRole.of(instruction)) {
      case COMPUTES -> lowerElementwise(instruction, position);
      case SELECTS_PART ->
          at(instruction.operands().get(0), position, InstructionRole.part(instruction));
      case HAS_PARTS -> at(instruction.operands().get(part), position, 0);
      case MOVEMENT -> lowerMovement(instruction, position, part);
      case PARAMETER, NONE -> throw NotAffineException.impossible();
    };
  }

  /** {@code result[i] = op(operand[i], ...)}; a scalar operand has the same value for all i. */
  private LoopNode lowerElementwise(HloInstruction instruction, AffineIndex position) {
    ImmutableList.Builder<LoopNode> operands = ImmutableList.builder();
    for (HloInstruction operand : instruction.operands()) {
      operands.add(at(operand, sizes(operand).isEmpty() ? positions.constant(0) : position, 0));
    }
    return new LoopNode.Apply(instruction.op(), type(instruction), operands.build());
  }

  private LoopNode lowerMovement(HloInstruction instruction, AffineIndex position, int part) {
    List<HloInstruction> operands = instruction.operands();
    if (instruction.op() instanceof Constant) {
      return new LoopNode.Immediate(inputs.splat(instruction));
    } else if (instruction.op() instanceof Copy) {
      return at(operands.get(0), position, part);
    } else if (OpTraits.of(instruction.op()).has(Trait.KEEPS_ORDER)) {
      return moved(at(operands.get(0), position, part), type(instruction));
    }
    List<Shape.Array> shapes = operands.stream().map(each -> (Shape.Array) each.shape()).toList();
    AffineAlgebra<LoopNode> x =
        positions.withElements((operand, at) -> loopInvariant(at(operands.get(operand), at, 0)));
    ImmutableList<AffineIndex> index = positions.index(position, sizes(instruction));
    return switch (((Movement) instruction.op())
        .source(x, shapes, (Shape.Array) instruction.shape(), index)) {
      case Movement.Source.Counted<AffineIndex>(AffineIndex value) ->
          counted(type(instruction), part == 0 ? value : positions.constant(0));
      case Movement.Source.Element<AffineIndex>(int operand, List<AffineIndex> from) ->
          at(operands.get(operand), from, part);
    };
  }

  private LoopNode at(HloInstruction instruction, List<AffineIndex> index, int part) {
    return at(instruction, positions.position(index, sizes(instruction)), part);
  }

  /** Returns an element as it is, or its bits as another type. */
  private static LoopNode moved(LoopNode element, ElementType type) {
    return element.type() == type
        ? element
        : new LoopNode.Apply(new BitcastConvert(type), type, ImmutableList.of(element));
  }

  /** Returns an affine function of the counters, converted to a type. */
  protected LoopNode counted(ElementType type, AffineIndex value) {
    return new LoopNode.Count(type, value, !positions.fitsInt(value));
  }

  /** Returns a start; rejects one that itself depends on the start of another slice. */
  private static LoopNode loopInvariant(LoopNode start) {
    boolean moves =
        LoopNode.all(List.of(start)).stream()
            .anyMatch(node ->
                switch (node) {
                  case LoopNode.Read read -> read.position().counters() > 0;
                  case LoopNode.Count count -> count.value().counters() > 0;
                  case LoopNode.Immediate _, LoopNode.Apply _ -> false;
                  case LoopNode.Reduced _ -> true;
                });
    if (moves) {
      throw NotAffineException.impossible();
    }
    return start;
  }

  protected static Dims sizes(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).sizes();
  }

  /** Returns the type of the elements, or of their components if they are complex. */
  protected static ElementType type(HloInstruction instruction) {
    return elementType(instruction).componentType();
  }

  /** Returns how many values an element consists of: two if it is complex, otherwise one. */
  static int parts(HloInstruction instruction) {
    return elementType(instruction).componentCount();
  }

  private static ElementType elementType(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).elementType();
  }
}
