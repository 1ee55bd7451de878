package org.hlo4j.tools;

import static org.hlo4j.hlo.HloException.require;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hlo4j test}. */
@Command(
    name = "test",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Runs programs on given inputs and compares their results with given ones.",
    footerHeading = "%n",
    footer = {
      "A case is a folder with",
      "  program.hlo.txt      the program, or what --program says",
      "  inputs/<i>.npy       argument i; inputs/device<k>/<i>.npy its shard on device k",
      "  expected/<i>.npy     result i, tuples flattened; expected/device<k>/<i>.npy likewise",
      "  meta.json            {\"devices\": 1, \"inputs\": […], \"outputs\": […]}, of each array"
          + " \"file\", \"shape\", \"dtype\" and of outputs \"exact\": true or \"rtol\", \"atol\"",
      "A result passes if |got - want| <= atol + rtol * |want|; NaN is NaN, infinities are equal in"
          + " sign. Exact ones, integers and booleans must be the same bit for bit.",
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
      description = "Cases, or folders of cases at any depth.",
      converter = OutputFiles.FolderConverter.class)
  private List<Path> paths = new ArrayList<>();

  @Option(
      names = {"-p", "--program"},
      paramLabel = "NAME",
      defaultValue = "program.hlo.txt",
      description = "The program's file in each folder. Default: ${DEFAULT-VALUE}.")
  private String program = "program.hlo.txt";

  @Option(
      names = {"-q", "--quiet"},
      description = "Print no line for cases that pass.")
  private boolean quiet;

  @Mixin private EvaluatorArguments evaluator;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  TestCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    CaseRun run = new CaseRun(evaluator.evaluator(), program);
    Map<String, Path> cases = cases();
    int passed = 0;
    int failed = 0;
    try (Progress progress = new Progress(spec.commandLine().getErr(), cases.size())) {
      for (Map.Entry<String, Path> test : cases.entrySet()) {
        progress.next(test.getKey());
        Outcome outcome = run.outcome(test.getValue());
        passed += outcome instanceof Outcome.Passed ? 1 : 0;
        failed += outcome instanceof Outcome.Failed ? 1 : 0;
        if (!(quiet && outcome instanceof Outcome.Passed)) {
          progress.clear();
          out.println(outcome.line(test.getKey()));
          out.flush();
        }
      }
    }
    int unsupported = cases.size() - passed - failed;
    out.println(passed + " passed, " + failed + " failed, " + unsupported + " unsupported");
    return failed == 0 ? 0 : 1;
  }

  /** Name and folder of each, in order; the name is the path within what was given. */
  private Map<String, Path> cases() throws IOException {
    Map<String, Path> cases = new LinkedHashMap<>();
    for (Path path : paths) {
      List<Path> folders = CaseRun.folders(path);
      require(
          !folders.isEmpty(), "", "%s: no case in it, want folders with %s", path, TestCase.META);
      folders.forEach(folder -> cases.put(name(path, folder, cases), folder));
    }
    return cases;
  }

  private static String name(Path path, Path folder, Map<String, Path> taken) {
    String within = path.relativize(folder).toString();
    String name =
        within.isEmpty() ? folder.toAbsolutePath().normalize().getFileName() + "" : within;
    return taken.containsKey(name) ? folder.toString() : name;
  }
}
