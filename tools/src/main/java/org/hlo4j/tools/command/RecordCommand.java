package org.hlo4j.tools.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.source.WholeFile;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.tools.cases.CaseRun;
import org.hlo4j.tools.cases.TestCase;
import org.hlo4j.tools.console.OutputFiles;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.console.Results;
import org.hlo4j.tools.input.InputArguments;
import org.hlo4j.tools.system.EvaluatorArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j record}. */
@Command(
    name = "record",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Runs a program and writes it as a case for hlo4j test, with its inputs and results.",
    footerHeading = "%n",
    footer = {
      "The folder will contain program.hlo.txt, inputs/<i>.npy and expected/<i>.npy; with several"
          + " devices, inputs/device<k>/<i>.npy and expected/device<k>/<i>.npy.",
      "",
      "Examples:",
      "  hlo4j record f.hlo --input x.npy v.npy -o cases/f",
      "  hlo4j record f.hlo --random 1 --evaluator reference -o cases/f"
    })
public final class RecordCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private InputArguments inputs;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "DIR",
      required = true,
      description = "The folder for the case; it must not contain a case yet.",
      converter = OutputFiles.FolderConverter.class)
  private Path output;

  @Mixin private EvaluatorArguments evaluator;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public RecordCommand() {}

  @Override
  public Integer call() throws IOException {
    try (Progress progress = Progress.of(spec, 0)) {
      Evaluator runner = evaluator.evaluator(progress);
      requireNone(output);
      OutputFiles.makeFolder(output);
      progress.next("reading " + file);
      InputArguments.Prepared prepared = inputs.prepare(file);
      prepared.arguments().get(0).forEach(Literal::arrayShape);
      progress.next("running " + file);
      write(prepared, prepared.run(runner));
    }
    return 0;
  }

  /**
   * Writes a whole case, or nothing: its parts are moved into their places when all are written.
   */
  private void write(InputArguments.Prepared prepared, List<Literal> results) throws IOException {
    Path beside = Files.createTempDirectory(output, ".hlo4j-");
    try {
      writeTo(beside, prepared, results);
      for (String part : List.of(TestCase.INPUTS, TestCase.EXPECTED, CaseRun.DEFAULT_PROGRAM)) {
        Files.move(beside.resolve(part), output.resolve(part));
      }
    } finally {
      MoreFiles.deleteRecursively(beside, RecursiveDeleteOption.ALLOW_INSECURE);
    }
    int devices = results.size();
    int count = results.get(devices - 1).arrays().size();
    spec.commandLine()
        .getOut()
        .println(
            output
                + ": "
                + counted(prepared.arguments().get(0).size(), "input")
                + " and "
                + counted(count, "result")
                + (devices > 1 ? " on each of " + devices + " devices" : ""));
  }

  private static void writeTo(Path to, InputArguments.Prepared prepared, List<Literal> results)
      throws IOException {
    String program = Printer.print(prepared.program().module());
    WholeFile.write(to.resolve(CaseRun.DEFAULT_PROGRAM), out -> out.write(program.getBytes(UTF_8)));
    int devices = results.size();
    for (int device = 0; device < devices; device++) {
      Literal arguments = Literal.tuple(prepared.arguments().get(device));
      Results.write(arguments, folder(to.resolve(TestCase.INPUTS), device, devices));
      Results.write(results.get(device), folder(to.resolve(TestCase.EXPECTED), device, devices));
    }
  }

  private static void requireNone(Path folder) {
    for (String part :
        List.of(CaseRun.DEFAULT_PROGRAM, TestCase.INPUTS, TestCase.EXPECTED, TestCase.META)) {
      require(
          !Files.exists(folder.resolve(part)),
          "",
          "%s: holds %s already, want another folder",
          folder,
          part);
    }
  }

  private static String counted(int count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  private static Path folder(Path folder, int device, int devices) {
    return devices > 1 ? folder.resolve("device" + device) : folder;
  }
}
