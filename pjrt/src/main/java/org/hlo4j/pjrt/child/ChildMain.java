package org.hlo4j.pjrt.child;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.interpreter.DeviceGrid;
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

  private final Map<Integer, Executable> programs = new HashMap<>();
  private @Nullable ChildSystem system;
  private @Nullable Evaluator evaluator;

  private ChildMain() {}

  /** What is to be done for a question; gives the parts of the answer. */
  @FunctionalInterface
  private interface Work {
    MessageWriter.Parts answer();
  }

  /**
   * Answers questions until the parent asks for the end or is gone.
   *
   * @param arguments none
   * @throws IOException if the standard streams cannot be used
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    MessageWriter out = new MessageWriter(StandardStreams.claimOutput());
    MessageReader in = new MessageReader(System.in);
    ChildMain child = new ChildMain();
    SynchronousQueue<Work> queue = new SynchronousQueue<>();
    Thread worker = new Thread(null, () -> child.work(queue, out), "hlo4j-child", STACK_BYTES);
    worker.setDaemon(true);
    worker.start();
    try {
      while (true) {
        queue.put(child.read(in));
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

  private void work(SynchronousQueue<Work> queue, MessageWriter out) {
    try {
      while (true) {
        Work work = queue.take();
        MessageWriter.Parts answer;
        int kind = Question.DONE;
        try {
          answer = work.answer();
        } catch (Throwable problem) { // whatever it is, the parent is to know
          kind = Question.FAILED;
          answer = writer -> Failure.write(writer, problem);
        }
        out.message(kind, answer);
      }
    } catch (IOException | InterruptedException parentIsGone) {
      exit();
    }
  }

  private Work read(MessageReader in) throws IOException {
    Question question = Question.values()[in.begin()];
    return in.rest(parts ->
        switch (question) {
          case START -> start(parts.text(), texts(parts));
          case COMPILE -> compile(parts.number(), parts.bytes());
          case BIND -> bind(parts.number(), parts.number(), literals(parts));
          case RUN -> run(parts.number(), parts.literals());
          case RUN_ON_DEVICES ->
              runOnDevices(
                  parts.number(),
                  parts.number(),
                  parts.number(),
                  parts.list(MessageReader::literals));
          case EXPLAIN -> explain(parts.number());
          case RELEASE -> release(parts.list(MessageReader::number));
          case ANSWER -> answer(parts.text(), parts.bytes());
          case END -> this::end;
        });
  }

  private static ImmutableMap<String, String> texts(MessageReader in) throws IOException {
    ImmutableList<String> names = in.texts();
    ImmutableList<String> values = in.texts();
    return Maps.toMap(names, name -> values.get(names.indexOf(name)));
  }

  private static ImmutableMap<String, Literal> literals(MessageReader in) throws IOException {
    ImmutableList<String> names = in.texts();
    ImmutableList<Literal> values = in.literals();
    return Maps.toMap(names, name -> values.get(names.indexOf(name)));
  }

  private Work start(String name, ImmutableMap<String, String> options) {
    return () -> {
      try {
        Constructor<?> constructor = Class.forName(name).getDeclaredConstructor();
        constructor.setAccessible(true);
        ChildSystem made = (ChildSystem) constructor.newInstance();
        system = made;
        evaluator = made.evaluator(options);
      } catch (ReflectiveOperationException missing) {
        throw new HloException(HloException.Kind.UNSUPPORTED, "child: got no class " + missing);
      }
      return MessageWriter.Parts.NONE;
    };
  }

  private Work compile(int number, byte[] module) {
    return () -> {
      programs.put(number, evaluator().compile(HloProtos.readModule(module)));
      return MessageWriter.Parts.NONE;
    };
  }

  private Work bind(int number, int of, ImmutableMap<String, Literal> arguments) {
    return () -> {
      programs.put(number, program(of).bind(arguments));
      return MessageWriter.Parts.NONE;
    };
  }

  private Work run(int number, List<Literal> arguments) {
    return () -> {
      Literal result = program(number).run(arguments.toArray(Literal[]::new));
      return out -> out.literal(result);
    };
  }

  private Work runOnDevices(
      int number, int replicas, int partitions, ImmutableList<ImmutableList<Literal>> arguments) {
    return () -> {
      ImmutableList<Literal> results =
          evaluator()
              .runOnDevices(
                  program(number).module(),
                  new DeviceGrid(replicas, partitions),
                  ImmutableList.copyOf(arguments));
      return out -> out.literals(results);
    };
  }

  private Work explain(int number) {
    return () -> {
      String plan = program(number).explain();
      return out -> out.text(plan);
    };
  }

  private Work release(List<Integer> numbers) {
    return () -> {
      for (int number : numbers) {
        if (programs.remove(number) instanceof AutoCloseable held) {
          close(held);
        }
      }
      return MessageWriter.Parts.NONE;
    };
  }

  private Work answer(String question, byte[] data) {
    return () -> {
      String text = system().answer(question, data);
      return out -> out.text(text);
    };
  }

  private MessageWriter.Parts end() {
    for (Executable program : programs.values()) {
      if (program instanceof AutoCloseable held) {
        close(held);
      }
    }
    close(system());
    return MessageWriter.Parts.NONE;
  }

  private static void close(AutoCloseable held) {
    try {
      held.close();
    } catch (RuntimeException problem) {
      throw problem;
    } catch (Exception problem) {
      throw new HloException(HloException.Kind.IO, "child: got " + problem + " when closing");
    }
  }

  private Executable program(int number) {
    Executable program = programs.get(number);
    HloException.require(
        program != null, HloException.Kind.ARGUMENT, "child: got no program %s", number);
    return program;
  }

  private Evaluator evaluator() {
    return known(evaluator);
  }

  private ChildSystem system() {
    return known(system);
  }

  private static <T> T known(@Nullable T started) {
    if (started == null) {
      throw new HloException(HloException.Kind.ARGUMENT, "child: got no system, want START first");
    }
    return started;
  }
}
