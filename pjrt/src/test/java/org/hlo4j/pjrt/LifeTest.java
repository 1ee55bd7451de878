package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static com.google.common.util.concurrent.Uninterruptibles.joinUninterruptibly;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.pjrt.CpuPlugin.refusal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.DeviceGrid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * When native objects are freed, and by whom; clients here are their own, since they are closed.
 */
@Isolated
final class LifeTest {
  /** Some 0.1 to 1 seconds of work. */
  private static final String LONG_RUN = products(8);

  private static String products(int count) {
    return "module @m { func.func @main(%a: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {"
        + repeated(
            "%N = stablehlo.dot_general %P, %P, contracting_dims = [1] x [0]"
                + " : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> ",
            count)
        + "return %"
        + count
        + " : tensor<1024x1024xf32> } }";
  }

  private static final Literal SQUARE = Literal.zeros(Shape.of(ElementType.F32, 1024, 1024));

  private static final String PLUS_ONE =
      "module @m { func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {"
          + " %c = stablehlo.constant dense<1.0> : tensor<8xf32>"
          + " %0 = stablehlo.add %a, %c : tensor<8xf32> return %0 : tensor<8xf32> } }";

  private static final Literal EIGHT = Literal.of(new float[8]);

  private static String repeated(String line, int times) {
    StringBuilder all = new StringBuilder();
    for (int i = 1; i <= times; i++) {
      all.append(line.replace("%N", "%" + i).replace("%P", i == 1 ? "%a" : "%" + (i - 1)));
    }
    return all.toString();
  }

  private static PjrtExecutable compile(PjrtClient client, String program) {
    return client.compile(program.getBytes(UTF_8), "mlir", PjrtCompileOptions.DEFAULT);
  }

  /** P15: closing waits for the run, frees all in order, and what is left is closed. */
  @Test
  void clientIsClosedWhileAProgramRuns() {
    PjrtClient client = CpuPlugin.plugin().client();
    PjrtExecutable slow = compile(client, LONG_RUN);
    PjrtBuffer x = client.buffer(SQUARE);
    PjrtBuffer result = slow.execute(List.of(x)).get(0);
    client.close();
    assertThat(client.liveHandles()).isEqualTo(0);
    assertThat(client.liveBytes()).isEqualTo(0);
    assertThat(refusal(result::toLiteral)).isEqualTo("pjrt: buffer f32[1024,1024] is closed");
    assertThat(refusal(() -> slow.execute(List.of(x)))).isEqualTo("pjrt: executable m is closed");
    assertThat(refusal(() -> client.buffer(EIGHT))).isEqualTo("pjrt: client is closed");
    assertThat(refusal(() -> client.devices().get(0).kind())).isEqualTo("pjrt: client is closed");
    client.close();
    result.close();
    slow.close();
  }

  /** P16: arguments and executable may be closed while they are used. */
  @Test
  void argumentsAreClosedWhileAProgramRuns() {
    PjrtClient client = CpuPlugin.plugin().client();
    PjrtExecutable slow = compile(client, LONG_RUN);
    PjrtBuffer x = client.buffer(SQUARE);
    PjrtBuffer result = slow.execute(List.of(x)).get(0);
    x.close();
    slow.close();
    assertThat(result.toLiteral()).isEqualTo(SQUARE);
    client.close();
  }

  /** P26: what is forgotten is closed by the next call. */
  @Test
  void forgottenBuffersAreFreed() throws InterruptedException {
    try (PjrtClient client = CpuPlugin.plugin().client()) {
      for (int i = 0; i < 100; i++) {
        var _ = client.buffer(EIGHT);
      }
      for (int i = 0; i < 100 && client.liveHandles() > 0; i++) {
        System.gc();
        Thread.sleep(10);
      }
      assertThat(client.liveHandles()).isEqualTo(0);
      assertThat(client.liveBytes()).isEqualTo(0);
    }
  }

  /** P41: Java does not see the memory of a device; a limit makes it look for garbage. */
  @Test
  void memoryLimitCollects() {
    PjrtOptions limited = PjrtOptions.DEFAULT.withMemoryLimit(64 << 20);
    try (PjrtClient client = CpuPlugin.plugin().client(limited)) {
      long most = 0;
      for (int i = 0; i < 200; i++) {
        var _ = client.buffer(SQUARE);
        most = Math.max(most, client.liveBytes());
      }
      assertThat(most).isLessThan(200L << 20);
    }
  }

  /** P24: an interrupt ends the wait, not the run, and nothing is freed too early. */
  @Test
  void interruptEndsTheWait() throws InterruptedException {
    PjrtClient client = CpuPlugin.plugin().client();
    PjrtExecutable slow = compile(client, products(32)); // still runs if the machine is busy
    PjrtBuffer x = client.buffer(SQUARE);
    PjrtBuffer result = slow.execute(List.of(x)).get(0);
    AtomicReference<HloException> caught = new AtomicReference<>();
    Thread reader =
        Thread.startVirtualThread(() -> {
          Thread.currentThread().interrupt();
          try {
            result.toLiteral();
          } catch (HloException interrupted) {
            caught.set(interrupted);
          }
        });
    reader.join();
    assertThat(requireNonNull(caught.get()).kind()).isEqualTo(HloException.Kind.INTERRUPTED);
    assertThat(result.toLiteral()).isEqualTo(SQUARE);
    client.close();
  }

  @Test
  void eightThreadsOnOneClient() throws Exception {
    try (PjrtClient client = CpuPlugin.plugin().client();
        PjrtExecutable plusOne = compile(client, PLUS_ONE);
        ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Future<Float>> all = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        float start = thread * 1000f;
        all.add(threads.submit(() -> counted(client, plusOne, start, 300)));
      }
      for (int thread = 0; thread < 8; thread++) {
        assertThat(all.get(thread).get()).isEqualTo(thread * 1000f + 300);
      }
    }
  }

  private static float counted(PjrtClient client, PjrtExecutable plusOne, float start, int runs) {
    PjrtBuffer x = client.buffer(Literal.full(Shape.of(ElementType.F32, 8), start));
    for (int i = 0; i < runs; i++) {
      PjrtBuffer next = plusOne.execute(List.of(x)).get(0);
      x.close();
      x = next;
    }
    float last = x.toLiteral().getFloat(7);
    x.close();
    return last;
  }

  /** While threads run programs, another closes the client: each gets a value or a refusal. */
  @Test
  void clientIsClosedBesideEightThreads() throws Exception {
    PjrtClient client = CpuPlugin.plugin().client();
    PjrtExecutable plusOne = compile(client, PLUS_ONE);
    List<Future<String>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int thread = 0; thread < 8; thread++) {
        Callable<String> endless =
            () -> refusal(() -> counted(client, plusOne, 0, Integer.MAX_VALUE));
        all.add(threads.submit(endless));
      }
      Thread.sleep(100);
      client.close();
      for (Future<String> each : all) {
        assertThat(each.get()).matches("pjrt: (client|executable m|buffer f32\\[8\\]) is closed");
      }
    }
    assertThat(client.liveHandles()).isEqualTo(0);
  }

  /** 10,000 runs and 1,000 compiled programs with -Dhlo4j.pjrt.long=true; a tenth without. */
  @Test
  void memoryStaysTheSame() throws Exception {
    int scale = Boolean.getBoolean("hlo4j.pjrt.long") ? 10 : 1;
    try (PjrtClient client = CpuPlugin.plugin().client();
        PjrtExecutable plusOne = compile(client, PLUS_ONE)) {
      runAndCompile(client, plusOne, 1000, 30);
      long before = residentKilobytes();
      runAndCompile(client, plusOne, 1000 * scale, 100 * scale);
      long grown = residentKilobytes() - before;
      assertWithMessage("kilobytes more").that(grown).isLessThan(64 << 10);
      assertThat(client.liveHandles()).isEqualTo(1);
      assertThat(client.liveBytes()).isEqualTo(0);
    }
  }

  private static void runAndCompile(
      PjrtClient client, PjrtExecutable plusOne, int runs, int compiles) {
    for (int i = 0; i < runs; i++) {
      assertThat(plusOne.run(EIGHT)).hasSize(1);
    }
    for (int i = 0; i < compiles; i++) {
      compile(client, PLUS_ONE).close();
    }
  }

  private static long residentKilobytes() throws Exception {
    System.gc();
    String line =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(each -> each.startsWith("VmRSS:"))
            .findFirst()
            .orElse("VmRSS: 0 kB");
    return Long.parseLong(line.replaceAll("\\D", ""));
  }

  /** P12: 100 nested conditionals end a process that compiles them on a thread of 1 MB. */
  @Test
  void deepProgramsAreCompiledOnLargeStacks() {
    StringBuilder body = new StringBuilder();
    int depth = 200;
    String type = "tensor<f32>";
    body.append("%c = stablehlo.constant dense<true> : tensor<i1> ");
    for (int i = 0; i < depth; i++) {
      body.append("%r").append(i).append(" = \"stablehlo.if\"(%c) ({ ");
    }
    body.append("stablehlo.return %a : ").append(type);
    for (int i = depth - 1; i >= 0; i--) {
      body.append(" }, { stablehlo.return %a : ").append(type).append(" }) : (tensor<i1>) -> ");
      body.append(type).append(' ');
      body.append(i == 0 ? "return %r0 : " : "stablehlo.return %r" + i + " : ").append(type);
    }
    try (PjrtExecutable deep = CpuPlugin.compile("f32", "f32", body.toString())) {
      assertThat(deep.run(Literal.of(3f))).containsExactly(Literal.of(3f));
    }
  }

  /** P13, P19, P22: this plugin changes no handler. */
  @Test
  void signalHandlersAreTheJvms() {
    assertThat(CpuPlugin.plugin().changedSignals()).isEmpty();
  }

  /** P19: a process that exits while programs run closes its clients first, and waits for that. */
  @Test
  void exitWhileProgramsRun() throws Exception {
    assertThat(
            ForkedJava.run(
                "--enable-native-access=ALL-UNNAMED",
                ExitMain.class.getName(),
                CpuPlugin.file().toString()))
        .isEqualTo("3: exits\npjrt: client is closed");
  }

  /** Exits while a program runs; a thread sees the client closed. */
  public static final class ExitMain {
    private ExitMain() {}

    /** Exits with 3. */
    public static void main(String[] args) throws InterruptedException {
      PjrtClient client = PjrtPlugin.load(Path.of(args[0])).client();
      PjrtExecutable slow = compile(client, LONG_RUN);
      PjrtBuffer x = client.buffer(SQUARE);
      List<PjrtBuffer> results = slow.execute(List.of(x));
      Thread seeing =
          Thread.startVirtualThread(() -> {
            while (refusal(() -> client.buffer(EIGHT).close()).equals("(none)")) {
              Thread.onSpinWait();
            }
            System.out.println(refusal(() -> client.buffer(EIGHT)));
          });
      // What the thread sees is printed before the process ends, however early the run does.
      Runtime.getRuntime().addShutdownHook(new Thread(() -> joinUninterruptibly(seeing)));
      System.out.println("exits");
      System.exit(results.isEmpty() ? 4 : 3);
    }
  }

  /** P14: a collective on a part of its devices would wait a minute and end the process. */
  @Test
  void collectiveOnAPartOfItsDevices() {
    try (PjrtScope scope = new PjrtScope()) {
      PjrtExecutable sum =
          scope.add(
              CpuPlugin.client()
                  .compile(
                      PjrtClientTest.SUM.getBytes(UTF_8),
                      "mlir",
                      PjrtCompileOptions.DEFAULT.withGrid(new DeviceGrid(4, 1))));
      PjrtBuffer x = scope.add(CpuPlugin.client().buffer(Literal.of(1f)));
      assertThat(refusal(() -> sum.execute(List.of(x))))
          .isEqualTo("execute: got arguments of 1 devices, want those of 4");
      assertThat(refusal(() -> sum.run(Literal.of(1f))))
          .isEqualTo(
              "run: got a program for 4 devices, want one for one device, or executeOnDevices");
    }
  }

  /** P18: a file is loaded once, by whatever path it is named. */
  @Test
  void loadedOnce() {
    PjrtPlugin plugin = CpuPlugin.plugin();
    Path file = CpuPlugin.file();
    assertThat(PjrtPlugin.load(requireNonNull(file.getParent()).resolve("./" + file.getFileName())))
        .isSameInstanceAs(plugin);
  }
}
