package org.hlo4j.hlo.text;

import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.source.ReadLimits;
import org.hlo4j.hlo.text.PrintOptions.Part;

/**
 * A printer of modules as HLO text that XLA's parser accepts.
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
  private static final String ENTRY_LAYOUT = "entry_computation_layout";

  /** The attributes of a module in XLA's order. */
  private static final ImmutableList<String> ORDER =
      ImmutableList.of(
          "is_scheduled",
          "input_output_alias",
          "buffer_donor",
          "alias_passthrough_params",
          ENTRY_LAYOUT,
          "allow_spmd_sharding_propagation_to_parameters",
          "allow_spmd_sharding_propagation_to_output",
          "replica_count",
          "num_partitions",
          "frontend_attributes",
          "origin_recovery_table");

  /**
   * The largest text with nested bodies: nested bodies can be far more numerous than computations.
   */
  private static final int LONGEST_WITH_BODIES = 1 << 28;

  private final HloModule module;
  private final PrintOptions options;
  private final StringBuilder text = new StringBuilder();
  private final AsyncShortForm sugar;
  private final InstructionPrinter instructions;

  private Printer(HloModule module, PrintOptions options) {
    this.module = module;
    this.options = options;
    this.sugar = new AsyncShortForm(module);
    this.instructions = new InstructionPrinter(text, options, sugar, this::nested);
  }

  /**
   * Prints a module with {@link PrintOptions#FULL}.
   *
   * @param module the module
   * @return the text
   */
  public static String print(HloModule module) {
    return print(module, PrintOptions.FULL);
  }

  /**
   * Prints a module.
   *
   * @param module the module
   * @param options what to write
   * @return the text
   * @throws HloException if called computations are to be written with their bodies, and the text
   *     becomes too long or too deep
   */
  public static String print(HloModule module, PrintOptions options) {
    requireNonNull(module, "module");
    requireNonNull(options, "options");
    return ReadLimits.guarded("HLO text", () -> new Printer(module, options).module());
  }

  /**
   * Prints each instruction of a module: its line, without {@code ROOT}.
   *
   * @param module the module
   * @param options what to write
   * @return the text by instruction, in the order of the module
   * @throws HloException as {@link #print(HloModule, PrintOptions)} does
   */
  public static ImmutableMap<HloInstruction, String> instructions(
      HloModule module, PrintOptions options) {
    requireNonNull(module, "module");
    requireNonNull(options, "options");
    Printer printer = new Printer(module, options);
    ImmutableMap.Builder<HloInstruction, String> lines = ImmutableMap.builder();
    for (HloComputation computation : module.computations()) {
      printer.instructions.nameAll(
          computation,
          () -> computation.instructions().forEach(i -> lines.put(i, printer.line(i))));
    }
    return lines.buildOrThrow();
  }

  private String line(HloInstruction instruction) {
    text.setLength(0);
    instructions.print(instruction, 1);
    return text.toString();
  }

  private String module() {
    text.append("HloModule ").append(options.has(Part.PARTICULARS) ? module.name() : "");
    header();
    text.append('\n');
    if (options.has(Part.METADATA) && !module.stackFrames().isEmpty()) {
      text.append('\n').append(module.stackFrames()).append("\n\n");
    }
    for (HloComputation computation : shown()) {
      text.append('\n');
      computation(computation, computation == module.entry());
    }
    return text.toString();
  }

  /**
   * Writes the header: attributes that XLA knows in its order, then the others in the order of the
   * module.
   */
  private void header() {
    Map<String, String> attributes = new LinkedHashMap<>(module.attributes());
    AttributeText.requireFrontendNames(attributes.getOrDefault("frontend_attributes", ""));
    attributes.computeIfAbsent(ENTRY_LAYOUT, _ -> entryLayout(module.entry().programShape()));
    Stream.concat(ORDER.stream(), module.attributes().keySet().stream())
        .distinct()
        .filter(attributes::containsKey)
        .forEach(name -> text.append(", ").append(name).append('=').append(attributes.get(name)));
  }

  private List<HloComputation> shown() {
    return module.computations().stream().filter(c -> !sugar.hides(c)).toList();
  }

  private static String entryLayout(ProgramShape entry) {
    Shape parameters = new Shape.Tuple(ImmutableList.copyOf(entry.parameters()));
    return "{" + parameters.withDefaultLayout() + "->" + entry.result().withDefaultLayout() + "}";
  }

  private void computation(HloComputation computation, boolean isEntry) {
    text.append(isEntry ? "ENTRY " : "");
    if (options.has(Part.PARTICULARS)) {
      text.append(options.has(Part.PERCENT) ? "%" : "").append(computation.name()).append(' ');
    }
    if (options.has(Part.PROGRAM_SHAPES)) {
      text.append(joined(computation.parameters(), Printer::declaration));
      text.append(" -> ").append(computation.root().shape().withoutLayout()).append(' ');
    }
    body(computation, 0);
    thread(computation);
    text.append('\n');
  }

  private void thread(HloComputation computation) {
    if (!computation.executionThread().isEmpty() && options.has(Part.PARTICULARS)) {
      text.append(", execution_thread=");
      text.append(AttributeText.quoted(computation.executionThread()));
    }
  }

  private static String declaration(HloInstruction parameter) {
    return parameter.name() + ": " + parameter.shape().withoutLayout();
  }

  /** Writes a computation where it is called. */
  private void nested(HloComputation computation, int depth) {
    HloException.require(
        depth <= ComputationParser.MAX_NESTED && text.length() < LONGEST_WITH_BODIES,
        "",
        "printer: got calls nested so deep or so often that their bodies do not fit, want"
            + " PrintOptions with CALLED_NAMES");
    text.append("  ".repeat(depth));
    body(computation, depth);
    thread(computation);
  }

  private void body(HloComputation computation, int depth) {
    text.append("{\n");
    instructions.nameAll(
        computation,
        () -> {
          for (HloInstruction instruction : computation.instructions()) {
            text.append("  ".repeat(depth + 1));
            text.append(instruction == computation.root() ? "ROOT " : "");
            instructions.print(instruction, depth + 1);
            text.append('\n');
            requireRoom();
          }
        });
    text.append("  ".repeat(depth)).append('}');
  }

  /**
   * Limits the length of the text: with operand shapes, each element of a tuple can be written with
   * the shapes of all.
   */
  private void requireRoom() {
    HloException.require(
        text.length() < LONGEST_WITH_BODIES || !options.has(Part.OPERAND_SHAPES),
        "",
        "printer: got more than %s characters, want PrintOptions without OPERAND_SHAPES",
        LONGEST_WITH_BODIES);
  }

  private static <T> String joined(List<T> parts, Function<T, String> print) {
    return parts.stream().map(print).collect(Collectors.joining(", ", "(", ")"));
  }
}
