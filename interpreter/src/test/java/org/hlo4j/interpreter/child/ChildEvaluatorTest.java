package org.hlo4j.interpreter.child;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The protocol between parent and child, with a system that breaks where a test wants it to. */
final class ChildEvaluatorTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Literal ONE = Literal.of(1f);

  /** One evaluator for all tests: its child is started anew after each that kills it. */
  private static final ChildEvaluator EVALUATOR = evaluator(1, MINUTE, ImmutableMap.of());

  private static ChildEvaluator evaluator(
      int children, Duration deadline, ImmutableMap<String, Object> options) {
    return new ChildEvaluator(
        new ChildEvaluator.Settings(
            ChildCommand.of(
                FaultySystem.class,
                Map.of("HLO4J_TEST_CHILD", "given", "HOME", "never"),
                List.of("-Dhlo4j.child.stack=" + (2 << 20), "-XX:TieredStopAtLevel=1")),
            options,
            children,
            MINUTE,
            deadline));
  }

  @AfterAll
  static void close() {
    EVALUATOR.close();
  }

  private static HloModule module(String name) {
    return Parser.parse(
        "HloModule "
            + name
            + "\nENTRY e { x = f32[] parameter(0)  y = f32[] parameter(1)"
            + "  ROOT s = f32[] subtract(x, y) }");
  }

  private static HloException refusal(String name) {
    return assertThrows(HloException.class, () -> EVALUATOR.run(module(name), ONE, ONE));
  }

  private static String fact(HloException of, String name) {
    return of.facts().stream()
        .filter(each -> each.name().equals(name))
        .map(HloException.Fact::text)
        .findFirst()
        .orElse("");
  }

  private static String pid() {
    return EVALUATOR.answer("pid", new byte[0]);
  }

  private static void assertWorks() {
    assertThat(EVALUATOR.run(module("works"), Literal.of(3f), ONE)).isEqualTo(Literal.of(2f));
  }

  @Test
  void oneChildServesManyPrograms() {
    String child = pid();
    assertWorks();
    assertWorks();
    assertThat(pid()).isEqualTo(child);
    assertThat(child).isNotEqualTo("" + ProcessHandle.current().pid());
  }

  @Test
  void failedCheckIsReportedWithItsReason() {
    HloException report = refusal("halts");
    assertThat(report)
        .hasMessageThat()
        .isEqualTo(
            "child: ended with status 134 (SIGABRT) while compiling halts: literal.cc:100] Check"
                + " failed: rank == 2\n"
                + "  ended with status 134 (SIGABRT) while compiling at literal.cc:100\n"
                + "  *** Check failure stack trace: ***");
    assertThat(report.kind()).isEqualTo(HloException.Kind.ENDED);
    assertWorks();
  }

  @Test
  void signalsAreNamed() {
    assertThat(refusal("aborts"))
        .hasMessageThat()
        .startsWith("child: ended with status 134 (SIGABRT) while compiling aborts");
    HloException crash = refusal("crashes");
    assertThat(crash.summary())
        .isEqualTo("child: ended with SIGSEGV while compiling crashes: SIGSEGV (0xb)");
    assertThat(fact(crash, "ended"))
        .matches("ended with SIGSEGV while compiling at libc\\.so\\S*\\+0x\\p{XDigit}+");
    assertWorks();
  }

  @Test
  void endWithoutAnswerIsNoAnswerWhateverTheStatus() {
    assertThat(refusal("exits"))
        .hasMessageThat()
        .isEqualTo(
            "child: ended with status 1 while compiling exits: Unknown flag in XLA_FLAGS:"
                + " --xla_nothing\n"
                + "  ended with status 1 while compiling");
    assertThat(refusal("ends_well"))
        .hasMessageThat()
        .isEqualTo(
            "child: ended with status 0 while compiling ends_well\n"
                + "  ended with status 0 while compiling");
    assertWorks();
  }

  @Test
  void errorsKeepTheChild() {
    String child = pid();
    HloException refused = refusal("refuses");
    assertThat(refused)
        .hasMessageThat()
        .isEqualTo("add got f32[2], want f32[3] [add C1]\n  x\n  y\n  at f.py:7");
    assertThat(refused.kind()).isEqualTo(HloException.Kind.VERIFY);
    assertThat(refused.label()).isEqualTo("add C1");
    assertThat(refused.position()).isEqualTo(Optional.of(new SourcePosition(3, 15)));
    assertThat(refused.instruction()).isEqualTo(Optional.of("sum"));
    HloException thrown = refusal("throws");
    assertThat(thrown.summary()).isEqualTo("child threw java.lang.IllegalStateException: broken");
    assertThat(fact(thrown, "stack")).startsWith("at ");
    HloException deep = refusal("recurses");
    assertThat(deep.summary()).isEqualTo("child threw java.lang.StackOverflowError");
    assertThat(deep.kind()).isEqualTo(HloException.Kind.LIMIT);
    assertThat(pid()).isEqualTo(child);
  }

  @Test
  void argumentsAreCheckedAsByTheEvaluator() {
    for (Literal[] wrong : new Literal[][] {{ONE}, {ONE, Literal.of(1)}, {ONE, ONE, ONE}}) {
      HloException want =
          assertThrows(
              HloException.class, () -> Interpreter.reference().run(module("works"), wrong));
      HloException got =
          assertThrows(HloException.class, () -> EVALUATOR.run(module("works"), wrong));
      assertThat(got).hasMessageThat().isEqualTo(want.getMessage());
    }
  }

  @Test
  void literalsWithoutElementsAreRefused() {
    String child = pid();
    Literal elided = Literal.elided((Shape.Array) Shape.parse("f32[]"));
    assertThat(assertThrows(HloException.class, () -> EVALUATOR.run(module("works"), ONE, elided)))
        .hasMessageThat()
        .contains("whose elements were left out");
    assertThat(pid()).isEqualTo(child);
  }

  @Test
  void whatOthersPrintIsNoAnswer() {
    String child = pid();
    assertThat(EVALUATOR.run(module("prints"), Literal.of(3f), ONE)).isEqualTo(Literal.of(2f));
    assertThat(EVALUATOR.run(module("floods"), Literal.of(3f), ONE)).isEqualTo(Literal.of(2f));
    assertThat(EVALUATOR.answer("long", new byte[100_000])).hasLength(500_000);
    assertThat(pid()).isEqualTo(child);
  }

  /** A child that ends after its answer is no fault of the next program. */
  @Test
  void endBetweenProgramsIsLogged() throws InterruptedException {
    List<String> logged = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord each) {
            logged.add(each.getLevel() + " " + each.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("org.hlo4j.pjrt");
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    try {
      assertThat(EVALUATOR.run(module("ends_later"), Literal.of(3f), ONE))
          .isEqualTo(Literal.of(2f));
      TimeUnit.SECONDS.sleep(1);
      assertWorks();
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    assertThat(logged)
        .containsExactly("WARNING child: ended with status 7 while waiting for a program");
  }

  @Test
  void processThatIsLeftBehindDelaysNothing() {
    long start = System.nanoTime();
    assertThat(refusal("leaves_a_process"))
        .hasMessageThat()
        .startsWith("child: ended with status 3 while compiling leaves_a_process");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
  }

  @Test
  void deadlineStopsARun() {
    try (ChildEvaluator brief = evaluator(1, Duration.ofSeconds(1), ImmutableMap.of())) {
      HloException late =
          assertThrows(HloException.class, () -> brief.run(module("loops"), ONE, ONE));
      assertThat(late)
          .hasMessageThat()
          .isEqualTo(
              "child: stopped after 1000 ms while compiling loops, want an answer in that time");
      assertThat(late.kind()).isEqualTo(HloException.Kind.LIMIT);
      assertThat(brief.answer("pid", new byte[0])).isNotEmpty();
    }
  }

  @Test
  void interruptStopsARun() throws InterruptedException {
    AtomicReference<HloException> stopped = new AtomicReference<>();
    Thread runs =
        Thread.ofPlatform()
            .start(() -> {
              try {
                EVALUATOR.run(module("loops"), ONE, ONE);
              } catch (HloException interrupted) {
                stopped.set(interrupted);
              }
            });
    TimeUnit.MILLISECONDS.sleep(500);
    runs.interrupt();
    runs.join();
    assertThat(stopped.get())
        .hasMessageThat()
        .isEqualTo("child: interrupted while compiling loops");
    assertThat(requireNonNull(stopped.get()).kind()).isEqualTo(HloException.Kind.INTERRUPTED);
    assertWorks();
  }

  /** Java's serialization would make them the one NaN 0x7fc00000. */
  @Test
  void bitsOfNansTravel() {
    for (ElementType type : List.of(ElementType.F32, ElementType.C64, ElementType.F64)) {
      LiteralBuilder builder = new LiteralBuilder(Shape.of(type));
      for (int i = 0; i < type.componentCount(); i++) {
        builder.setBits(i, -1L >>> (64 - type.componentType().bits()));
      }
      Literal nan = builder.build();
      HloModule identity =
          Parser.parse("HloModule id ENTRY e { ROOT x = " + nan.shape() + " parameter(0) }");
      assertThat(EVALUATOR.run(identity, nan).bitsAt(0)).isEqualTo(nan.bitsAt(0));
    }
  }

  @Test
  void literalsOfEachTypeTravel() {
    for (ElementType type : ElementType.values()) {
      for (long[] sizes : new long[][] {{}, {0, 3}, {3, 5}}) {
        LiteralBuilder builder = new LiteralBuilder(Shape.of(type, sizes));
        long components = Shape.of(type, sizes).elementCount() * type.componentCount();
        for (int i = 0; i < components; i++) {
          builder.setBits(
              i, 0x0123456789abcdefL * (i + 1) & (-1L >>> (64 - type.componentType().bits())));
        }
        Literal value = Literal.tuple(builder.build(), Literal.tuple(), Literal.tuple(ONE));
        HloModule identity =
            Parser.parse("HloModule id ENTRY e { ROOT x = " + value.shape() + " parameter(0) }");
        Literal got = EVALUATOR.run(identity, value);
        assertWithMessage("%s", value.shape()).that(got.shape()).isEqualTo(value.shape());
        for (int i = 0; i < components; i++) {
          assertWithMessage("%s at %s", value.shape(), i)
              .that(got.element(0).bitsAt(i))
              .isEqualTo(value.element(0).bitsAt(i));
        }
      }
    }
  }

  @Test
  void arraysLargerThanABlockTravel() {
    int[] numbers = new int[100_000];
    java.util.Arrays.setAll(numbers, i -> i * 31);
    HloModule identity = Parser.parse("HloModule id ENTRY e { ROOT x = s32[100000] parameter(0) }");
    assertThat(EVALUATOR.run(identity, Literal.of(numbers)).toInts()).isEqualTo(numbers);
  }

  @Test
  void executablesAreThoseOfTheEvaluator() {
    Executable program = EVALUATOR.compile(module("works"));
    Executable want = Interpreter.reference().compile(module("works"));
    assertThat(program.parameterNames()).containsExactly("x", "y").inOrder();
    assertThat(program.signature()).isEqualTo(want.signature());
    assertThat(program.explain()).isEqualTo(want.explain());
    assertThat(program.run(Map.of("y", ONE, "x", Literal.of(5f)))).isEqualTo(Literal.of(4f));
    Executable bound = program.bind(Map.of("x", Literal.of(9f)));
    assertThat(bound.parameterNames()).containsExactly("y");
    assertThat(bound.run(ONE)).isEqualTo(Literal.of(8f));
    Literal result = bound.newResult();
    bound.unsafeRunInto(result, Literal.of(2f));
    assertThat(result).isEqualTo(Literal.of(7f));
    assertThat(assertThrows(HloException.class, () -> bound.bind(Map.of("x", ONE))))
        .hasMessageThat()
        .contains("bind");
    assertThat(program.profile(3, ONE, ONE).steps()).hasSize(1);
  }

  @Test
  void executablesOutliveTheirChild() {
    Executable program = EVALUATOR.compile(module("works"));
    Executable bound = program.bind(Map.of("x", Literal.of(9f)));
    String child = pid();
    refusal("halts");
    assertThat(bound.run(ONE)).isEqualTo(Literal.of(8f));
    assertThat(program.run(ONE, ONE)).isEqualTo(Literal.of(0f));
    assertThat(pid()).isNotEqualTo(child);
  }

  @Test
  void devicesGetTheirArguments() {
    HloModule sum =
        Parser.parse(
            """
            HloModule sum, replica_count=2
            add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
            ENTRY e { x = f32[2] parameter(0)  ROOT s = f32[2] all-reduce(x), to_apply=add }
            """);
    Literal want = Literal.of(new float[] {11, 22});
    assertThat(
            EVALUATOR.runOnDevices(
                sum,
                new DeviceGrid(2, 1),
                List.of(
                    List.of(Literal.of(new float[] {1, 2})),
                    List.of(Literal.of(new float[] {10, 20})))))
        .containsExactly(want, want);
  }

  @Test
  void threadsHaveAChildEach() throws InterruptedException {
    try (ChildEvaluator two = evaluator(2, MINUTE, ImmutableMap.of())) {
      List<String> results = java.util.Collections.synchronizedList(new ArrayList<>());
      ImmutableList<Thread> threads =
          java.util.stream.IntStream.range(0, 8)
              .mapToObj(i ->
                  Thread.ofPlatform()
                      .start(() ->
                          results.add(
                              two.run(module("works"), Literal.of((float) i), ONE).toString())))
              .collect(toImmutableList());
      for (Thread each : threads) {
        each.join();
      }
      assertThat(results)
          .containsExactly(
              "f32[] -1",
              "f32[] 0",
              "f32[] 1",
              "f32[] 2",
              "f32[] 3",
              "f32[] 4",
              "f32[] 5",
              "f32[] 6");
    }
  }

  @Test
  void environmentIsNeverOverThatOfTheUser() {
    assertThat(EVALUATOR.answer("environment", new byte[0]))
        .isEqualTo("given " + System.getenv("HOME"));
  }

  @Test
  void systemsThatDoNotStartAreTold() {
    HloException ended =
        assertThrows(
            HloException.class,
            () -> evaluator(1, MINUTE, ImmutableMap.of("start", "exits")).close());
    assertThat(ended)
        .hasMessageThat()
        .startsWith(
            "child: cannot be started: child: ended with status 1 while starting: Unknown flag in"
                + " XLA_FLAGS: --xla_nothing");
    assertThat(ended.kind()).isEqualTo(HloException.Kind.IO);
    assertThat(
            assertThrows(
                HloException.class,
                () -> evaluator(1, MINUTE, ImmutableMap.of("start", "refuses")).close()))
        .hasMessageThat()
        .startsWith("child: cannot be started: add got f32[2], want f32[3]");
  }

  @Test
  void closedEvaluatorIsRefusedAndItsChildIsGone() {
    ChildEvaluator closed = evaluator(1, MINUTE, ImmutableMap.of());
    ProcessHandle child =
        ProcessHandle.of(Long.parseLong(closed.answer("pid", new byte[0]))).orElseThrow();
    closed.close();
    assertThat(child.isAlive()).isFalse();
    assertThat(assertThrows(HloException.class, () -> closed.run(module("works"), ONE, ONE)))
        .hasMessageThat()
        .isEqualTo("child: got a closed evaluator, want an open one");
  }

  /** A parent that ends without a word to its child. */
  static final class Parent {
    private Parent() {}

    public static void main(String[] arguments) {
      ChildEvaluator evaluator = evaluator(1, MINUTE, ImmutableMap.of());
      System.out.println(evaluator.answer("pid", new byte[0]));
      Thread.ofPlatform().daemon().start(() -> evaluator.run(module("loops"), ONE, ONE));
      java.util.concurrent.locks.LockSupport.parkNanos(300_000_000L);
      Runtime.getRuntime().halt(0);
    }
  }

  @Test
  void childEndsWithItsParent() throws IOException, InterruptedException {
    Process parent =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-cp",
                System.getProperty("java.class.path"),
                Parent.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String pid =
        new BufferedReader(new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
    parent.waitFor();
    Optional<ProcessHandle> child = ProcessHandle.of(Long.parseLong(pid));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (child.filter(ProcessHandle::isAlive).isPresent() && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    assertThat(child.filter(ProcessHandle::isAlive).isPresent()).isFalse();
  }
}
