package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.util.concurrent.Uninterruptibles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How often {@link JaxFunction} compiles, and who waits for it. */
@Timeout(60)
class JaxFunctionTest {
  private static final Evaluator EVALUATOR = Interpreter.reference();

  private final AtomicInteger compiles = new AtomicInteger();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);

  private void awaitEnd() {
    begun.countDown();
    Uninterruptibles.awaitUninterruptibly(end);
  }

  private JaxFunction function(Runnable whileCompiling) throws IOException {
    return new JaxFunction(
        JaxExport.read(Path.of("src/test/resources/org/hlo4j/tools/exports/batch_mlp/export.bin")),
        (module, bound) -> {
          compiles.incrementAndGet();
          Function<Literal[], Literal> program = EVALUATOR.compile(module).bind(bound)::run;
          whileCompiling.run();
          return program;
        });
  }

  private static Literal batch(int size) {
    return Literal.zeros(Shape.of(ElementType.F32, size, 8));
  }

  private static <T> FutureTask<T> start(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofVirtual().start(task);
    return task;
  }

  /** Starts a call of which the compilation has begun. */
  private FutureTask<Object> startFirst(JaxFunction function) throws InterruptedException {
    FutureTask<Object> first = start(() -> function.call(batch(1)));
    begun.await();
    return first;
  }

  private int compilesOf(JaxFunction function, int sizes, int rounds) {
    compiles.set(0);
    for (int i = 0; i < rounds * sizes; i++) {
      Object result = function.call(batch(1 + i % sizes));
      assertThat(((Literal) result).shape()).isEqualTo(Shape.of(ElementType.F32, 1 + i % sizes, 4));
    }
    return compiles.get();
  }

  @Test
  void aSetThatIsKnownDoesNotWaitForAnother() throws Exception {
    JaxFunction function =
        function(() -> {
          if (compiles.get() == 2) {
            awaitEnd();
          }
        });
    Object one = function.call(batch(1));
    FutureTask<Object> two = start(() -> function.call(batch(2)));
    begun.await();
    assertThat(function.call(batch(1))).isEqualTo(one);
    assertThat(two.isDone()).isFalse();
    end.countDown();
    assertThat(((Literal) two.get()).shape()).isEqualTo(Shape.of(ElementType.F32, 2, 4));
  }

  @Test
  void aSetIsCompiledOnceForAllThreads() throws Exception {
    JaxFunction function = function(this::awaitEnd);
    List<FutureTask<Object>> calls = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      int size = 1 + i % 2;
      calls.add(start(() -> function.call(batch(size))));
    }
    end.countDown();
    for (FutureTask<Object> call : calls) {
      call.get();
    }
    assertThat(compiles.get()).isEqualTo(2);
  }

  /** Who waits gets the refusal too; nothing is kept. */
  @Test
  void aRefusalIsForAllWhoWait() throws Exception {
    JaxFunction function =
        function(() -> {
          awaitEnd();
          throw new HloException(HloException.Kind.UNSUPPORTED, "not " + compiles.get());
        });
    FutureTask<Object> first = startFirst(function);
    FutureTask<Object> second = start(() -> function.call(batch(1)));
    end.countDown();
    assertThat(refusal(first)).isEqualTo("not 1");
    assertThat(refusal(second)).isAnyOf("not 1", "not 2"); // it may come too late to wait
    assertThat(assertThrows(HloException.class, () -> function.call(batch(1))))
        .hasMessageThat()
        .isEqualTo("not " + compiles.get());
  }

  /** An interrupt is of one thread only: who waits for it compiles by itself. */
  @Test
  void anInterruptEndsNoOtherCall() throws Exception {
    JaxFunction function =
        function(() -> {
          if (compiles.get() == 1) {
            awaitEnd();
            throw new HloException(HloException.Kind.INTERRUPTED, "compile: interrupted");
          }
        });
    FutureTask<Object> first = startFirst(function);
    FutureTask<Object> second = start(() -> function.call(batch(1)));
    end.countDown();
    assertThat(refusal(first)).isEqualTo("compile: interrupted");
    assertThat(((Literal) second.get()).shape()).isEqualTo(Shape.of(ElementType.F32, 1, 4));
    assertThat(compiles.get()).isEqualTo(2);
  }

  @Test
  void whoWaitsCanBeInterrupted() throws Exception {
    JaxFunction function = function(this::awaitEnd);
    FutureTask<Object> first = startFirst(function);
    FutureTask<Object> second = new FutureTask<>(() -> function.call(batch(1)));
    Thread waiting = Thread.ofVirtual().start(second);
    waiting.interrupt();
    assertThat(refusal(second)).isEqualTo("call: interrupted");
    end.countDown();
    first.get();
  }

  private static String refusal(FutureTask<Object> call) {
    ExecutionException failure = assertThrows(ExecutionException.class, call::get);
    return requireNonNull((HloException) failure.getCause()).getMessage();
  }

  @Test
  void preparedShapesAreCompiledBeforeTheFirstCall() throws IOException {
    JaxFunction function = function(() -> {});
    function.prepare(Shape.of(ElementType.F32, 3, 8));
    assertThat(compiles.get()).isEqualTo(1);
    function.call(batch(3));
    assertThat(compiles.get()).isEqualTo(1);
    function.call(batch(2));
    assertThat(compiles.get()).isEqualTo(2);
    HloException wrong =
        assertThrows(HloException.class, () -> function.prepare(Shape.of(ElementType.F32, 3, 7)));
    assertThat(wrong).hasMessageThat().contains("args[0] got f32[3,7], want float32[b,8]");
  }

  @Test
  void theLastSetsAreKept() throws IOException {
    assertThat(compilesOf(function(() -> {}), 16, 4)).isEqualTo(16);
    assertThat(compilesOf(function(() -> {}).withMaxCompiled(17), 17, 4)).isEqualTo(17);
    assertThat(compilesOf(function(() -> {}).withMaxCompiled(1).bind(), 2, 4)).isEqualTo(8);
  }

  @Test
  void thatSetsAreThrownAwayAgainAndAgainIsLoggedOnce() throws IOException {
    List<String> logged = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            logged.add(entry.getLevel() + ": " + new SimpleFormatter().formatMessage(entry));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(JaxFunction.class.getName());
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    try {
      JaxFunction function = function(() -> {}).withMaxCompiled(4);
      compilesOf(function, 100, 1);
      assertThat(logged).isEmpty();
      compilesOf(function, 5, 4);
      compilesOf(function, 100, 2);
      assertThat(logged)
          .containsExactly(
              "WARNING: 4 sets of shapes were compiled again, since only the last 4 are kept:"
                  + " withMaxCompiled keeps more");
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
  }

  @Test
  void atLeastOneSetIsKept() throws IOException {
    JaxFunction function = function(() -> {});
    assertThat(assertThrows(HloException.class, () -> function.withMaxCompiled(0)))
        .hasMessageThat()
        .isEqualTo("withMaxCompiled: got 0, want at least 1");
  }
}
