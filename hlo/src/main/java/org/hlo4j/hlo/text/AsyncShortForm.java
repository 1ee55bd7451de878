package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * The short form of asynchronous instructions: {@code slice-start}, {@code slice-update} and {@code
 * slice-done} stand for an {@code async-start} of a computation that consists of only that slice,
 * and for the update and done that follow it.
 *
 * <p>The computation does not appear in the text. Therefore it is omitted only if it has exactly
 * the names that {@link AsyncReader} would give; any other is written, and called by its name.
 */
final class AsyncShortForm {
  /** The attribute of a start, and of some ops that it may wrap. */
  static final String ALIASES = "output_to_operand_aliasing";

  private static final ImmutableList<String> SUFFIXES =
      ImmutableList.of("-start", "-update", "-done");

  private final Map<HloInstruction, HloInstruction> wrapped = new HashMap<>();
  private final Map<HloComputation, Integer> callers = new HashMap<>();
  private final Set<HloComputation> hidden = new HashSet<>();

  /** Finds the instructions of a module that have a short form. */
  AsyncShortForm(HloModule module) {
    for (HloComputation computation : module.computations()) {
      for (HloInstruction caller : computation.instructions()) {
        caller.called().forEach(callee -> callers.merge(callee, 1, Integer::sum));
      }
    }
    callers.merge(module.entry(), 1, Integer::sum);
    module.computations().forEach(computation -> computation.instructions().forEach(this::find));
  }

  private void find(HloInstruction instruction) {
    switch (instruction.op()) {
      case AsyncStart start when instruction.called().size() == 1 -> begin(instruction, start);
      case AsyncUpdate _, AsyncDone _ when instruction.operands().size() == 1 ->
          follow(instruction, instruction.operands().get(0));
      default -> {}
    }
  }

  private void begin(HloInstruction instruction, AsyncStart start) {
    HloComputation computation = instruction.called().get(0);
    if (callers.getOrDefault(computation, 0) == 1 && isAsWrapped(instruction, start, computation)) {
      wrapped.put(instruction, computation.root());
      hidden.add(computation);
    }
  }

  private void follow(HloInstruction instruction, HloInstruction start) {
    if (wrapped.containsKey(start)) {
      wrapped.put(instruction, wrapped.get(start));
    }
  }

  /** Returns whether {@link AsyncReader} would create the same computation. */
  private static boolean isAsWrapped(
      HloInstruction start, AsyncStart op, HloComputation computation) {
    List<HloInstruction> inside = computation.instructions();
    HloInstruction root = computation.root();
    boolean parameters = root.operands().equals(inside.subList(0, inside.size() - 1));
    for (int i = 0; i < inside.size() - 1 && parameters; i++) {
      parameters = i < start.operands().size() && isParameter(inside.get(i), start, i);
    }
    return parameters
        && computation.name().equals(start.name() + ".wrapped")
        && computation.executionThread().equals(op.asyncExecutionThread())
        && (op.outputToOperandAliasing().isEmpty() || !hasAliases(root.op()))
        && inside.get(inside.size() - 1) == root
        && root.name().equals(start.name() + ".root")
        && root.metadata().equals(start.metadata())
        && root.attributes().isEmpty()
        && root.sharding().isEmpty()
        && resultOf(start.shape()).filter(root.shape()::equals).isPresent()
        && isWrappable(root.op());
  }

  private static boolean isParameter(HloInstruction parameter, HloInstruction start, int i) {
    return parameter.op() instanceof Parameter op
        && op.number() == i
        && parameter.name().equals(start.name() + ".p" + i)
        && parameter.shape().equals(start.operands().get(i).shape())
        && parameter.metadata().equals(Metadata.NONE)
        && parameter.attributes().isEmpty()
        && parameter.sharding().isEmpty();
  }

  private static boolean isWrappable(Op op) {
    return !(op instanceof Parameter)
        && !(op instanceof Constant)
        && SUFFIXES.stream().noneMatch(suffix -> OpSchema.contains(op.opcode() + suffix));
  }

  /** Returns whether an op has aliases of its own, which the short form writes by the same name. */
  private static boolean hasAliases(Op op) {
    return OpSchema.attributes(op).stream().anyMatch(attribute -> attribute.name().equals(ALIASES));
  }

  /** Returns the instruction that an asynchronous one wraps, if it has a short form. */
  Optional<HloInstruction> wrapped(HloInstruction instruction) {
    return Optional.ofNullable(wrapped.get(instruction));
  }

  /** Returns whether a computation is omitted from the text. */
  boolean hides(HloComputation computation) {
    return hidden.contains(computation);
  }

  /** Returns the short form of the opcode of an asynchronous instruction. */
  static String opcode(Op op, HloInstruction wrapped) {
    return wrapped.op().opcode() + op.opcode().substring("async".length());
  }

  // Reading.

  /**
   * Returns the opcode that a short form wraps.
   *
   * @param opcode the short form
   * @return {@code slice} of {@code slice-start}; empty if it is none
   */
  static Optional<String> wrappedOpcode(String opcode) {
    int dash = opcode.lastIndexOf('-');
    if (dash < 0 || OpSchema.contains(opcode) || !SUFFIXES.contains(opcode.substring(dash))) {
      return Optional.empty();
    }
    return Optional.of(opcode.substring(0, dash))
        .filter(inner ->
            OpSchema.contains(inner) && !inner.equals("parameter") && !inner.equals("constant"));
  }

  /**
   * Returns the result shape of the wrapped computation, from the shape of an {@code async-start}.
   */
  static Optional<Shape> resultOf(Shape shape) {
    return shape instanceof Shape.Tuple tuple && tuple.elements().size() >= 2
        ? Optional.of(tuple.elements().get(1))
        : Optional.empty();
  }

  /** Returns the parameters of the computation that a short form wraps. */
  static ImmutableList<HloInstruction> parameters(
      String start, List<Shape> shapes, UnaryOperator<String> unique) {
    ImmutableList.Builder<HloInstruction> parameters = ImmutableList.builder();
    for (int i = 0; i < shapes.size(); i++) {
      Shape shape = shapes.get(i);
      parameters.add(
          HloInstruction.create(
              unique.apply(start + ".p" + i),
              new Parameter(i, shape.withoutLayout()),
              ImmutableList.of(),
              ImmutableList.of(),
              shape,
              Metadata.NONE));
    }
    return parameters.build();
  }
}
