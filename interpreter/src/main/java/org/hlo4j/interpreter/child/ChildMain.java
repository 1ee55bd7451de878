package org.hlo4j.interpreter.child;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.jspecify.annotations.Nullable;

/**
 * The life of a child process. Its first thread reads questions all the time, so that it sees at
 * once when the parent is gone; a second one, whose stack is large, works on them one by one.
 */
public final class ChildMain {
  /** What compilers need for deeply nested programs; only what is used is committed. */
  private static final long STACK_BYTES = Long.getLong("hlo4j.child.stack", 512L << 20);

  private static final long EXIT_NANOS = 5_000_000_000L;
  private static final int MAX_FRAMES = 12;

  private final Map<Integer, Executable> programs = new HashMap<>();
  private final ChildSystem system;
  private @Nullable Evaluator evaluator;

  private ChildMain(ChildSystem system) {
    this.system = system;
  }

  /**
   * Answers questions until the parent asks for the end or is gone. It is what the main method of a
   * system does.
   *
   * @param system what runs programs in this process
   */
  public static void serve(ChildSystem system) {
    try {
      Messages messages = new Messages(System.in, StandardStreams.claimOutput());
      ChildMain child = new ChildMain(system);
      SynchronousQueue<Question<?>> questions = new SynchronousQueue<>();
      Thread worker =
          new Thread(null, () -> child.work(questions, messages), "hlo4j-child", STACK_BYTES);
      worker.setDaemon(true);
      worker.start();
      while (true) {
        questions.put((Question<?>) messages.read());
      }
    } catch (IOException | InterruptedException parentIsGone) {
      exit();
    }
  }

  /** Ends this process; shutdown hooks, which close what is open, have some seconds. */
  private static void exit() {
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          LockSupport.parkNanos(EXIT_NANOS);
          Runtime.getRuntime().halt(0);
        });
    System.exit(0);
  }

  private void work(SynchronousQueue<Question<?>> questions, Messages messages) {
    try {
      while (true) {
        messages.write(answer(questions.take()));
      }
    } catch (IOException | InterruptedException parentIsGone) {
      exit();
    }
  }

  private Object answer(Question<?> question) {
    try {
      return question.answer(this);
    } catch (HloException refusal) {
      return refusal;
    } catch (Throwable problem) { // whatever it is, the parent is to know
      String frames =
          Throwables.getStackTraceAsString(problem)
              .lines()
              .skip(1)
              .limit(MAX_FRAMES)
              .map(String::strip)
              .collect(Collectors.joining("\n"));
      boolean isLimit = problem instanceof VirtualMachineError;
      return new HloException(isLimit ? Kind.LIMIT : Kind.UNSUPPORTED, "child threw " + problem)
          .with("stack", frames);
    }
  }

  boolean start(ImmutableMap<String, Object> options) {
    evaluator = system.evaluator(options);
    return true;
  }

  Evaluator evaluator() {
    return known(evaluator, "evaluator");
  }

  ChildSystem system() {
    return system;
  }

  boolean keep(int number, Executable program) {
    return programs.put(number, program) == null;
  }

  Executable program(int number) {
    return known(programs.get(number), "program " + number);
  }

  private static <T> T known(@Nullable T started, String what) {
    if (started == null) {
      throw new HloException(Kind.ARGUMENT, "child: got no " + what + ", want it first");
    }
    return started;
  }

  boolean release(ImmutableList<Integer> numbers) {
    return programs.keySet().removeAll(numbers);
  }

  boolean close() {
    programs.clear();
    system.close();
    return true;
  }
}
