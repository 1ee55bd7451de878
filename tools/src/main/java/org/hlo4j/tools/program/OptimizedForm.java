package org.hlo4j.tools.program;

import java.util.Optional;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.pjrt.PjrtCompileOptions;
import org.hlo4j.pjrt.PjrtExecutable;
import org.hlo4j.tools.system.PjrtEvaluators;
import picocli.CommandLine.Option;

/** The option of commands that look at what the compiler of a plugin makes of a program. */
public final class OptimizedForm {
  @Option(
      names = "--optimized",
      paramLabel = "PLUGIN",
      description =
          "Look at what the compiler of a PJRT plugin makes of the program, for the devices that it"
              + " is written for: pjrt:cpu or pjrt:/path/plugin.so,cpu_device_count=4.")
  private Optional<String> plugin = Optional.empty();

  @SuppressWarnings("NullAway.Init") // the field is set by picocli
  OptimizedForm() {}

  public boolean isRequested() {
    return plugin.isPresent();
  }

  /** Returns what the plugin makes of a program; the program itself if no plugin is requested. */
  public LoadedProgram of(LoadedProgram program) {
    if (plugin.isEmpty()) {
      return program;
    }
    HloModule optimized = program.named(() -> optimized(program.module(), plugin.get()));
    return new LoadedProgram(program.name(), optimized, Optional.empty());
  }

  private static HloModule optimized(HloModule module, String plugin) {
    PjrtCompileOptions options = PjrtCompileOptions.DEFAULT.withGrid(DeviceGrid.of(module));
    try (PjrtExecutable executable = PjrtEvaluators.client(plugin).compile(module, options)) {
      return executable.optimizedProgram();
    }
  }
}
