package org.hlo4j.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.pjrt.Pjrt;
import org.hlo4j.pjrt.PjrtBuffer;
import org.hlo4j.pjrt.PjrtClient;
import org.hlo4j.pjrt.PjrtExecutable;
import org.hlo4j.pjrt.PjrtPlugin;

/**
 * What calls of a PJRT plugin cost; {@code benchmarks/pjrt.py} runs it in turns with JAX. It reads
 * names of measurements, a line each, and answers each with the minimum and the median of its
 * samples in microseconds.
 */
public final class PjrtBenchmark {
  private static final int SAMPLES = 51;
  private static final double SAMPLE_MICROS = 500;
  private static final double MAX_MICROS = 3_000_000;
  private static final long WARM_NANOS = 1_500_000_000;
  private static final int TRANSFERRED = 16 << 20;

  /** What is measured. */
  private final Map<String, Runnable> runs = new LinkedHashMap<>();

  private final PjrtClient client;
  private final Random random = new Random(1);

  private PjrtBenchmark(PjrtClient client) {
    this.client = client;
  }

  /**
   * Answers until the input ends.
   *
   * @param args the plugin's file, and the HLO text of a model or nothing
   * @throws IOException if the model cannot be read
   */
  public static void main(String[] args) throws IOException {
    try (PjrtClient client = PjrtPlugin.load(Path.of(args[0])).client();
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      PjrtBenchmark all = new PjrtBenchmark(client);
      all.small();
      all.matmul();
      all.transfers();
      if (args.length > 1) {
        all.model(Path.of(args[1]));
      }
      for (String name = in.readLine(); name != null; name = in.readLine()) {
        IO.println(times(all.runs.get(name)));
      }
    }
  }

  /** Returns the minimum and the median of some samples. */
  private static String times(Runnable run) {
    long start = System.nanoTime();
    double once = Double.MAX_VALUE;
    while (System.nanoTime() - start < WARM_NANOS) {
      once = Math.min(once, micros(run, 1));
    }
    int batch = (int) Math.clamp(SAMPLE_MICROS / once, 1, 5000);
    double[] all = new double[(int) Math.clamp(MAX_MICROS / once, 3, SAMPLES)];
    Arrays.setAll(all, i -> micros(run, batch));
    Arrays.sort(all);
    return all[0] + " " + all[all.length / 2];
  }

  private static double micros(Runnable run, int times) {
    long start = System.nanoTime();
    for (int i = 0; i < times; i++) {
      run.run();
    }
    return (System.nanoTime() - start) / 1000.0 / times;
  }

  private Literal normal(int... sizes) {
    long[] dims = Arrays.stream(sizes).asLongStream().toArray();
    return Hlo4jServer.normal(Shape.of(ElementType.F32, dims), random);
  }

  private static void await(List<PjrtBuffer> results) {
    results.forEach(PjrtBuffer::await);
    results.forEach(PjrtBuffer::close);
  }

  private void small() {
    HloModule module =
        Parser.parse(
            "ENTRY e { x = f32[8] parameter(0) c = f32[] constant(1)"
                + " b = f32[8] broadcast(c), dimensions={} ROOT r = f32[8] add(x, b) }");
    PjrtExecutable plusOne = client.compile(module);
    Executable evaluated = Pjrt.evaluator(client).compile(module);
    Literal host = normal(8);
    List<PjrtBuffer> x = List.of(client.buffer(host));
    runs.put("x + 1, on the device", () -> await(plusOne.execute(x)));
    runs.put("x + 1, not awaited", () -> plusOne.execute(x).forEach(PjrtBuffer::close));
    runs.put("x + 1, from and to the host", () -> plusOne.run(host));
    runs.put("x + 1, evaluator", () -> evaluated.run(host));
  }

  private void matmul() {
    PjrtExecutable product =
        client.compile(
            Parser.parse(
                "ENTRY e { a = f32[1024,1024] parameter(0) b = f32[1024,1024] parameter(1)"
                    + " ROOT r = f32[1024,1024] dot(a, b), lhs_contracting_dims={1},"
                    + " rhs_contracting_dims={0} }"));
    List<PjrtBuffer> both =
        List.of(client.buffer(normal(1024, 1024)), client.buffer(normal(1024, 1024)));
    runs.put("matmul 1024", () -> await(product.execute(both)));
  }

  private void transfers() {
    Literal array = normal(TRANSFERRED);
    PjrtBuffer onDevice = client.buffer(array);
    MemorySegment into = Arena.global().allocate(4L * TRANSFERRED, 64);
    MemorySegment from = Arena.global().allocate(4L * TRANSFERRED, 64).copyFrom(into);
    runs.put("64 MB copied", () -> into.copyFrom(from));
    runs.put("64 MB to reused memory of the host", () -> onDevice.copyTo(into));
    runs.put("64 MB to the device", () -> await(List.of(client.buffer(array))));
  }

  private void model(Path file) throws IOException {
    HloModule module = Parser.parse(Files.readString(file));
    Literal[] arguments = Hlo4jServer.arguments(module, Path.of("nowhere"));
    Executable model = Pjrt.evaluator(client).compile(module);
    Map<String, Literal> weights = new LinkedHashMap<>();
    Map<String, Literal> inputs = new LinkedHashMap<>();
    for (int i = 0; i < arguments.length; i++) {
      boolean isWeight = arguments[i].elementType().isFloating();
      (isWeight ? weights : inputs).put(model.parameterNames().get(i), arguments[i]);
    }
    Executable bound = model.bind(weights);
    runs.put("model, bound weights", () -> bound.run(inputs));
  }
}
