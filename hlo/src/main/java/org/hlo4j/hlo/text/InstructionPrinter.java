package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.text.PrintOptions.Part;

/** A printer of instructions, one line each except for the bodies of called computations. */
final class InstructionPrinter {
  private static final int LARGE_CONSTANT = 10;

  /** Attributes that are not part of an op's record, but that XLA writes before those that are. */
  private static final ImmutableList<String> LEADING =
      ImmutableList.of(
          "window",
          "dim_labels",
          "feature_group_count",
          "batch_group_count",
          "operand_precision",
          "padding_type",
          "parameter_replication");

  /** Attributes of any instruction that precede the metadata, in XLA's order. */
  private static final ImmutableList<String> BEFORE_METADATA =
      ImmutableList.of(
          "frontend_attributes", "control-predecessors", "statistics", "result_accuracy", "origin");

  /** Attributes of any instruction that follow the metadata. */
  private static final ImmutableList<String> AFTER_METADATA = ImmutableList.of("backend_config");

  /** A printer of the bodies of called computations. */
  interface Bodies {
    /** Writes a body at a nesting depth. */
    void print(HloComputation computation, int depth);
  }

  private final StringBuilder text;
  private final PrintOptions options;
  private final AsyncShortForm sugar;
  private final Bodies bodies;
  private Map<HloInstruction, Integer> numbers = new HashMap<>();

  InstructionPrinter(
      StringBuilder text, PrintOptions options, AsyncShortForm sugar, Bodies bodies) {
    this.text = text;
    this.options = options;
    this.sugar = sugar;
    this.bodies = bodies;
  }

  /**
   * Runs an action while the instructions of a computation are numbered by position, which replaces
   * their names if these are not printed.
   */
  void nameAll(HloComputation computation, Runnable print) {
    Map<HloInstruction, Integer> outside = numbers;
    if (!options.has(Part.INSTRUCTION_NAMES)) {
      numbers = new HashMap<>();
      computation.instructions().forEach(i -> numbers.put(i, numbers.size()));
    }
    print.run();
    numbers = outside;
  }

  /** Writes one instruction. */
  void print(HloInstruction instruction, int depth) {
    name(instruction);
    text.append(" = ").append(shape(instruction.shape())).append(' ');
    Optional<HloInstruction> wrapped = sugar.wrapped(instruction);
    text.append(
        wrapped
            .map(inner -> AsyncShortForm.opcode(instruction.op(), inner))
            .orElse(instruction.op().opcode()));
    text.append('(');
    switch (instruction.op()) {
      case Parameter parameter -> text.append(parameter.number());
      case Constant constant -> text.append(constant(constant.literal()));
      default -> operands(instruction.operands());
    }
    text.append(')');
    attributes(instruction, wrapped, depth);
    common(instruction);
  }

  private void name(HloInstruction instruction) {
    text.append(options.has(Part.PERCENT) ? "%" : "");
    if (options.has(Part.INSTRUCTION_NAMES)) {
      text.append(instruction.name());
    } else {
      text.append("tmp_").append(numbers.get(instruction));
    }
  }

  private void operands(List<HloInstruction> operands) {
    for (int i = 0; i < operands.size(); i++) {
      text.append(i == 0 ? "" : ", ");
      text.append(i > 0 && i % 5 == 0 && options.has(Part.PERCENT) ? "/*index=" + i + "*/" : "");
      text.append(options.has(Part.OPERAND_SHAPES) ? shape(operands.get(i).shape()) + " " : "");
      name(operands.get(i));
    }
  }

  // Constants.

  private String constant(Literal literal) {
    if (!options.has(Part.PARTICULARS)) {
      return fingerprintText(literal);
    }
    boolean large =
        !(literal.shape() instanceof Shape.Array array) || array.elementCount() > LARGE_CONSTANT;
    return large && !options.has(Part.LARGE_CONSTANTS) ? "{...}" : literal.toHloText();
  }

  /**
   * Returns the part of a literal that does not depend on trained weights: integers, and whether
   * all elements are 0 or 1.
   */
  private static String fingerprintText(Literal literal) {
    if (!(literal.shape() instanceof Shape.Array array)) {
      return "{...}";
    }
    if (isAll(literal, array, 0)) {
      return "0";
    }
    if (isAll(literal, array, 1)) {
      return "1";
    }
    return isInteger(array.elementType()) ? literal.toHloText() : "{...}";
  }

  private static boolean isInteger(ElementType type) {
    return type.kind() == ElementType.Kind.SIGNED || type.kind() == ElementType.Kind.UNSIGNED;
  }

  private static boolean isAll(Literal literal, Shape.Array array, int value) {
    for (int i = 0; i < array.elementCount(); i++) {
      boolean same =
          switch (array.elementType().kind()) {
            case PRED -> literal.booleanAt(i) == (value == 1);
            case SIGNED, UNSIGNED -> literal.longAt(i) == value;
            case FLOAT -> literal.doubleAt(i) == value;
            case COMPLEX -> literal.realAt(i) == value && literal.imaginaryAt(i) == 0;
          };
      if (!same) {
        return false;
      }
    }
    return true;
  }

  // Attributes.

  private void attributes(HloInstruction instruction, Optional<HloInstruction> wrapped, int depth) {
    all(instruction, LEADING);
    if (wrapped.isPresent() && instruction.op() instanceof AsyncStart start) {
      started(instruction, start, wrapped.get(), depth);
    } else {
      Attributes.append(text, instruction.op(), options);
      called(instruction, depth);
    }
    Attributes.appendTrailing(text, instruction.op(), options);
    instruction.attributes().forEach(this::ownAttribute);
  }

  /** Writes the attributes of a start in short form around those of the op that it starts. */
  private void started(
      HloInstruction instruction, AsyncStart start, HloInstruction wrapped, int depth) {
    Attributes.append(text, new AsyncStart(start.shape(), start.asyncExecutionThread()), options);
    Attributes.append(text, wrapped.op(), options);
    called(wrapped, depth);
    Attributes.appendTrailing(text, wrapped.op(), options);
    if (!options.has(Part.CALLED_NAMES)) {
      called(instruction, depth);
    }
    Attributes.append(
        text, new AsyncStart(start.shape(), "", start.outputToOperandAliasing()), options);
  }

  private void common(HloInstruction instruction) {
    instruction
        .sharding()
        .map(sharding -> options.has(Part.METADATA) ? sharding : sharding.withoutMetadata())
        .ifPresent(sharding -> attribute("sharding", sharding.toString()));
    all(instruction, BEFORE_METADATA);
    if (options.has(Part.METADATA) && !instruction.metadata().equals(Metadata.NONE)) {
      attribute("metadata", instruction.metadata().toString());
    }
    all(instruction, AFTER_METADATA);
  }

  private void ownAttribute(String attribute, String value) {
    if (!LEADING.contains(attribute)
        && !BEFORE_METADATA.contains(attribute)
        && !AFTER_METADATA.contains(attribute)) {
      attribute(attribute, value);
    }
  }

  private void all(HloInstruction instruction, List<String> names) {
    if (instruction.attributes().isEmpty()) {
      return;
    }
    for (String attribute : names) {
      String value = instruction.attributes().get(attribute);
      if (value != null && isWanted(attribute)) {
        attribute(attribute, value);
      }
    }
  }

  private boolean isWanted(String attribute) {
    return switch (attribute) {
      case "control-predecessors" ->
          options.has(Part.CONTROL_PREDECESSORS) && options.has(Part.INSTRUCTION_NAMES);
      case "backend_config" -> options.has(Part.BACKEND_CONFIGS);
      case "parameter_replication" -> options.has(Part.PARTICULARS);
      default -> true;
    };
  }

  private void attribute(String attribute, String value) {
    if (attribute.equals("frontend_attributes")) {
      AttributeText.requireFrontendNames(value);
    }
    text.append(", ").append(attribute).append('=').append(value);
  }

  // Called computations.

  private void called(HloInstruction instruction, int depth) {
    Op op = instruction.op();
    ImmutableList<String> callees = op.callees();
    List<HloComputation> called = instruction.called();
    for (int i = 0; i < callees.size() && i < called.size(); i++) {
      text.append(", ").append(callees.get(i)).append('=');
      text.append(options.has(Part.CALLED_NAMES) ? "" : "\n");
      callee(called.get(i), depth);
    }
    if (called.size() > callees.size()) {
      text.append(", ").append(op.calleeList().orElse("calls")).append("={");
      list(called.subList(callees.size(), called.size()), depth);
      text.append('}');
    }
  }

  private void list(List<HloComputation> called, int depth) {
    String newline = options.has(Part.CALLED_NAMES) ? "" : "\n";
    text.append(newline);
    for (int i = 0; i < called.size(); i++) {
      text.append(i == 0 ? "" : newline.isEmpty() ? ", " : ",\n");
      callee(called.get(i), depth);
    }
    text.append(newline);
  }

  private void callee(HloComputation computation, int depth) {
    if (options.has(Part.CALLED_NAMES)) {
      text.append(options.has(Part.PERCENT) ? "%" : "").append(computation.name());
    } else {
      bodies.print(computation, depth);
    }
  }

  private String shape(Shape shape) {
    return (options.has(Part.LAYOUTS) ? shape.withDefaultLayout() : shape.withoutLayout())
        .toString();
  }
}
