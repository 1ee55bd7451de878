package org.hlo4j.tools.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hlo4j.check.diff.ModuleDiff;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.hlo.source.WholeFile;
import org.hlo4j.interpreter.CostAnalysis;
import org.hlo4j.tools.console.FormatArguments;
import org.hlo4j.tools.graph.DiffPage;
import org.hlo4j.tools.program.Findings;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.OptimizedForm;
import org.hlo4j.tools.program.ProgramChoice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j diff}. */
@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeOnExecutionException = 2,
    description =
        "Compares two programs: which instructions correspond, whatever their names are, and what"
            + " changed.",
    footerHeading = "\n",
    footer = {
      "- is what only A has, + what only B has, ~ what changed. Names and metadata do not count."
          + " The exit status is 0 if the programs are the same, 1 if not, 2 if one cannot be"
          + " read.",
      "",
      "Examples:",
      "  hlo4j diff before.hlo after.hlo",
      "  hlo4j diff before.hlo after.hlo --format json",
      "  hlo4j diff before_optimizations.txt after_optimizations.txt --flatten --ignore layout",
      "  hlo4j diff before.hlo after.hlo --html diff.html",
      "  hlo4j diff f.hlo --optimized pjrt:cpu --flatten --ignore layout",
      "  hlo4j diff f.hlo g.hlo --optimized pjrt:cpu"
    })
public final class DiffCommand implements Callable<Integer> {
  private static final int MAX_NAMES = 3;
  private static final Pattern OPERAND = Pattern.compile("operand \\d+");

  @Parameters(index = "0", paramLabel = "A", description = "A program.")
  private String first;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "B",
      description = "Another one. Default: with --optimized, what the plugin makes of A.")
  private Optional<String> second = Optional.empty();

  @Option(
      names = "--flatten",
      description =
          "Match what fusions and calls compute as if it stood where they are called: for programs"
              + " before and after fusion.")
  private boolean flatten;

  @Option(
      names = "--ignore",
      paramLabel = "WHAT",
      split = ",",
      description =
          "Changes that do not count, as the output names them: layout, sharding, operand 0,"
              + " backend_config …")
  private List<String> ignored = List.of();

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write a page with both programs next to each other.")
  private Optional<Path> html = Optional.empty();

  @Mixin private ProgramChoice choice;

  @Mixin private OptimizedForm optimized;

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  DiffCommand() {}

  @Override
  public Integer call() throws IOException {
    if (second.isEmpty() && !optimized.isRequested()) {
      throw new ParameterException(spec.commandLine(), "got 1 program, want 2, or --optimized");
    }
    HloModule a = second.isPresent() ? optimized.of(read(first)).module() : read(first).module();
    HloModule b = optimized.of(read(second.orElse(first))).module();
    requireKnown(a, b);
    ModuleDiff diff =
        (flatten ? ModuleDiff.ofFlattened(a, b) : ModuleDiff.of(a, b))
            .ignoring(ImmutableSet.copyOf(ignored));
    if (html.isPresent()) {
      String page = DiffPage.of(first, second.orElse("optimized"), diff);
      WholeFile.write(html.get(), to -> to.write(page.getBytes(UTF_8)));
    }
    if (format.isJson()) {
      FormatArguments.print(out(), json(diff));
    } else {
      print(a, b, diff);
    }
    return diff.isSame() ? 0 : 1;
  }

  /** Refuses words of {@code --ignore} that no change is called. */
  private void requireKnown(HloModule a, HloModule b) {
    Set<String> known = ModuleDiff.changeNames(a, b);
    for (String word : ignored) {
      if (!known.contains(word) && !OPERAND.matcher(word).matches()) {
        String nearest = Nearest.to(word, known);
        throw new ParameterException(
            spec.commandLine(),
            "--ignore got "
                + word
                + (nearest.isEmpty() ? "" : " (did you mean " + nearest + "?)")
                + ", want operand N, "
                + String.join(", ", ModuleDiff.CHANGE_NAMES)
                + " or an attribute of one of the programs");
      }
    }
  }

  private LoadedProgram read(String file) throws IOException {
    LoadedProgram program = choice.one(file);
    Findings.verify(program);
    return program;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private void print(HloModule a, HloModule b, ModuleDiff diff) {
    out().println("A: " + cost(a));
    out().println("B: " + cost(b));
    if (diff.isSame()) {
      out().println("the same, but for names and metadata");
      return;
    }
    long same = diff.computations().stream().mapToLong(each -> each.same().size()).sum();
    long changed = diff.computations().stream().mapToLong(each -> each.changed().size()).sum();
    out()
        .printf(
            "%d the same, %d changed, %d only in A, %d only in B\n",
            same, changed, diff.removed().size(), diff.added().size());
    diff.attributes()
        .forEach(each ->
            out().println("~ module: " + each.what() + " " + each.from() + " to " + each.to()));
    if (flatten) {
      printFusions(diff);
    }
    diff.computations().forEach(this::print);
    diff.onlyInFirst().forEach(each -> print("- ", each));
    diff.onlyInSecond().forEach(each -> print("+ ", each));
  }

  /** Tells how many instructions that correspond are inside of fusions or calls. */
  private void printFusions(ModuleDiff diff) {
    List<ModuleDiff.Pair> pairs =
        diff.computations().stream()
            .flatMap(each -> Stream.concat(each.same().stream(), each.changed().stream()))
            .toList();
    long first = pairs.stream().filter(each -> isFused(each.first())).count();
    long second = pairs.stream().filter(each -> isFused(each.second())).count();
    long moved =
        pairs.stream().filter(each -> isFused(each.first()) != isFused(each.second())).count();
    out()
        .printf(
            "of those in both, %d are in fusions of A, %d in fusions of B, %d of one only\n",
            first, second, moved);
    FusionChanges.lines(diff).forEach(out()::println);
  }

  private static boolean isFused(HloInstruction instruction) {
    return !FusionChanges.fusion(instruction).isEmpty();
  }

  private static String cost(HloModule module) {
    int instructions =
        module.computations().stream().mapToInt(each -> each.instructions().size()).sum();
    CostAnalysis cost = CostAnalysis.of(module);
    return String.format(
        Locale.ROOT,
        "%s, %,d instructions, %,.0f FLOP, %,.0f bytes read and written",
        module.name(),
        instructions,
        cost.flops(),
        cost.bytesAccessed());
  }

  private void print(String sign, HloComputation computation) {
    out()
        .println(
            sign
                + "computation "
                + computation.name()
                + " of "
                + computation.instructions().size()
                + " instructions");
  }

  private void print(ModuleDiff.ComputationDiff diff) {
    if (diff.changed().isEmpty() && diff.removed().isEmpty() && diff.added().isEmpty()) {
      return;
    }
    out().println("computation " + diff.first().name() + " / " + diff.second().name() + ":");
    print("  - ", diff.removed());
    print("  + ", diff.added());
    ListMultimap<String, ModuleDiff.Pair> groups =
        MultimapBuilder.linkedHashKeys().arrayListValues().build();
    for (ModuleDiff.Pair pair : diff.changed()) {
      groups.put(pair.first().op().opcode() + ": " + changes(pair), pair);
    }
    groups.asMap().forEach((text, pairs) -> out().println("  ~ " + line(text, List.copyOf(pairs))));
  }

  private static String changes(ModuleDiff.Pair pair) {
    return pair.changes().stream()
        .map(each -> each.what() + " " + each.from() + " to " + each.to())
        .collect(Collectors.joining(", "));
  }

  private static String line(String text, List<ModuleDiff.Pair> pairs) {
    String names =
        pairs.stream()
            .limit(MAX_NAMES)
            .map(each ->
                each.first().name().equals(each.second().name())
                    ? each.first().name()
                    : each.first().name() + " / " + each.second().name())
            .collect(Collectors.joining(", "));
    return counted(pairs.size()) + text + " (" + names + more(pairs.size()) + ")";
  }

  private static String counted(int count) {
    return count == 1 ? "" : count + " ";
  }

  private static String more(int count) {
    return count > MAX_NAMES ? ", …" : "";
  }

  private void print(String sign, List<HloInstruction> instructions) {
    ListMultimap<String, HloInstruction> groups =
        MultimapBuilder.linkedHashKeys().arrayListValues().build();
    instructions.forEach(
        each -> groups.put(each.op().opcode() + " " + each.shape().withoutLayout(), each));
    groups
        .asMap()
        .forEach((text, group) ->
            out().println(sign + counted(group.size()) + text + names(group) + flops(group)));
  }

  private static String flops(Collection<HloInstruction> group) {
    double flops = CostAnalysis.flops(group);
    return flops == 0 ? "" : String.format(Locale.ROOT, ", %,.0f FLOP", flops);
  }

  private static String names(Iterable<HloInstruction> group) {
    List<HloInstruction> all = ImmutableList.copyOf(group);
    String names =
        all.stream().limit(MAX_NAMES).map(HloInstruction::name).collect(Collectors.joining(", "));
    String scope = all.get(0).metadata().opName();
    return " (" + names + more(all.size()) + ")" + (scope.isEmpty() ? "" : " of " + scope);
  }

  private static JsonObject json(ModuleDiff diff) {
    JsonObject json = new JsonObject();
    json.addProperty("same", diff.isSame());
    json.add("attributes", changes(diff.attributes()));
    JsonArray pairs = new JsonArray();
    for (ModuleDiff.ComputationDiff computation : diff.computations()) {
      computation.same().forEach(pair -> pairs.add(json(pair)));
      computation.changed().forEach(pair -> pairs.add(json(pair)));
    }
    json.add("pairs", pairs);
    json.add("removed", instructions(diff, ModuleDiff.ComputationDiff::removed, true));
    json.add("added", instructions(diff, ModuleDiff.ComputationDiff::added, false));
    return json;
  }

  private static JsonObject json(ModuleDiff.Pair pair) {
    JsonObject json = new JsonObject();
    json.addProperty("a", pair.first().name());
    json.addProperty("b", pair.second().name());
    json.add("changes", changes(pair.changes()));
    return json;
  }

  private static JsonArray changes(List<ModuleDiff.Change> all) {
    JsonArray changes = new JsonArray();
    for (ModuleDiff.Change each : all) {
      JsonObject change = new JsonObject();
      change.addProperty("what", each.what());
      change.addProperty("from", each.from());
      change.addProperty("to", each.to());
      changes.add(change);
    }
    return changes;
  }

  private static JsonArray instructions(
      ModuleDiff diff,
      Function<ModuleDiff.ComputationDiff, List<HloInstruction>> some,
      boolean isFirst) {
    JsonArray all = new JsonArray();
    for (ModuleDiff.ComputationDiff each : diff.computations()) {
      add(all, isFirst ? each.first() : each.second(), some.apply(each));
    }
    (isFirst ? diff.onlyInFirst() : diff.onlyInSecond())
        .forEach(each -> add(all, each, each.instructions()));
    return all;
  }

  private static void add(
      JsonArray all, HloComputation computation, List<HloInstruction> instructions) {
    for (HloInstruction instruction : instructions) {
      JsonObject json = new JsonObject();
      json.addProperty("name", instruction.name());
      json.addProperty("computation", computation.name());
      json.addProperty("opcode", instruction.op().opcode());
      json.addProperty("shape", instruction.shape().toString());
      all.add(json);
    }
  }
}
