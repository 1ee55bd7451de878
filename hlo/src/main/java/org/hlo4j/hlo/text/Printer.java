package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.AttributeText;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;

/**
 * Writes modules as HLO text, such as XLA's parser accepts.
 *
 * <pre>
 *   HloModule bias, entry_computation_layout={(f32[2,3]{1,0}, f32[3]{0})-&gt;f32[2,3]{1,0}}
 *
 *   ENTRY %bias (x: f32[2,3], v: f32[3]) -&gt; f32[2,3] {
 *     %x = f32[2,3]{1,0} parameter(0)
 *     ...
 *   }
 * </pre>
 */
public final class Printer {
  private static final int LARGE_CONSTANT = 10;
  private static final String ENTRY_LAYOUT = "entry_computation_layout";

  /** Attributes of any instruction that stand before the metadata, in XLA's order. */
  private static final ImmutableList<String> BEFORE_METADATA =
      ImmutableList.of(
          "sharding", "frontend_attributes", "control-predecessors", "statistics", "origin");

  /** Those that stand behind it. */
  private static final ImmutableList<String> AFTER_METADATA = ImmutableList.of("backend_config");

  private final PrintOptions options;
  private final StringBuilder text = new StringBuilder();

  private Printer(PrintOptions options) {
    this.options = options;
  }

  /**
   * A module as text, in full.
   *
   * @param module the module
   * @return the text
   */
  public static String print(HloModule module) {
    return print(module, PrintOptions.FULL);
  }

  /**
   * A module as text.
   *
   * @param module the module
   * @param options what to write
   * @return the text
   */
  public static String print(HloModule module, PrintOptions options) {
    return new Printer(options).module(module);
  }

  private String module(HloModule module) {
    text.append("HloModule ").append(module.name());
    if (!module.attributes().containsKey(ENTRY_LAYOUT)) {
      entryLayout(module.entry().programShape());
    }
    module.attributes().forEach(this::attribute);
    text.append('\n');
    if (options.metadata() && !module.stackFrames().isEmpty()) {
      text.append('\n').append(module.stackFrames()).append("\n\n");
    }
    for (HloComputation computation : module.computations()) {
      text.append('\n');
      computation(computation, computation == module.entry());
    }
    return text.toString();
  }

  private void entryLayout(ProgramShape entry) {
    text.append(", ").append(ENTRY_LAYOUT).append("={");
    text.append(joined(entry.parameters(), shape -> shape.withDefaultLayout().toString()));
    text.append("->").append(entry.result().withDefaultLayout()).append('}');
  }

  private void computation(HloComputation computation, boolean isEntry) {
    text.append(isEntry ? "ENTRY " : "").append(name(computation.name()));
    if (options.programShapes()) {
      text.append(' ')
          .append(
              joined(
                  computation.parameters(),
                  parameter -> parameter.name() + ": " + parameter.shape().withoutLayout()))
          .append(" -> ")
          .append(computation.root().shape().withoutLayout());
    }
    text.append(" {\n");
    for (HloInstruction instruction : computation.instructions()) {
      text.append(instruction == computation.root() ? "  ROOT " : "  ");
      instruction(instruction);
      text.append('\n');
    }
    text.append('}');
    if (!computation.executionThread().isEmpty()) {
      attribute("execution_thread", AttributeText.quoted(computation.executionThread()));
    }
    text.append('\n');
  }

  private void instruction(HloInstruction instruction) {
    text.append(name(instruction.name())).append(" = ").append(shape(instruction.shape()));
    text.append(' ').append(instruction.op().opcode()).append('(');
    switch (instruction.op()) {
      case Parameter parameter -> text.append(parameter.number());
      case Constant constant -> text.append(constant(constant.literal()));
      default -> operands(instruction.operands());
    }
    text.append(')');
    Attributes.append(text, instruction.op());
    called(instruction);
    Attributes.appendTrailing(text, instruction.op());
    instruction.attributes().forEach(this::ownAttribute);
    attributes(instruction, BEFORE_METADATA);
    if (options.metadata() && !instruction.metadata().equals(Metadata.NONE)) {
      attribute("metadata", MetadataText.print(instruction.metadata()));
    }
    attributes(instruction, AFTER_METADATA);
  }

  private void ownAttribute(String attribute, String value) {
    if (!BEFORE_METADATA.contains(attribute) && !AFTER_METADATA.contains(attribute)) {
      attribute(attribute, value);
    }
  }

  private void attributes(HloInstruction instruction, List<String> names) {
    for (String attribute : names) {
      String value = instruction.attributes().get(attribute);
      if (value != null) {
        attribute(attribute, value);
      }
    }
  }

  private void attribute(String attribute, String value) {
    text.append(", ").append(attribute).append('=').append(value);
  }

  private void operands(List<HloInstruction> operands) {
    for (int i = 0; i < operands.size(); i++) {
      text.append(i == 0 ? "" : ", ");
      text.append(i > 0 && i % 5 == 0 && options.percent() ? "/*index=" + i + "*/" : "");
      text.append(options.operandShapes() ? shape(operands.get(i).shape()) + " " : "");
      text.append(name(operands.get(i).name()));
    }
  }

  private void called(HloInstruction instruction) {
    ImmutableList<String> callees = instruction.op().callees();
    for (int i = 0; i < callees.size() && i < instruction.called().size(); i++) {
      text.append(", ").append(callees.get(i)).append('=');
      text.append(name(instruction.called().get(i).name()));
    }
    if (instruction.called().size() > callees.size()) {
      List<HloComputation> listed =
          instruction.called().subList(callees.size(), instruction.called().size());
      text.append(", ").append(instruction.op().calleeList().orElse("calls")).append('=');
      text.append(
          listed.stream()
              .map(callee -> name(callee.name()))
              .collect(Collectors.joining(", ", "{", "}")));
    }
  }

  private String constant(Literal literal) {
    boolean large =
        !(literal.shape() instanceof Shape.Array array) || array.elementCount() > LARGE_CONSTANT;
    return large && !options.largeConstants() ? "{...}" : literal.toHloText();
  }

  private String shape(Shape shape) {
    return (options.layouts() ? shape.withDefaultLayout() : shape.withoutLayout()).toString();
  }

  private String name(String name) {
    return options.percent() ? "%" + name : name;
  }

  private static <T> String joined(List<T> parts, Function<T, String> print) {
    return parts.stream().map(print).collect(Collectors.joining(", ", "(", ")"));
  }
}
