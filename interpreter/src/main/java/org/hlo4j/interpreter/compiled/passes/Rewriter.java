package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;

/**
 * A computation that a pass is writing: its instructions so far, and what each old instruction
 * became.
 */
final class Rewriter {
  private final Session session;
  private final Map<HloComputation, HloComputation> computations;
  private final boolean isRenaming;
  private final Map<HloInstruction, HloInstruction> replacements = new HashMap<>();
  private final List<HloInstruction> written = new ArrayList<>();
  private final Set<HloInstruction> placed = new HashSet<>();

  /**
   * Creates a rewriter of one computation.
   *
   * @param session gives names
   * @param computations what the called computations became
   * @param isRenaming whether the old computation also stays, so that all names have to change
   */
  Rewriter(Session session, Map<HloComputation, HloComputation> computations, boolean isRenaming) {
    this.session = session;
    this.computations = computations;
    this.isRenaming = isRenaming;
  }

  Session session() {
    return session;
  }

  /** Returns what a computation became. */
  HloComputation current(HloComputation computation) {
    return computations.getOrDefault(computation, computation);
  }

  /** Returns what an instruction became that was replaced before. */
  HloInstruction current(HloInstruction instruction) {
    return requireNonNull(replacements.get(instruction), instruction::name);
  }

  ImmutableList<HloInstruction> currentOperands(HloInstruction instruction) {
    return instruction.operands().stream().map(this::current).collect(toImmutableList());
  }

  /**
   * Returns an instruction with its operands and computations replaced by what they became. It is
   * not placed yet.
   */
  HloInstruction updated(HloInstruction instruction) {
    boolean same = !isRenaming;
    for (HloInstruction operand : instruction.operands()) {
      same &= current(operand) == operand;
    }
    ImmutableList<HloComputation> called = currentCalled(instruction);
    if (same && called.equals(instruction.called())) {
      return instruction;
    }
    return instruction
        .renamed(currentName(instruction))
        .withOperands(currentOperands(instruction))
        .withCalled(called);
  }

  /** Returns the name that an instruction gets here. */
  String currentName(HloInstruction instruction) {
    return isRenaming ? session.fresh(instruction.name()) : instruction.name();
  }

  /**
   * Returns what the called computations became. Only computations that are run as they are may
   * have changed; reducers and other computations on scalars have not.
   */
  ImmutableList<HloComputation> currentCalled(HloInstruction instruction) {
    return instruction.called().isEmpty()
            || OpTraits.of(instruction.op()).family() != Family.CONTROL
        ? instruction.called()
        : instruction.called().stream().map(this::current).collect(toImmutableList());
  }

  /**
   * Returns an instruction of the same name and shape that is to replace another. It is not placed
   * yet.
   */
  HloInstruction newReplacement(HloInstruction replaced, Op op, HloInstruction... operands) {
    return newReplacement(replaced, op, ImmutableList.copyOf(operands));
  }

  HloInstruction newReplacement(HloInstruction replaced, Op op, List<HloInstruction> operands) {
    return HloInstruction.create(
        replaced.name(),
        op,
        operands,
        ImmutableList.of(),
        replaced.shape().withoutLayout(),
        replaced.metadata());
  }

  /** Places a new instruction, named after its op, and returns it. */
  HloInstruction add(Op op, HloInstruction... operands) {
    return add(op, ImmutableList.copyOf(operands));
  }

  HloInstruction add(Elementwise.Kind kind, HloInstruction... operands) {
    return add(new Elementwise(kind), operands);
  }

  HloInstruction compare(Compare.Direction direction, HloInstruction x, HloInstruction y) {
    return add(new Compare(direction, Optional.empty()), x, y);
  }

  HloInstruction select(HloInstruction mask, HloInstruction onTrue, HloInstruction onFalse) {
    return add(new Select(), mask, onTrue, onFalse);
  }

  HloInstruction add(Op op, List<HloInstruction> operands, HloComputation... called) {
    ImmutableList<HloComputation> list = ImmutableList.copyOf(called);
    Shape shape = op.infer(HloInstruction.inputs(operands, list));
    return place(
        HloInstruction.create(
            session.fresh(op.opcode()), op, operands, list, shape, Metadata.NONE));
  }

  /** Returns the element itself for an element of a known tuple, else the instruction. */
  static HloInstruction knownElement(HloInstruction instruction) {
    return instruction.op() instanceof GetTupleElement element
            && instruction.operands().get(0).op() instanceof Tuple
        ? instruction.operands().get(0).operands().get(element.index())
        : instruction;
  }

  HloInstruction constant(Literal literal) {
    return add(new Constant(literal));
  }

  /** Returns an array of one number, with the sizes of another. */
  HloInstruction full(Literal scalar, Shape.Array like) {
    return broadcast(constant(scalar), like.withElementType(scalar.elementType()), Dims.of());
  }

  HloInstruction full(double number, HloInstruction like) {
    return full(Literal.of(number), (Shape.Array) like.shape());
  }

  /** Returns the operand reshaped; the operand itself if it has these sizes. */
  HloInstruction reshape(HloInstruction operand, Dims sizes) {
    Shape.Array shape = (Shape.Array) operand.shape();
    return shape.sizes().equals(sizes)
        ? operand
        : add(new Reshape(shape.withSizes(sizes)), operand);
  }

  /** Returns the elements of an operand whose index in one dimension is in a range. */
  HloInstruction slice(HloInstruction operand, int dimension, long start, long limit) {
    Dims sizes = ((Shape.Array) operand.shape()).sizes();
    Dims zeros = Dims.filled(sizes.count(), 0);
    Dims ones = Dims.filled(sizes.count(), 1);
    return add(slice(zeros.with(dimension, start), sizes.with(dimension, limit), ones), operand);
  }

  static Op slice(Dims starts, Dims limits, Dims strides) {
    return Slice.of(starts, limits, strides);
  }

  /** Returns the operand transposed; the operand itself if its dimensions do not move. */
  HloInstruction transpose(HloInstruction operand, Dims dimensions) {
    return dimensions.isStrictlyIncreasing() ? operand : add(new Transpose(dimensions), operand);
  }

  HloInstruction broadcast(HloInstruction operand, Shape.Array shape, Dims dimensions) {
    return ((Shape.Array) operand.shape()).sizes().equals(shape.sizes())
        ? operand
        : add(new Broadcast(shape.withLayout(null), dimensions), operand);
  }

  /** Returns a value converted to a type; the value itself if it has the type. */
  HloInstruction convert(HloInstruction value, ElementType type) {
    Shape.Array shape = (Shape.Array) value.shape();
    if (shape.elementType() == type) {
      return value;
    }
    return value.op() instanceof Constant constant && shape.isScalar()
        ? constant(Literal.of(type, constant.literal().doubleAt(0)))
        : add(new Convert(type), value);
  }

  /** Returns the reduction of an array by a computation. */
  HloInstruction reduce(
      HloInstruction array, HloInstruction init, HloComputation body, Dims dimensions) {
    return add(new Reduce(dimensions), ImmutableList.of(array, init), body);
  }

  /** Returns a new computation that adds two scalars. */
  HloComputation addition(ElementType type) {
    Shape.Array scalar = Shape.of(type);
    HloInstruction x = HloInstruction.of(session.fresh("x"), new Parameter(0, scalar));
    HloInstruction y = HloInstruction.of(session.fresh("y"), new Parameter(1, scalar));
    HloInstruction sum =
        HloInstruction.of(session.fresh("sum"), new Elementwise(Elementwise.Kind.ADD), x, y);
    return HloComputation.create(session.fresh("add"), ImmutableList.of(x, y, sum), sum);
  }

  /** Appends an instruction, unless it has been placed already, and returns it. */
  HloInstruction place(HloInstruction instruction) {
    Limits.checkCurrent();
    if (placed.add(instruction)) {
      written.add(instruction);
    }
    return instruction;
  }

  boolean isPlaced(HloInstruction instruction) {
    return placed.contains(instruction);
  }

  /** Records what an instruction becomes, and places the replacement. */
  void replace(HloInstruction instruction, HloInstruction replacement) {
    replacements.put(instruction, place(replacement));
  }

  /** Returns a computation in which each instruction became another one. */
  HloComputation rewrite(HloComputation computation, UnaryOperator<HloInstruction> each) {
    for (HloInstruction instruction : computation.instructions()) {
      replace(instruction, each.apply(instruction));
    }
    return finish(computation);
  }

  /** Returns a new computation of the instructions written. */
  HloComputation build(String name, HloInstruction root) {
    return HloComputation.create(name, written, root);
  }

  /** Returns the computation as written; the same one if nothing changed. */
  HloComputation finish(HloComputation computation) {
    HloInstruction root = current(computation.root());
    if (written.equals(computation.instructions()) && root == computation.root()) {
      return computation;
    }
    return HloComputation.create(
        isRenaming ? session.fresh(computation.name()) : computation.name(),
        written,
        root,
        computation.executionThread());
  }
}
