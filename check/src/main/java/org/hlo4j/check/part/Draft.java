package org.hlo4j.check.part;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Tuple;

/**
 * A computation under construction.
 *
 * @param names the names that are taken in its module
 * @param isOfEachDevice whether arguments are tuples of what devices have
 * @param arguments those of the parameters of the entry
 * @param instructions what it has so far
 */
public record Draft(
    Set<String> names,
    boolean isOfEachDevice,
    List<Literal> arguments,
    List<HloInstruction> instructions) {
  /** How many zeros a constant has at most. */
  private static final int MAX_ZEROS = 64;

  /**
   * Returns a draft of the entry of a program for one device, without arguments yet.
   *
   * @param names the names that are taken
   * @return the draft
   */
  public static Draft entry(List<String> names) {
    return new Draft(new HashSet<>(names), false, new ArrayList<>(), new ArrayList<>());
  }

  /**
   * Returns a draft of a computation of the same module that is not the entry.
   *
   * @return the draft, without instructions
   */
  public Draft inner() {
    return new Draft(names, false, arguments, new ArrayList<>());
  }

  /**
   * Appends an instruction.
   *
   * @param instruction the instruction
   * @return the same
   */
  public HloInstruction add(HloInstruction instruction) {
    instructions.add(instruction);
    return instruction;
  }

  /**
   * Appends an instruction of a new name, whose shape is inferred.
   *
   * @param near the name, if it is not taken
   * @param op the op
   * @param operands its operands
   * @param called what it calls
   * @return the instruction
   */
  public HloInstruction add(
      String near, Op op, List<HloInstruction> operands, List<HloComputation> called) {
    Shape shape = op.infer(HloInstruction.inputs(operands, called));
    return add(HloInstruction.create(fresh(near), op, operands, called, shape, Metadata.NONE));
  }

  /**
   * Appends an instruction of a new name that calls nothing.
   *
   * @param near the name, if it is not taken
   * @param op the op
   * @param operands its operands
   * @return the instruction
   */
  public HloInstruction add(String near, Op op, HloInstruction... operands) {
    return add(near, op, ImmutableList.copyOf(operands), ImmutableList.of());
  }

  /**
   * Appends an instruction with another op, and the shape that it gives. A reshape gives as many
   * elements as its operand has, if one dimension can be made to.
   *
   * @param at the instruction
   * @param op the op
   * @return the instruction with the op
   */
  public HloInstruction fitted(HloInstruction at, Op op) {
    Op fit =
        op instanceof Reshape reshape
            ? new Reshape(of(reshape.shape(), at.operands().get(0).arrayShape().elementCount()))
            : op;
    Shape inferred = fit.infer(HloInstruction.inputs(at.operands(), at.called()));
    return add(
        inferred.compatible(at.shape())
            ? at.withOp(fit, at.shape())
            : at.withOp(fit, inferred).withSharding(Optional.empty()));
  }

  private static Shape.Array of(Shape.Array shape, long count) {
    for (int i = 0; i < shape.rank(); i++) {
      long others = shape.sizes().with(i, 1).product();
      if (shape.elementCount() != count && others > 0 && count % others == 0) {
        return shape.withSizes(shape.sizes().with(i, count / others));
      }
    }
    return shape;
  }

  /**
   * Returns a name that is not taken, and takes it.
   *
   * @param near the name, if it is not taken
   * @return the name
   */
  public String fresh(String near) {
    String name = near;
    for (int i = 1; !names.add(name); i++) {
      name = near + ".x" + i;
    }
    return name;
  }

  /**
   * Appends a parameter of the entry with another argument.
   *
   * @param at the parameter
   * @param argument what it is given; of each device, if these have their own
   * @return the parameter
   */
  public HloInstruction changed(HloInstruction at, Literal argument) {
    int number = ((Parameter) at.op()).number();
    arguments.set(number, argument);
    return add(HloInstruction.of(at.name(), new Parameter(number, shape(argument))));
  }

  private HloInstruction parameter(String name, Literal value, Shape shape) {
    arguments.add(value);
    return add(HloInstruction.of(name, new Parameter(arguments.size() - 1, shape)));
  }

  /** Returns the shape of the parameter of an argument. */
  private Shape shape(Literal argument) {
    return isOfEachDevice ? argument.element(0).shape() : argument.shape();
  }

  /**
   * Appends parameters for a value: one for each array of a tuple, and the tuples of these.
   *
   * @param name the name of what has the value
   * @param value the value
   * @param shape its shape
   * @return the parameter or tuple
   */
  public HloInstruction given(String name, Literal value, Shape shape) {
    if (!(shape instanceof Shape.Tuple tuple)) {
      return parameter(name, value, shape);
    }
    HloInstruction[] elements = new HloInstruction[tuple.elements().size()];
    for (int i = 0; i < elements.length; i++) {
      elements[i] = given(fresh(name + "." + i), element(value, i), tuple.elements().get(i));
    }
    return add(HloInstruction.of(name, new Tuple(), elements));
  }

  private Literal element(Literal argument, int i) {
    return isOfEachDevice
        ? Literal.tuple(argument.elements().stream().map(own -> own.element(i)).toList())
        : argument.element(i);
  }

  /**
   * Returns the elements of a tuple; an array alone.
   *
   * @param value the tuple or array
   * @return its elements, or itself
   */
  public ImmutableList<HloInstruction> elements(HloInstruction value) {
    return !(value.shape() instanceof Shape.Tuple tuple)
        ? ImmutableList.of(value)
        : value.op() instanceof Tuple
            ? value.operands()
            : IntStream.range(0, tuple.elements().size())
                .mapToObj(i -> add(value.name(), new GetTupleElement(i), value))
                .collect(toImmutableList());
  }

  /**
   * Returns a tuple of values; the value itself if it is one.
   *
   * @param near the name of the tuple, if it is not taken
   * @param values the values
   * @return the tuple, or the value
   */
  public HloInstruction together(String near, List<HloInstruction> values) {
    return values.size() == 1 ? values.get(0) : tuple(near, values);
  }

  /**
   * Appends a tuple.
   *
   * @param near its name, if it is not taken
   * @param values its elements
   * @return the tuple
   */
  public HloInstruction tuple(String near, List<HloInstruction> values) {
    return add(near, new Tuple(), values, ImmutableList.of());
  }

  /**
   * Returns the program of which this is the entry.
   *
   * @param name the name of its module
   * @param root the instruction whose value is the result
   * @return the program
   */
  public Program program(String name, HloInstruction root) {
    return new Program(
        HloModule.create(name, HloComputation.create("main", instructions, root)),
        ImmutableList.copyOf(arguments));
  }

  /**
   * Appends zeros.
   *
   * @param of the shape of an array
   * @return a constant, or a broadcast of one
   */
  public HloInstruction zeros(Shape of) {
    Shape.Array shape = (Shape.Array) of.withoutLayout();
    boolean isFew = shape.elementCount() <= MAX_ZEROS;
    Shape.Array constant = isFew ? shape : Shape.of(shape.elementType());
    HloInstruction zeros = add("zeros", new Constant(Literal.zeros(constant)));
    return isFew ? zeros : add("zeros", new Broadcast(shape, Dims.of()), zeros);
  }

  /**
   * Appends the instructions of a computation under new names.
   *
   * @param callee the computation
   * @param given what its parameters are
   * @return what its root has become
   */
  public HloInstruction inlined(HloComputation callee, List<HloInstruction> given) {
    return CallInliner.inline(
        callee,
        given,
        each ->
            each.op() instanceof GetTupleElement element
                    && each.operands().get(0).op() instanceof Tuple
                ? each.operands().get(0).operands().get(element.index())
                : add(each.renamed(fresh(each.name()))));
  }
}
