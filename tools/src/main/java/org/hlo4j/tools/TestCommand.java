package org.hlo4j.tools;

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
    description = "Runs programs on given inputs and compares their results with given ones.",
    footerHeading = "%n",
    footer = {
      "A case is a folder with",
      "  program.hlo.txt      the program, the only one of another name, or what --program says",
      "  inputs/<i>.npy       argument i; inputs/device<k>/<i>.npy its shard on device k",
      "  expected/<i>.npy     result i, tuples flattened; expected/device<k>/<i>.npy likewise",
      "  meta.json            if the usual tolerances do not suit: {\"devices\": 1,"
          + " \"inputs\": […], \"outputs\": […]}, of each array \"file\", \"shape\", \"dtype\" and"
          + " of outputs \"exact\": true or \"rtol\", \"atol\"",
      "hlo4j record writes one. Usual are rtol 1e-10 and atol 1e-12 for 64-bit floats, 1e-4 and"
          + " 1e-5 for 32, 1e-2 and 0 for fewer. Inputs may have the parameters' names.",
      "A result passes if |got - want| <= atol + rtol * |want|; NaN is NaN, infinities are equal in"
          + " sign. Exact ones, integers and booleans must be the same bit for bit.",
      "A folder of an exported function has export.bin, meta.json with \"cases\", and"
          + " case<k>/inputs and case<k>/expected.",
      "Files named *.mlir check themselves: StableHLO with ops check.expect_eq, expect_almost_eq"
          + " and expect_close, or custom calls of these names; each module of a file is a case.",
      "",
      "One line a case: ok NAME, FAIL NAME with the worst element or the reason, UNSUPPORTED NAME"
          + " with the reason, which fails nothing. The status is 1 if a case failed.",
      "",
      "Examples:",
      "  hlo4j test programs/",
      "  hlo4j test programs/ --program program.opt.hlo.txt"
    })
final class TestCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "PATH",
      arity = "1..*",
      description = "Cases, self-checking files, or folders of them at any depth.",
      converter = OutputFiles.FolderConverter.class)
  private List<Path> paths = new ArrayList<>();

  @Option(
      names = {"-p", "--program"},
      paramLabel = "NAME",
      defaultValue = CaseRun.DEFAULT_PROGRAM,
      description = "The program's file in each folder. Default: ${DEFAULT-VALUE}.")
  private String program = CaseRun.DEFAULT_PROGRAM;

  @Option(
      names = {"-q", "--quiet"},
      description = "Print no line for cases that pass.")
  private boolean quiet;

  @Mixin private EvaluatorArguments evaluator;

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  TestCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    Map<String, Supplier<Outcome>> cases =
        TestCases.of(
                paths, new CaseRun(evaluator.evaluator(), program), new SelfCheckingRun(evaluator))
            .all();
    JsonArray told = new JsonArray();
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
          told.add(outcome.json(test.getKey()));
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
      FormatArguments.print(out, json(told, passed, failed, unsupported));
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
