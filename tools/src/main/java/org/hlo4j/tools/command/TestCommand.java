package org.hlo4j.tools.command;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.hlo4j.tools.cases.CaseRun;
import org.hlo4j.tools.cases.Outcome;
import org.hlo4j.tools.cases.SelfCheckingRun;
import org.hlo4j.tools.cases.TestCases;
import org.hlo4j.tools.console.FormatArguments;
import org.hlo4j.tools.console.OutputFiles;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.system.EvaluatorArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j test}. */
@Command(
    name = "test",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Runs programs on given inputs and compares the results with expected ones.",
    footerHeading = "%n",
    footer = {
      "A case is a folder with",
      "  program.hlo.txt      the program; see also --program",
      "  inputs/<i>.npy       argument i; inputs/device<k>/<i>.npy is its shard on device k",
      "  expected/<i>.npy     result i, tuples flattened; expected/device<k>/<i>.npy likewise",
      "  meta.json            optional, if the default tolerances do not suit",
      "hlo4j record writes such a folder. Inputs can also be named after the parameters.",
      "meta.json is {\"devices\": 1, \"inputs\": […], \"outputs\": […]}. Each array has \"file\","
          + " \"shape\" and \"dtype\"; outputs can also have \"exact\": true, or \"rtol\" and"
          + " \"atol\", and are exact without these.",
      "The default tolerances are rtol 1e-10 and atol 1e-12 for 64-bit floats, 1e-4 and 1e-5 for"
          + " 32-bit floats, 1e-2 and 0 for smaller ones.",
      "A result passes if |got - want| <= atol + rtol * |want|; infinities must have equal signs."
          + " Integers, booleans and exact results must be equal bit for bit. NaN always equals"
          + " NaN.",
      "The folder of a function exported by jax.export has export.bin, meta.json with \"cases\","
          + " case<k>/inputs and case<k>/expected.",
      "Files named *.mlir are self-checking: StableHLO with the ops check.expect_eq,"
          + " expect_almost_eq and expect_close, or with custom calls of these names; each module"
          + " of a file is a case.",
      "",
      "One line per case: ok NAME, FAIL NAME with the worst element or the reason, or UNSUPPORTED"
          + " NAME with the reason, which does not count as a failure. The exit status is 1 if a"
          + " case failed.",
      "",
      "Examples:",
      "  hlo4j test programs/",
      "  hlo4j test programs/ --program program.opt.hlo.txt"
    })
public final class TestCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "PATH",
      arity = "1..*",
      description = "Cases, self-checking files, or folders that contain them at any depth.",
      converter = OutputFiles.FolderConverter.class)
  private List<Path> paths = new ArrayList<>();

  @Option(
      names = {"-p", "--program"},
      paramLabel = "NAME",
      defaultValue = CaseRun.DEFAULT_PROGRAM,
      description =
          "The name of the program's file in each case. Default: ${DEFAULT-VALUE}, or else the only"
              + " program in the folder.")
  private String program = CaseRun.DEFAULT_PROGRAM;

  @Option(
      names = {"-q", "--quiet"},
      description = "Do not print cases that pass.")
  private boolean quiet;

  @Mixin private EvaluatorArguments evaluator;

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public TestCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    Map<String, Supplier<Outcome>> cases =
        TestCases.of(paths, new CaseRun(evaluator, program), new SelfCheckingRun(evaluator)).all();
    JsonArray testsJson = new JsonArray();
    int passed = 0;
    int failed = 0;
    try (Progress progress = Progress.of(spec, cases.size())) {
      for (Map.Entry<String, Supplier<Outcome>> test : cases.entrySet()) {
        progress.next(test.getKey());
        Outcome outcome = test.getValue().get();
        passed += outcome instanceof Outcome.Passed ? 1 : 0;
        failed += outcome instanceof Outcome.Failed ? 1 : 0;
        if (quiet && outcome instanceof Outcome.Passed) {
          continue;
        }
        if (format.isJson()) {
          testsJson.add(outcome.json(test.getKey()));
        } else {
          progress.output(() -> {
            out.println(outcome.line(test.getKey()));
            out.flush();
          });
        }
      }
    }
    int unsupported = cases.size() - passed - failed;
    if (format.isJson()) {
      FormatArguments.print(out, json(testsJson, passed, failed, unsupported));
    } else {
      out.println(passed + " passed, " + failed + " failed, " + unsupported + " unsupported");
    }
    return failed == 0 ? 0 : 1;
  }

  private static JsonObject json(JsonArray cases, int passed, int failed, int unsupported) {
    JsonObject json = new JsonObject();
    json.add("cases", cases);
    json.addProperty("passed", passed);
    json.addProperty("failed", failed);
    json.addProperty("unsupported", unsupported);
    return json;
  }
}
