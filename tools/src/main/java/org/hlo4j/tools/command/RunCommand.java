package org.hlo4j.tools.command;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Closer;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Transfers;
import org.hlo4j.pjrt.PjrtEvaluator;
import org.hlo4j.tools.console.FormatArguments;
import org.hlo4j.tools.console.OutputFiles;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.console.ResultJson;
import org.hlo4j.tools.console.Results;
import org.hlo4j.tools.console.ValueText;
import org.hlo4j.tools.input.InfeedArguments;
import org.hlo4j.tools.input.InputArguments;
import org.hlo4j.tools.system.EvaluatorArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j run}. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Runs a program and prints its results as HLO literals.",
    footerHeading = "\n",
    footer = {
      "Examples:",
      "  hlo4j run f.hlo --input x.npy v.npy",
      "  hlo4j run f.hlo --input params.npz x=x.npy --convert",
      "  hlo4j run f.hlo --input 'f32[2] {1, 2}' 7 --all",
      "  hlo4j run f.hlo --random 1 --output results --deadline 10s",
      "  hlo4j run f.hlo --random 1 --evaluator pjrt:cpu --isolated",
      "",
      "The elements of a tuple are printed one by one, each after its index."
    })
public final class RunCommand implements Callable<Integer> {
  private static final long MAX_SHOWN = 100;

  /** The folder of what outfeed got, beside the results. */
  static final String OUTFEED = "outfeed";

  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private InputArguments inputs;

  @Mixin private InfeedArguments infeed;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "DIR",
      description =
          "Write result i to DIR/<i>.npy; with several devices, to DIR/device<k>/<i>.npy. What"
              + " outfeed got is written to the folder outfeed beside them.",
      converter = OutputFiles.FolderConverter.class)
  private Optional<Path> output = Optional.empty();

  @Option(
      names = {"-a", "--all"},
      description =
          "Print all elements. Without it, only the ends of arrays with more than 100 elements.")
  private boolean all;

  @Option(
      names = "--check-bounds",
      description =
          "Refuse the first index of a gather, scatter, dynamic-slice or dynamic-update-slice that"
              + " is out of bounds, where XLA would move the slice or leave out the window.")
  private boolean checkBounds;

  @Option(
      names = "--isolated",
      description =
          "Run a plugin in a process of its own: a program that ends it is told, with its last"
              + " lines, and a run that is longer than --deadline is stopped.")
  private boolean isolated;

  @Mixin private EvaluatorArguments evaluator;

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public RunCommand() {}

  /** The results of all devices, and what outfeed got on each. */
  private record Ran(List<Literal> results, List<ImmutableList<Literal>> outfeed) {
    boolean hasOutfeed() {
      return outfeed.stream().anyMatch(values -> !values.isEmpty());
    }
  }

  @Override
  public Integer call() throws IOException {
    Ran ran = run();
    List<Literal> results = ran.results();
    if (format.isJson()) {
      FormatArguments.print(out(), json(ran));
    } else {
      print(results);
      printOutfeed(ran.outfeed());
    }
    if (output.isPresent()) {
      for (int device = 0; device < results.size(); device++) {
        Path folder = folder(output.get(), device, results.size());
        Results.write(results.get(device), folder);
        ImmutableList<Literal> outfeed = ran.outfeed().get(device);
        if (!outfeed.isEmpty() || Files.isDirectory(folder.resolve(OUTFEED))) {
          Results.write(Literal.tuple(outfeed), folder.resolve(OUTFEED));
        }
      }
    }
    return 0;
  }

  private Ran run() throws IOException {
    try (Closer closer = Closer.create();
        Progress progress = Progress.of(spec, 0)) {
      Transfers transfers = Transfers.create();
      Evaluator runner = isolated ? isolated(closer) : evaluator(progress, transfers);
      if (output.isPresent()) {
        OutputFiles.makeFolder(output.get());
      }
      progress.next("reading " + file);
      InputArguments.Prepared prepared = inputs.prepare(file);
      infeed.program(prepared, evaluator.options()).feed(transfers);
      progress.next("running " + file);
      List<Literal> results = prepared.run(runner);
      return new Ran(
          results, IntStream.range(0, results.size()).mapToObj(transfers::takeFedOut).toList());
    }
  }

  private Evaluator evaluator(Progress progress, Transfers transfers) {
    return evaluator.evaluator(
        evaluator.options(progress, transfers).toBuilder().checkBounds(checkBounds).build());
  }

  private Evaluator isolated(Closer closer) {
    require(!checkBounds, "", "--check-bounds got a plugin, want an evaluator of hlo4j");
    PjrtEvaluator plugin = evaluator.isolated();
    closer.register(plugin::close);
    return plugin;
  }

  private void printOutfeed(List<ImmutableList<Literal>> devices) {
    for (int device = 0; device < devices.size(); device++) {
      for (int i = 0; i < devices.get(device).size(); i++) {
        String of = devices.size() == 1 ? "" : "device " + device + " ";
        print(devices.get(device).get(i), of + OUTFEED + " " + i + ": ");
      }
    }
  }

  private JsonObject json(Ran ran) {
    JsonObject json = new JsonObject();
    json.add("results", json(ran.results(), ""));
    if (ran.hasOutfeed()) {
      json.add(OUTFEED, json(ran.outfeed().stream().map(Literal::tuple).toList(), OUTFEED));
    }
    return json;
  }

  /** Returns the values of all devices, which are written to a folder of each device. */
  private JsonArray json(List<Literal> values, String folder) {
    JsonArray arrays = new JsonArray();
    for (int i = 0; i < values.size(); i++) {
      int device = i;
      new ResultJson(
              arrays,
              values.size() == 1 ? Optional.empty() : Optional.of(device),
              output.map(all -> folder(all, device, values.size()).resolve(folder)),
              maxShown())
          .add(values.get(i), "");
    }
    return arrays;
  }

  private void print(List<Literal> results) {
    boolean alike = results.stream().distinct().count() == 1;
    for (int device = 0; device < (alike ? 1 : results.size()); device++) {
      out().print(heading(device, results.size(), alike));
      print(results.get(device), "");
    }
  }

  private long maxShown() {
    return all ? Long.MAX_VALUE : MAX_SHOWN;
  }

  private static String heading(int device, int devices, boolean alike) {
    return devices == 1
        ? ""
        : alike
            ? String.format(Locale.ROOT, "all %d devices:\n", devices)
            : String.format(Locale.ROOT, "device %d:\n", device);
  }

  private static Path folder(Path output, int device, int devices) {
    return devices > 1 ? output.resolve("device" + device) : output;
  }

  private void print(Literal value, String path) {
    if (value.elements().isEmpty()) {
      out().println(path + ValueText.lines(value, maxShown()));
    }
    for (int i = 0; i < value.elements().size(); i++) {
      String index = path.isEmpty() ? "" + i : path.replace(": ", "." + i);
      print(value.element(i), index + ": ");
    }
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
