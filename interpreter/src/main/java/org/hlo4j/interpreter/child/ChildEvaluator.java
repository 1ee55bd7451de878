package org.hlo4j.interpreter.child;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.Uninterruptibles;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;

/**
 * An evaluator whose programs run in child processes, as many at a time as there are children: a
 * thread that finds none waits for one. A child that has ended, or that was stopped since its time
 * was over, is replaced when the next program comes.
 */
public final class ChildEvaluator implements Evaluator, AutoCloseable {
  private static final Duration CLOSE = Duration.ofSeconds(10);

  private final Settings settings;
  private final BlockingQueue<Optional<ChildProcess>> places;
  private volatile boolean isClosed;

  /**
   * What children are to do.
   *
   * @param command how they are started
   * @param options those of what runs programs in them: texts, numbers, or arrays of numbers
   * @param children how many there are at most
   * @param startDeadline the time in which one has to start
   * @param deadline the time in which one has to answer
   */
  public record Settings(
      ChildCommand command,
      ImmutableMap<String, Object> options,
      int children,
      Duration startDeadline,
      Duration deadline) {}

  /**
   * Creates an evaluator and starts its first child.
   *
   * @param settings what children are to do
   * @throws HloException of the kind {@code IO} if the child does not start
   */
  public ChildEvaluator(Settings settings) {
    this.settings = settings;
    this.places = new ArrayBlockingQueue<>(settings.children());
    for (int i = 0; i < settings.children(); i++) {
      places.add(Optional.empty());
    }
    inChild(child -> true);
  }

  Duration deadline() {
    return settings.deadline();
  }

  /** Does some work with a child that nobody else uses meanwhile. */
  <T> T inChild(Function<ChildProcess, T> work) {
    Optional<ChildProcess> child;
    try {
      child = places.take();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HloException(Kind.INTERRUPTED, "child: interrupted while waiting");
    }
    try {
      HloException.require(!isClosed, "", "child: got a closed evaluator, want an open one");
      ChildProcess ready =
          child.filter(each -> each.isReady(settings.deadline())).orElseGet(this::started);
      child = Optional.of(ready);
      return work.apply(ready);
    } finally {
      places.add(child);
    }
  }

  private ChildProcess started() {
    ChildProcess child = ChildProcess.start(settings.command());
    try {
      Question.Start start = new Question.Start(settings.options());
      child.ask(start, "", settings.startDeadline());
      return child;
    } catch (HloException refused) {
      child.kill();
      boolean isOurs = refused.kind() == Kind.INTERRUPTED;
      String why = "child: cannot be started: " + refused.summary(); // no program is at fault
      throw (HloException)
          new HloException(isOurs ? Kind.INTERRUPTED : Kind.IO, why).initCause(refused);
    }
  }

  @Override
  public Literal run(HloModule module, Literal... arguments) {
    ChildExecutable program = program(module);
    try {
      return program.run(arguments);
    } finally {
      program.release();
    }
  }

  @Override
  public Executable compile(HloModule module) {
    return program(module).compiled();
  }

  private ChildExecutable program(HloModule module) {
    HloException.require(module != null, "", "run: module is null");
    return ChildExecutable.of(this, module);
  }

  @Override
  public ImmutableList<Literal> runOnDevices(
      HloModule module, DeviceGrid grid, List<List<Literal>> arguments) {
    ChildExecutable program = program(module);
    try {
      return program.runOnDevices(grid, arguments);
    } finally {
      program.release();
    }
  }

  /**
   * Asks the system in a child a question that is not about a program it has.
   *
   * @param question the question, as the reports of an end name it
   * @param data what it is about
   * @return its answer
   * @throws HloException if it has none, or the child ended
   */
  public String answer(String question, byte[] data) {
    return inChild(
        child -> child.ask(new Question.Other(question, data), question, settings.deadline()));
  }

  /** Ends the children; runs that are under way end first. */
  @Override
  public void close() {
    isClosed = true;
    for (int i = 0; i < settings.children(); i++) {
      Optional<ChildProcess> child = Uninterruptibles.takeUninterruptibly(places);
      places.add(Optional.empty());
      child.ifPresent(each -> each.close(CLOSE));
    }
  }
}
