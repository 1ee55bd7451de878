package org.hlo4j.pjrt.child;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.lang.reflect.Constructor;
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
 * The main class of a child process. Its first thread reads questions all the time, so that it sees
 * at once when the parent is gone; a second one, whose stack is large, works on them one by one.
 */
public final class ChildMain {
  /** What a plugin's compiler needs for deeply nested programs; only what is used is committed. */
  private static final long STACK_BYTES = Long.getLong("hlo4j.pjrt.stack", 512L << 20);

  private static final long EXIT_NANOS = 5_000_000_000L;
  private static final int MAX_FRAMES = 12;

  private final Map<Integer, Executable> programs = new HashMap<>();
  private @Nullable ChildSystem system;
  private @Nullable Evaluator evaluator;

  private ChildMain() {}

  /**
   * Answers questions until the parent asks for the end or is gone.
   *
   * @param arguments none
   * @throws IOException if the standard streams cannot be used
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Messages messages = new Messages(System.in, StandardStreams.claimOutput());
    ChildMain child = new ChildMain();
    SynchronousQueue<Question<?>> questions = new SynchronousQueue<>();
    Thread worker =
        new Thread(null, () -> child.work(questions, messages), "hlo4j-child", STACK_BYTES);
    worker.setDaemon(true);
    worker.start();
    try {
      while (true) {
        questions.put((Question<?>) messages.read());
      }
    } catch (IOException parentIsGone) {
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

  boolean start(String name, ImmutableMap<String, String> options) {
    try {
      Constructor<?> constructor = Class.forName(name).getDeclaredConstructor();
      constructor.setAccessible(true);
      ChildSystem made = (ChildSystem) constructor.newInstance();
      system = made;
      evaluator = made.evaluator(options);
      return true;
    } catch (ReflectiveOperationException missing) {
      throw new HloException(Kind.UNSUPPORTED, "child: got no class " + missing);
    }
  }

  Evaluator evaluator() {
    return known(evaluator, "evaluator");
  }

  ChildSystem system() {
    return known(system, "system");
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
    system().close();
    return true;
  }
}
