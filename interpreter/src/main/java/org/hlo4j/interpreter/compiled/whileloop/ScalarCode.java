package org.hlo4j.interpreter.compiled.whileloop;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;

/**
 * The code writer of instructions of all kinds, which delegates to the writer for each kind of op.
 * A called computation is written inline at the call.
 */
final class ScalarCode {
  /**
   * The maximum number of instructions. More would not fit a method that C2 compiles, and the
   * number may double at each level of calls.
   */
  private static final int MAX_INSTRUCTIONS = 3000;

  private static final int MAX_NESTED_CALLS = 20;

  /**
   * The maximum depth of called computations. Those that ops apply to elements are nested in those
   * that are called.
   */
  private static final int MAX_LEVELS = 2 * MAX_NESTED_CALLS;

  private final ScalarArrays arrays;
  private final ArrayCode code;
  private final ElementCode elements;
  private final MovementCode movements;
  private final SmallReduceCode reductions;
  private final SmallDotCode products;
  private final InPlaceUpdates updates;
  private final ControlCode control;
  private final VectorKernelCalls calls;
  private final Deque<LiveValues> frames = new ArrayDeque<>();
  private int instructions;

  /**
   * Creates a writer.
   *
   * @param emitter the scalar emitter
   * @param arrays the arrays of the program
   * @param strategy the strategy by which the code is generated
   * @param observesNanBits whether the bits of NaNs are observable
   * @param inEachIteration writes additional code into each iteration of a loop, which takes about
   *     so many operations
   */
  ScalarCode(
      CodeEmitter emitter,
      ScalarArrays arrays,
      CodegenStrategy strategy,
      boolean observesNanBits,
      LongConsumer inEachIteration) {
    this.arrays = arrays;
    this.code = new ArrayCode(emitter, arrays, strategy);
    this.elements = new ElementCode(emitter, code, observesNanBits);
    this.movements = new MovementCode(emitter, arrays, code);
    this.reductions = new SmallReduceCode(emitter, arrays, code, observesNanBits);
    this.products = new SmallDotCode(emitter, arrays, code, observesNanBits);
    this.updates = new InPlaceUpdates(arrays, code, frames);
    this.calls = new VectorKernelCalls(arrays, code, strategy, observesNanBits);
    this.control = new ControlCode(emitter, arrays, code, strategy, this, updates, inEachIteration);
  }

  /**
   * Returns whether the computations that an instruction calls are small enough for one method. If
   * not, it need not be examined as a whole, which takes long where calls are nested.
   */
  static boolean mayFit(HloInstruction instruction) {
    Set<HloComputation> level = new LinkedHashSet<>(instruction.called());
    int count = 0;
    for (int depth = 0; !level.isEmpty(); depth++) {
      Set<HloComputation> next = new LinkedHashSet<>();
      for (HloComputation computation : level) {
        count += computation.instructions().size();
        if (count > MAX_INSTRUCTIONS || depth == MAX_LEVELS) {
          return false;
        }
        computation.instructions().forEach(each -> next.addAll(each.called()));
      }
      level = next;
    }
    return true;
  }

  /** Returns an instruction, and those of all computations that it calls, directly or not. */
  static Stream<HloInstruction> withCalled(HloInstruction instruction, Set<HloComputation> known) {
    return Stream.concat(
        Stream.of(instruction),
        instruction.called().stream()
            .filter(known::add)
            .flatMap(called -> called.instructions().stream())
            .flatMap(each -> withCalled(each, known)));
  }

  /** Returns the writer of whole arrays. */
  ArrayCode arrays() {
    return code;
  }

  /** Returns the writer of loops and branches. */
  ControlCode control() {
    return control;
  }

  /** Writes the code of a computation and returns the value of its root. */
  Operand write(HloComputation computation, List<Operand> arguments) {
    return write(new LiveValues(computation, false), computation, arguments);
  }

  /**
   * Writes the code of the condition of a loop and returns its value. The body gets the state as it
   * was before, so arrays that cannot be copied are not updated in place.
   */
  Operand writeCondition(HloComputation condition, Operand state) {
    Operand value = write(new LiveValues(condition, true), condition, ImmutableList.of(state));
    state.leaves().forEach(arrays::requireUnchanged);
    return value;
  }

  private Operand write(LiveValues frame, HloComputation computation, List<Operand> arguments) {
    instructions += computation.instructions().size();
    if (instructions > MAX_INSTRUCTIONS || frames.size() == MAX_NESTED_CALLS) {
      throw new NoCodeException("too much for one method");
    }
    frames.push(frame);
    for (HloInstruction instruction : frame.order()) {
      frame.put(
          instruction,
          instruction.op() instanceof Parameter parameter
              ? arguments.get(parameter.number())
              : write(instruction, frame.operands(instruction), frame.isShared(instruction)));
    }
    frames.pop();
    return frame.root();
  }

  /**
   * Writes the code of an instruction and returns its value.
   *
   * @param operands the values of its operands
   * @param isShared whether its value is used more than once
   */
  Operand write(HloInstruction instruction, List<Operand> operands, boolean isShared) {
    return calls
        .write(instruction, operands)
        .orElseGet(() -> writeHere(instruction, operands, isShared));
  }

  private Operand writeHere(HloInstruction instruction, List<Operand> operands, boolean isShared) {
    return switch (instruction.op()) {
      case Constant constant -> constant(constant.literal());
      case Tuple _ -> new Operand.Tuple(ImmutableList.copyOf(operands));
      case GetTupleElement element ->
          ((Operand.Tuple) operands.get(0)).items().get(element.index());
      case Copy _, OptBarrier _ -> operands.get(0);
      case Bitcast _ -> bitcast(instruction, operands.get(0).scalar());
      case Reshape _ -> reshaped(Operand.array(instruction.shape()), operands.get(0).leaf());
      case DynamicUpdateSlice _ -> updates.write(instruction, operands, control.isOnce());
      case Movement _ -> movements.write(instruction, leaves(operands), isShared);
      case Reduce _ -> reductions.write(instruction, operands);
      case Dot _ -> products.write(instruction, leaves(operands));
      case Call _, Fusion _ ->
          write(
              instruction.called().get(0),
              operands.stream().map(this::materializeIfExpensive).toList());
      case While _ -> control.loop(instruction, operands.get(0));
      case Conditional op -> control.conditional(op, instruction, operands);
      default -> elements.write(instruction, operands, isShared);
    };
  }

  private static List<Operand.Leaf> leaves(List<Operand> operands) {
    return operands.stream().map(Operand::leaf).toList();
  }

  private Operand materializeIfExpensive(Operand operand) {
    return operand.map(code::materializeIfExpensive);
  }

  private Operand constant(Literal literal) {
    if (literal.shape() instanceof Shape.Tuple) {
      return new Operand.Tuple(
          literal.elements().stream().map(this::constant).collect(toImmutableList()));
    }
    return arrays.constant(literal);
  }

  /** Returns the same number as the single element of another shape. */
  private static Operand bitcast(HloInstruction instruction, Operand.Scalar operand) {
    Shape.Array shape = Operand.array(instruction.shape());
    if (!Operand.isScalar(shape) || shape.elementType() != operand.type()) {
      throw new NoCodeException("no scalar: " + shape);
    }
    return operand;
  }

  /** Returns an array of another shape with the same elements in the same order. */
  private Operand.Leaf reshaped(Shape.Array shape, Operand.Leaf operand) {
    return switch (operand) {
      case Operand.Scalar scalar -> scalar;
      case Operand.InLocals elements -> new Operand.InLocals(shape, elements.values());
      case Operand.InMemory buffer -> new Operand.InMemory(shape, buffer.local(), buffer.version());
      case Operand.Deferred deferred -> reshaped(shape, code.inMemory(deferred));
    };
  }
}
