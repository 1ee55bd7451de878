package org.hlo4j.pjrt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.Nullable;

/**
 * XLA's CPU plugin, on which tests run: the file that {@code -Dhlo4j.pjrt.plugin} or {@code
 * HLO4J_PJRT_CPU_PLUGIN} names. Tests are skipped without one.
 */
public final class CpuPlugin {
  private static final Optional<Path> FILE =
      Optional.ofNullable(System.getenv("HLO4J_PJRT_CPU_PLUGIN"))
          .or(() -> Optional.ofNullable(System.getProperty("hlo4j.pjrt.plugin")))
          .map(Path::of)
          .filter(Files::exists);

  private static @Nullable PjrtClient client;

  private CpuPlugin() {}

  /** Returns the file; skips the test if there is none. */
  public static Path file() {
    assumeTrue(
        FILE.isPresent(),
        "no CPU plugin: .ci/pjrt-plugin fetches it, or -Dhlo4j.pjrt.plugin=FILE names one");
    return FILE.orElseThrow();
  }

  /** Returns the plugin; skips the test if there is none. */
  public static PjrtPlugin plugin() {
    return PjrtPlugin.load(file());
  }

  /** Returns a client of 4 devices that all tests share; skips the test if there is no plugin. */
  public static synchronized PjrtClient client() {
    PjrtPlugin plugin = plugin();
    if (client == null) {
      client = plugin.client(PjrtOptions.DEFAULT.with("cpu_device_count", 4));
    }
    return client;
  }

  /** Compiles StableHLO: the body of a function of one argument {@code %a} and one result. */
  static PjrtExecutable compile(String argument, String result, String body) {
    return compile(
        "module @m { func.func @main(%a: tensor<"
            + argument
            + ">) -> tensor<"
            + result
            + "> { "
            + body
            + " } }");
  }

  /** Compiles StableHLO. */
  static PjrtExecutable compile(String stableHlo) {
    return client().compile(stableHlo.getBytes(UTF_8), "mlir", PjrtCompileOptions.DEFAULT);
  }

  /** Returns the whole message of what something throws. */
  static String refusal(Runnable call) {
    try {
      call.run();
    } catch (HloException refused) {
      return refused.getMessage();
    }
    return "(none)";
  }
}
