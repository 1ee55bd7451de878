package org.hlo4j.suite;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fails a test class that takes too much processor time, and a run of test classes that takes too
 * much together, so that the suite stays short. Processor time, because it hardly depends on what
 * else the machine does: of the class, that of its own thread; of the run, that of the whole
 * process with its compilers.
 *
 * <p>A class tagged {@code slow} may take longer, and each one at night. The system property {@code
 * hlo4j.test.budget} is the most seconds of a run; {@code hlo4j.test.times} is a file to which the
 * times of the classes are added.
 */
public final class SuiteBudget implements BeforeAllCallback, AfterAllCallback {
  /** What takes 10 s on an idle machine takes up to twice and a half as long where CI runs. */
  private static final double MAX_SECONDS =
      Boolean.getBoolean("hlo4j.test.nightly") ? Double.POSITIVE_INFINITY : 25;

  private static final Namespace NAMESPACE = Namespace.create(SuiteBudget.class);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  @Override
  public void beforeAll(ExtensionContext context) {
    context.getRoot().getStore(NAMESPACE).computeIfAbsent(Run.class, key -> new Run(), Run.class);
    context.getStore(NAMESPACE).put(context.getUniqueId(), THREADS.getCurrentThreadCpuTime());
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    Long start = context.getStore(NAMESPACE).get(context.getUniqueId(), Long.class);
    double seconds = (THREADS.getCurrentThreadCpuTime() - start) / 1e9;
    String name = context.getRequiredTestClass().getName();
    String times = System.getProperty("hlo4j.test.times", "");
    if (!times.isEmpty()) {
      Files.writeString(
          Path.of(times),
          String.format("%.2f %s%n", seconds, name),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
    if (seconds > MAX_SECONDS && !context.getTags().contains("slow")) {
      throw new AssertionError(
          String.format(
              "%s took %.1f s of processor time, want at most %.0f, or the tag \"slow\"",
              name, seconds, MAX_SECONDS));
    }
  }

  /** All test classes of this process. */
  private static final class Run implements AutoCloseable {
    @Override
    public void close() {
      double budget = Double.parseDouble(System.getProperty("hlo4j.test.budget", "Infinity"));
      double seconds =
          ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis() / 1e3;
      if (seconds > budget) {
        throw new AssertionError(
            String.format(
                "these tests took %.0f s of processor time, want at most %.0f", seconds, budget));
      }
    }
  }
}
