package org.hlo4j.tools.command;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.Multisets;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.CostAnalysis;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.vhlo.LeastVersion;
import org.hlo4j.tools.program.Origins;

/** A summary of a module as text and as JSON: its parameters, its instructions and its cost. */
final class Summary {
  private static final int MAX_ALIVE = 20;

  private final HloModule module;
  private final ImmutableList<HloInstruction> instructions;
  private final CostAnalysis cost;
  private final Origins origins;
  private final List<String> lines = new ArrayList<>();

  Summary(HloModule module) {
    this.module = module;
    this.instructions =
        module.computations().stream()
            .flatMap(computation -> computation.instructions().stream())
            .collect(toImmutableList());
    this.cost = CostAnalysis.of(module);
    this.origins = new Origins(module);
  }

  private String signature() {
    return module.entry().parameters().stream()
        .map(parameter -> nameOf(parameter) + ": " + shape(parameter))
        .collect(joining(", ", "(", ") -> " + shape(module.entry().root())));
  }

  /** Returns the name under which the argument of a parameter is given. */
  private String nameOf(HloInstruction parameter) {
    return module.parameterNames().get(((Parameter) parameter.op()).number());
  }

  private static String shape(HloInstruction instruction) {
    return instruction.shape().withoutLayout().toString();
  }

  /** Returns the ops, the most frequent ones first, and those of equal count by name. */
  private ImmutableMultiset<String> ops() {
    ImmutableMultiset<String> byName =
        instructions.stream()
            .map(instruction -> instruction.op().opcode())
            .sorted()
            .collect(toImmutableMultiset());
    return Multisets.copyHighestCountFirst(byName);
  }

  private ImmutableList<HloInstruction> constants() {
    return instructions.stream()
        .filter(instruction -> instruction.op() instanceof Constant)
        .collect(toImmutableList());
  }

  private static double bytes(List<HloInstruction> instructions) {
    return instructions.stream()
        .mapToDouble(instruction -> CostAnalysis.bytes(instruction.shape()))
        .sum();
  }

  private double parameterElements() {
    return module.entry().parameters().stream()
        .mapToDouble(parameter -> elements(parameter.shape()))
        .sum();
  }

  private static double elements(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> array.elementCount();
      case Shape.Tuple tuple -> tuple.elements().stream().mapToDouble(Summary::elements).sum();
      case Shape.Buffer buffer -> buffer.array().elementCount();
      case Shape.Token _, Shape.Opaque _ -> 0;
    };
  }

  // Text.

  /** Returns the lines of the text. */
  List<String> lines() {
    lines.add(module.name() + ": " + signature());
    addOps();
    addParameters();
    line(
        "result",
        String.format(
            Locale.ROOT,
            "%s, %s",
            shape(module.entry().root()),
            formatBytes(CostAnalysis.bytes(root()))));
    line(
        "constants",
        String.format(
            Locale.ROOT,
            "%s, %s",
            count(constants().size(), "array"),
            formatBytes(bytes(constants()))));
    line(
        "operations",
        String.format(
            Locale.ROOT,
            "%,.0f, and %,.0f transcendental functions",
            cost.flops(),
            cost.transcendentals()));
    line("bytes accessed", formatBytes(cost.bytesAccessed()));
    addLoops();
    addPeak();
    leastVersion().ifPresent(least -> line("artifact", "StableHLO " + least));
    return lines;
  }

  /** Returns the least version of StableHLO that can hold the module; none if none can. */
  private Optional<LeastVersion> leastVersion() {
    try {
      return Optional.of(StableHlo.leastVersion(StableHlo.fromHlo(module)));
    } catch (HloException noCounterpart) {
      return Optional.empty();
    }
  }

  private Shape root() {
    return module.entry().root().shape();
  }

  private void line(String name, String text) {
    lines.add(String.format("%-16s", name) + text);
  }

  private static String count(int count, String what) {
    return String.format(Locale.ROOT, "%,d %s%s", count, what, count == 1 ? "" : "s");
  }

  private void addOps() {
    line(
        "instructions",
        String.format(
            Locale.ROOT,
            "%,d in %s",
            instructions.size(),
            count(module.computations().size(), "computation")));
    addTable(
        ops().entrySet().stream()
            .map(op ->
                new String[] {op.getElement(), String.format(Locale.ROOT, "%,d", op.getCount())})
            .collect(toImmutableList()));
  }

  private void addParameters() {
    ImmutableList<HloInstruction> parameters = module.entry().parameters();
    line(
        "parameters",
        String.format(
            Locale.ROOT,
            "%s, %,.0f elements, %s",
            count(parameters.size(), "value"),
            parameterElements(),
            formatBytes(bytes(parameters))));
    addTable(parameters.stream().map(this::row).collect(toImmutableList()));
  }

  private String[] row(HloInstruction parameter) {
    return new String[] {
      nameOf(parameter), shape(parameter), formatBytes(CostAnalysis.bytes(parameter.shape()))
    };
  }

  private void addLoops() {
    if (!cost.uncountedLoops().isEmpty()) {
      line(
          "counted once",
          String.format(
              Locale.ROOT,
              "%s, whose iterations are not known",
              cost.uncountedLoops().stream().map(HloInstruction::name).collect(joining(", "))));
    }
  }

  private void addPeak() {
    line(
        "peak memory",
        String.format(
            Locale.ROOT,
            "%s, at %s",
            formatBytes((double) cost.peakBytes()),
            cost.peakAt().name()));
    addTable(
        cost.alive().stream()
            .limit(MAX_ALIVE)
            .map(alive -> row(alive.instruction(), alive.bytes()))
            .collect(toImmutableList()));
    List<CostAnalysis.Alive> more = cost.alive().stream().skip(MAX_ALIVE).toList();
    if (!more.isEmpty()) {
      double bytes = more.stream().mapToDouble(CostAnalysis.Alive::bytes).sum();
      lines.add("  and " + more.size() + " more of " + formatBytes(bytes));
    }
  }

  private String[] row(HloInstruction instruction, long bytes) {
    return new String[] {
      instruction.name(),
      shape(instruction),
      formatBytes((double) bytes),
      instruction.op().opcode(),
      origins.of(instruction).map(SourceLine::toString).orElse("")
    };
  }

  /** Adds rows whose columns have the least sufficient width. */
  private void addTable(ImmutableList<String[]> rows) {
    int columns = rows.isEmpty() ? 0 : rows.get(0).length;
    int[] widths = new int[columns];
    for (int i = 0; i < columns; i++) {
      int column = i;
      widths[i] = rows.stream().mapToInt(row -> row[column].length()).max().orElse(0);
    }
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        line.append("  ").append(row[i]).append(" ".repeat(widths[i] - row[i].length()));
      }
      lines.add(line.toString().stripTrailing());
    }
  }

  private static String formatBytes(double bytes) {
    return bytes < 10_000
        ? String.format(Locale.ROOT, "%.0f B", bytes)
        : bytes < 1e7
            ? String.format(Locale.ROOT, "%.1f kB", bytes / 1e3)
            : bytes < 1e10
                ? String.format(Locale.ROOT, "%.1f MB", bytes / 1e6)
                : String.format(Locale.ROOT, "%.1f GB", bytes / 1e9);
  }

  // JSON.

  /** Returns the summary as JSON. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("module", module.name());
    json.addProperty("signature", signature());
    json.addProperty("computations", module.computations().size());
    json.addProperty("instructions", instructions.size());
    JsonObject ops = new JsonObject();
    ops().entrySet().forEach(op -> ops.addProperty(op.getElement(), op.getCount()));
    json.add("ops", ops);
    JsonArray parameters = new JsonArray();
    module.entry().parameters().forEach(each -> parameters.add(value(nameOf(each), each)));
    json.add("parameters", parameters);
    json.addProperty("parameterElements", (long) parameterElements());
    json.addProperty("parameterBytes", (long) bytes(module.entry().parameters()));
    json.add("result", value(module.entry().root().name(), module.entry().root()));
    json.addProperty("constants", constants().size());
    json.addProperty("constantBytes", (long) bytes(constants()));
    json.addProperty("flops", (long) cost.flops());
    json.addProperty("transcendentals", (long) cost.transcendentals());
    json.addProperty("bytesAccessed", (long) cost.bytesAccessed());
    JsonArray loops = new JsonArray();
    cost.uncountedLoops().forEach(loop -> loops.add(loop.name()));
    json.add("loopsCountedOnce", loops);
    json.addProperty("peakBytes", cost.peakBytes());
    json.addProperty("peakInstruction", cost.peakAt().name());
    JsonArray alive = new JsonArray();
    cost.alive().forEach(array -> alive.add(alive(array)));
    json.add("alive", alive);
    leastVersion()
        .ifPresent(least -> {
          json.addProperty("artifactVersion", least.version().toString());
          JsonArray operations = new JsonArray();
          least.operations().forEach(operations::add);
          json.add("artifactOperations", operations);
        });
    return json;
  }

  private static JsonObject value(String name, HloInstruction instruction) {
    JsonObject json = new JsonObject();
    json.addProperty("name", name);
    json.addProperty("shape", shape(instruction));
    json.addProperty("bytes", (long) CostAnalysis.bytes(instruction.shape()));
    return json;
  }

  private JsonObject alive(CostAnalysis.Alive array) {
    JsonObject json = new JsonObject();
    json.addProperty("name", array.instruction().name());
    json.addProperty("op", array.instruction().op().opcode());
    json.addProperty("shape", shape(array.instruction()));
    json.addProperty("bytes", array.bytes());
    origins
        .of(array.instruction())
        .ifPresent(line -> {
          json.addProperty("sourceFile", line.file());
          json.addProperty("sourceLine", line.line());
        });
    return json;
  }
}
