package org.hlo4j.interpreter.child;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;

/** The reference, which does what the name of a module says before it compiles it. */
public final class FaultySystem implements ChildSystem {
  /** Serves it. */
  public static void main(String[] none) {
    ChildMain.serve(new FaultySystem());
  }

  @Override
  public Evaluator evaluator(ImmutableMap<String, Object> options) {
    perform(options.getOrDefault("start", "").toString());
    return new Faulty(Interpreter.reference());
  }

  @Override
  public String answer(String question, byte[] data) {
    return switch (question) {
      case "pid" -> "" + ProcessHandle.current().pid();
      case "environment" -> "" + System.getenv("HLO4J_TEST_CHILD") + " " + System.getenv("HOME");
      case "long" -> "long ".repeat(data.length);
      default -> ChildSystem.super.answer(question, data);
    };
  }

  private record Faulty(Evaluator reference) implements Evaluator {
    @Override
    public Literal run(HloModule module, Literal... arguments) {
      return compile(module).run(arguments);
    }

    @Override
    public Executable compile(HloModule module) {
      perform(module.name());
      return reference.compile(module);
    }

    @Override
    public ImmutableList<Literal> runOnDevices(
        HloModule module, DeviceGrid grid, List<List<Literal>> arguments) {
      return reference.runOnDevices(module, grid, arguments);
    }
  }

  private static void perform(String what) {
    switch (what) {
      case "halts" -> {
        System.err.println("WARNING: All log messages before absl::InitializeLog() is called are");
        System.err.println("F0000 00:00:12.345 678 literal.cc:100] Check failed: rank == 2 ");
        System.err.println("*** Check failure stack trace: ***");
        Runtime.getRuntime().halt(134);
      }
      case "aborts" -> call("abort", FunctionDescriptor.ofVoid());
      case "crashes" ->
          call(
              "strlen",
              FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
              MemorySegment.NULL);
      case "exits" -> {
        System.err.println("Unknown flag in XLA_FLAGS: --xla_nothing");
        System.exit(1);
      }
      case "ends_well" -> Runtime.getRuntime().halt(0);
      case "throws" -> throw new IllegalStateException("broken");
      case "refuses" ->
          throw new HloException("add C1", "add got f32[2], want f32[3]")
              .withKind(HloException.Kind.VERIFY)
              .withPosition(new SourcePosition(3, 15))
              .withInstruction("sum")
              .with("operands", "x\ny")
              .with("at", "at f.py:7");
      case "recurses" -> recurse(0);
      case "loops" -> loop();
      case "prints" -> {
        System.out.println("Java's garbage");
        try (Arena arena = Arena.ofConfined()) {
          call(
              "puts",
              FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
              arena.allocateFrom("native garbage"));
          call(
              "fflush",
              FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
              MemorySegment.NULL);
        }
      }
      case "floods" -> System.err.println("0123456789\n".repeat(200_000));
      case "ends_later" ->
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                LockSupport.parkNanos(200_000_000L);
                Runtime.getRuntime().halt(7);
              });
      case "leaves_a_process" -> {
        try {
          new ProcessBuilder("sleep", "20").inheritIO().start();
        } catch (IOException impossible) {
          throw new UncheckedIOException(impossible);
        }
        Runtime.getRuntime().halt(3);
      }
      default -> {}
    }
  }

  private static int recurse(int depth) {
    return depth < 0 ? depth : recurse(depth + 1) + 1;
  }

  private static void loop() {
    while (!Thread.interrupted()) {
      Thread.onSpinWait();
    }
  }

  @SuppressWarnings("restricted")
  private static void call(String function, FunctionDescriptor type, Object... arguments) {
    Linker linker = Linker.nativeLinker();
    try {
      linker
          .downcallHandle(linker.defaultLookup().findOrThrow(function), type)
          .invokeWithArguments(arguments);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }
}
