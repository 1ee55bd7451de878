package org.hlo4j.check.shrink;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;

/** A computation under construction, with the arguments of its parameters if it is the entry. */
final class Draft {
  private final Set<String> names;
  private final boolean isEntry;
  private final List<HloInstruction> instructions = new ArrayList<>();
  private final List<Literal> arguments;

  /** Creates a draft of a computation in a module in which these names are taken. */
  Draft(Set<String> names, boolean isEntry, List<Literal> arguments) {
    this.names = names;
    this.isEntry = isEntry;
    this.arguments = new ArrayList<>(arguments);
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
    return new Draft(names, false, ImmutableList.of());
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
    return add(named(fresh(near), new Parameter(arguments.size() - 1, value.shape())));
  }

  private HloInstruction parameter(HloInstruction old, Literal value) {
    if (old.op() instanceof Parameter parameter) {
      arguments.set(parameter.number(), value);
      return add(named(old.name(), new Parameter(parameter.number(), value.shape())));
    }
    return parameter("p" + arguments.size(), value);
  }

  HloInstruction constant(String name, Literal value) {
    return add(named(name, new Constant(value)));
  }

  private static HloInstruction named(String name, Op op) {
    return HloInstruction.of(name, op);
  }

  /** Appends the instructions of a computation, and returns what its root has become. */
  HloInstruction inlined(HloComputation callee, List<HloInstruction> given) {
    return CallInliner.inline(callee, given, each -> add(each.renamed(fresh(each.name()))));
  }
}
