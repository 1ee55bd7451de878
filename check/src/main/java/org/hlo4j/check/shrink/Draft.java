package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;

/** A computation under construction, with the arguments of its parameters if it is the entry. */
final class Draft {
  /** How many zeros a constant has at most. */
  private static final int MAX_ZEROS = 64;

  private final Set<String> names;
  private final boolean isEntry;

  /** Whether arguments are tuples of what devices have. */
  private final boolean isOfEachDevice;

  private final List<HloInstruction> instructions = new ArrayList<>();
  private final List<Literal> arguments;

  private Draft(
      Set<String> names, boolean isEntry, boolean isOfEachDevice, List<Literal> arguments) {
    this.names = names;
    this.isEntry = isEntry;
    this.isOfEachDevice = isOfEachDevice;
    this.arguments = new ArrayList<>(arguments);
  }

  /** Creates a draft of the entry of a program in which these names are taken. */
  static Draft ofEntry(Set<String> names, Program program) {
    return new Draft(names, true, program.isOfEachDevice(), program.arguments());
  }

  /** Creates a draft of another computation in a module in which these names are taken. */
  static Draft ofCallee(Set<String> names) {
    return new Draft(names, false, false, ImmutableList.of());
  }

  ImmutableList<HloInstruction> instructions() {
    return ImmutableList.copyOf(instructions);
  }

  ImmutableList<Literal> arguments() {
    return ImmutableList.copyOf(arguments);
  }

  HloInstruction add(HloInstruction instruction) {
    instructions.add(instruction);
    return instruction;
  }

  /** Appends an instruction of a new name, whose shape is inferred. */
  HloInstruction add(
      String near, Op op, List<HloInstruction> operands, List<HloComputation> called) {
    Shape shape = op.infer(HloInstruction.inputs(operands, called));
    return add(HloInstruction.create(fresh(near), op, operands, called, shape, Metadata.NONE));
  }

  /** Appends an instruction that calls nothing. */
  HloInstruction add(String near, Op op, List<HloInstruction> operands) {
    return add(near, op, operands, List.of());
  }

  /** Returns a draft of a computation of the same module that is not the entry. */
  Draft inner() {
    return ofCallee(names);
  }

  /** Appends a copy of an instruction under a new name, with other operands. */
  HloInstruction copy(HloInstruction old, List<HloInstruction> operands) {
    return add(old.withOperands(operands).renamed(fresh(old.name())));
  }

  /** Returns a name that is not taken. */
  String fresh(String near) {
    String name = near;
    for (int i = 1; !names.add(name); i++) {
      name = near + ".x" + i;
    }
    return name;
  }

  /**
   * Appends a known value in place of an instruction: a parameter of the entry, or a constant. Its
   * name says nothing of the instruction: a check may look for the opcode in the text.
   */
  HloInstruction value(HloInstruction old, Literal value) {
    return isEntry ? parameter(old, value) : constant(fresh("c"), value);
  }

  /** Appends a new parameter of the entry. */
  HloInstruction parameter(String near, Literal value) {
    arguments.add(value);
    return add(named(fresh(near), new Parameter(arguments.size() - 1, shape(value))));
  }

  /** Returns the shape of the parameter of an argument. */
  private Shape shape(Literal argument) {
    return isOfEachDevice ? argument.element(0).shape() : argument.shape();
  }

  private HloInstruction parameter(HloInstruction old, Literal value) {
    if (old.op() instanceof Parameter parameter) {
      arguments.set(parameter.number(), value);
      return add(named(old.name(), new Parameter(parameter.number(), shape(value))));
    }
    return parameter("p" + arguments.size(), value);
  }

  HloInstruction constant(String name, Literal value) {
    return add(named(name, new Constant(value)));
  }

  /** Returns the elements of a tuple. */
  ImmutableList<HloInstruction> elements(HloInstruction tuple) {
    int count = ((Shape.Tuple) tuple.shape()).elements().size();
    return tuple.op() instanceof Tuple
        ? tuple.operands()
        : IntStream.range(0, count)
            .mapToObj(i -> add(tuple.name(), new GetTupleElement(i), List.of(tuple)))
            .collect(toImmutableList());
  }

  /** Returns a tuple of values; the value itself if it is one. */
  HloInstruction together(List<HloInstruction> values) {
    return values.size() == 1 ? values.get(0) : add("state", new Tuple(), values);
  }

  /** Appends zeros. */
  HloInstruction zeros(Shape of) {
    Shape.Array shape = (Shape.Array) of.withoutLayout();
    boolean isFew = shape.elementCount() <= MAX_ZEROS;
    Shape.Array constant = isFew ? shape : Shape.of(shape.elementType());
    HloInstruction zeros = constant(fresh("zeros"), Literal.zeros(constant));
    return isFew ? zeros : add("zeros", new Broadcast(shape, Dims.of()), List.of(zeros));
  }

  private static HloInstruction named(String name, Op op) {
    return HloInstruction.of(name, op);
  }

  /** Appends the instructions of a computation, and returns what its root has become. */
  HloInstruction inlined(HloComputation callee, List<HloInstruction> given) {
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
