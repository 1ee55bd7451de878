package org.hlo4j.pjrt;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.child.ChildEvaluator;

/**
 * An evaluator whose plugin runs in processes of its own. What ends such a process, as a failed
 * check in the plugin, which is an abort, a crash or an overflow of its stack, is an exception
 * here: an {@link HloException} of the kind {@link HloException.Kind#ENDED}, which names the
 * program and says how the process ended, with the last lines of its standard error. The next
 * program gets a new process. So does the one after a run that took longer than the deadline
 * ({@link HloException.Kind#LIMIT}), or whose thread was interrupted ({@link
 * HloException.Kind#INTERRUPTED}): nothing else can stop a program on a plugin.
 *
 * <pre>{@code
 * try (PjrtEvaluator evaluator = PjrtEvaluator.isolated(plugin, PjrtOptions.DEFAULT)) {
 *   evaluator.run(module, x);
 * }
 * }</pre>
 *
 * <p>A process serves many programs: starting it costs about a second, a run some 100 microseconds
 * and the copies of the literals. An executable outlives its process; it is compiled again in the
 * next. What a plugin or the Java code beside it refuses is the same exception as without a process
 * of its own.
 *
 * <p>The processes have the Java, the class path or module path, the heap size and the system
 * properties {@code hlo4j.*} of this one, and its environment without {@code JAVA_TOOL_OPTIONS} and
 * {@code JDK_JAVA_OPTIONS}. {@link Isolation#environment} adds to it. They end with this process,
 * however it ends.
 */
public final class PjrtEvaluator implements Evaluator, AutoCloseable {
  private final ChildEvaluator children;

  private PjrtEvaluator(ChildEvaluator children) {
    this.children = children;
  }

  /**
   * How processes are kept apart.
   *
   * @param processes how many there are at most; threads that find none free wait for one
   * @param deadline the time in which each question is answered: to compile, to run once
   * @param startDeadline the time in which a process starts, its plugin is loaded and its client
   *     made
   * @param environment variables that are added to the environment, unless they are set there:
   *     {@code TF_CPP_MIN_LOG_LEVEL} is 2 without a word
   * @param javaOptions further options of the Java virtual machine
   */
  public record Isolation(
      int processes,
      Duration deadline,
      Duration startDeadline,
      ImmutableMap<String, String> environment,
      ImmutableList<String> javaOptions) {
    /** One process, ten minutes for each answer, one minute to start. */
    public static final Isolation DEFAULT =
        new Isolation(
            1,
            Duration.ofMinutes(10),
            Duration.ofMinutes(1),
            ImmutableMap.of("TF_CPP_MIN_LOG_LEVEL", "2"),
            ImmutableList.of());

    /**
     * Checks the numbers.
     *
     * @throws HloException if there is no process, or a time is not positive
     */
    public Isolation {
      require(processes > 0, "", "isolation: processes got %s, want at least 1", processes);
      require(
          deadline.isPositive() && startDeadline.isPositive(),
          "",
          "isolation: deadlines got %s and %s, want some time",
          deadline,
          startDeadline);
    }

    /**
     * Returns the same with another number of processes.
     *
     * @param number how many there are at most
     * @return the settings
     */
    public Isolation withProcesses(int number) {
      return new Isolation(number, deadline, startDeadline, environment, javaOptions);
    }

    /**
     * Returns the same with another deadline.
     *
     * @param time the time in which each question is answered
     * @return the settings
     */
    public Isolation withDeadline(Duration time) {
      return new Isolation(processes, time, startDeadline, environment, javaOptions);
    }

    /**
     * Returns the same with one more variable of the environment.
     *
     * @param name such as {@code XLA_FLAGS}
     * @param value its value, unless this process has one
     * @return the settings
     */
    public Isolation withEnvironment(String name, String value) {
      ImmutableMap<String, String> more =
          ImmutableMap.<String, String>builder()
              .putAll(environment)
              .put(name, value)
              .buildKeepingLast();
      return new Isolation(processes, deadline, startDeadline, more, javaOptions);
    }

    /**
     * Returns the same with other options of the Java virtual machine.
     *
     * @param options such as {@code -Xmx8g}
     * @return the settings
     */
    public Isolation withJavaOptions(List<String> options) {
      return new Isolation(
          processes, deadline, startDeadline, environment, ImmutableList.copyOf(options));
    }
  }

  /**
   * Returns an evaluator of a plugin in a process of its own, with {@link Isolation#DEFAULT}.
   *
   * @param plugin the shared library
   * @param options the options of its client
   * @return the evaluator, to be closed
   * @throws HloException of the kind {@link HloException.Kind#IO} if the process cannot be started,
   *     or the plugin not be loaded in it
   */
  public static PjrtEvaluator isolated(Path plugin, PjrtOptions options) {
    return isolated(plugin, options, Isolation.DEFAULT);
  }

  /**
   * Returns an evaluator of a plugin in processes of its own.
   *
   * @param plugin the shared library
   * @param options the options of its client
   * @param isolation how the processes are kept apart
   * @return the evaluator, to be closed
   * @throws HloException as {@link #isolated(Path, PjrtOptions)}
   */
  public static PjrtEvaluator isolated(Path plugin, PjrtOptions options, Isolation isolation) {
    return new PjrtEvaluator(IsolatedPlugin.evaluator(plugin, options, isolation));
  }

  @Override
  public Literal run(HloModule module, Literal... arguments) {
    return children.run(module, arguments);
  }

  @Override
  public Executable compile(HloModule module) {
    return children.compile(module);
  }

  @Override
  public ImmutableList<Literal> runOnDevices(
      HloModule module, DeviceGrid grid, List<List<Literal>> arguments) {
    return children.runOnDevices(module, grid, arguments);
  }

  /**
   * Lets the plugin itself judge a module, which hlo4j's verifier may refuse: it is compiled as it
   * is, as an HloModuleProto, for one device.
   *
   * @param module the module
   * @throws PjrtException if the plugin refuses it
   * @throws HloException if an HloModuleProto cannot carry it, or the process ends
   */
  public void requireCompiles(HloModule module) {
    children.answer(IsolatedPlugin.COMPILE + module.name(), HloProtos.writeModule(module));
  }

  /** Ends the processes; runs that are under way end first. */
  @Override
  public void close() {
    children.close();
  }
}
