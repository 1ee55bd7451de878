package org.hlo4j.tools.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.check.Runner.OtherSystem;
import org.hlo4j.check.command.CommandTemplate;
import org.hlo4j.check.command.ProgramForms;
import org.hlo4j.check.external.ExternalRunner;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.StableHlo;
import picocli.CommandLine.Option;

/** The options of every command that can run programs on another system. */
public final class SystemArguments {
  private static final ImmutableMap<String, Function<HloModule, byte[]>> STABLE_HLO =
      ImmutableMap.of(
          "mlir", module -> StableHlo.print(StableHlo.fromHlo(module)).getBytes(UTF_8),
          "mlirbc", module -> StableHlo.toArtifact(StableHlo.fromHlo(module), Optional.empty()));

  /** The forms of a program that a command may ask for. */
  public static final ProgramForms FORMS = ProgramForms.of(STABLE_HLO);

  @Option(
      names = "--with",
      paramLabel = "COMMAND",
      description = {
        "Another system. For each program, {hlo} becomes a file with HLO text, {pb} an"
            + " HloModuleProto, {mlir} StableHLO text, {mlirbc} a StableHLO artifact, {inputs} the"
            + " .npy files of the arguments, {results} a folder for 0.npy, 1.npy …",
        "A command without these is started once. It reads a line for each program: the file of"
            + " HLO text, the folder, the inputs, separated by tabs. It answers ok, or error and"
            + " the reason."
      })
  private Optional<String> command = Optional.empty();

  @Option(
      names = "--evaluator",
      paramLabel = "NAME",
      description =
          "A PJRT plugin, in a process of its own, such as pjrt:cpu or"
              + " pjrt:/path/plugin.so,cpu_device_count=2.")
  private Optional<String> evaluator = Optional.empty();

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  SystemArguments() {}

  public boolean isGiven() {
    return command.isPresent() || evaluator.isPresent();
  }

  public boolean isCommand() {
    return command.isPresent();
  }

  /** Returns what the system is called in reports. */
  public String name() {
    return evaluator.orElse("the other system");
  }

  /** Returns the other system. */
  public OtherSystem system(Optional<Duration> deadline) {
    if (evaluator.isPresent()) {
      require(command.isEmpty(), "", "got --with and --evaluator, want one of them");
      return new PluginSystem(PjrtEvaluators.isolated(evaluator.get(), deadline));
    }
    return new ExternalRunner(
        command.orElse(""), deadline.orElse(CommandTemplate.DEFAULT_DEADLINE), STABLE_HLO);
  }
}
