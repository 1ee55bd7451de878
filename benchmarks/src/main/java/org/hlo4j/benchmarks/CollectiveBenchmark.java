package org.hlo4j.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;

/**
 * The time of collectives in ratios, all of one process: to an addition of the same arrays on the
 * same devices, of thousands of devices to a few, of a data-parallel training step to its parts.
 *
 * <pre>
 *   mvn -q -pl benchmarks -am compile exec:exec -Dmain=org.hlo4j.benchmarks.CollectiveBenchmark \
 *     -Dbenchmark=20
 * </pre>
 */
public final class CollectiveBenchmark {
  private static final int DEVICES = 8;

  private static final String ADD =
      "add { a = T[] parameter(0) b = T[] parameter(1) ROOT c = T[] add(a, b) }\n";

  private static final String ALL_REDUCE =
      "ROOT r = T[N] all-reduce(x), replica_groups={}, to_apply=add";

  /** A linear layer of 10^6 weights, its squared error, and a step along the gradient. */
  private static final String TRAINING_STEP =
      """
      ENTRY step {
        w = f32[1000,1000] parameter(0)
        x = f32[32,1000] parameter(1)
        wanted = f32[32,1000] parameter(2)
        y = f32[32,1000] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        error = f32[32,1000] subtract(y, wanted)
        own = f32[1000,1000] dot(x, error), lhs_contracting_dims={0}, rhs_contracting_dims={0}
        gradient = f32[1000,1000] GRADIENT
        rate = f32[] constant(0.0001)
        rates = f32[1000,1000] broadcast(rate), dimensions={}
        change = f32[1000,1000] multiply(gradient, rates)
        ROOT next = f32[1000,1000] subtract(w, change)
      }
      """;

  private final Evaluator evaluator = Interpreter.compiled();
  private final int runs;

  private CollectiveBenchmark(int runs) {
    this.runs = runs;
  }

  /**
   * Prints the ratios.
   *
   * @param args the number of runs, of which the fastest counts
   */
  public static void main(String[] args) {
    CollectiveBenchmark benchmark = new CollectiveBenchmark(Integer.parseInt(args[0]));
    for (String type : List.of("f32", "bf16")) {
      for (int size : new int[] {1000, 100_000, 1_000_000}) {
        benchmark.printRatios(type, size);
      }
    }
    benchmark.printManyDevices();
    benchmark.printTrainingStep();
  }

  /** A program and the arguments of its devices. */
  private record Program(HloModule module, List<List<Literal>> arguments) {
    static Program of(HloModule module, int devices) {
      List<List<Literal>> arguments = new ArrayList<>();
      for (int device = 0; device < devices; device++) {
        arguments.add(
            module.entry().parameters().stream().map(CollectiveBenchmark::argument).toList());
      }
      return new Program(module, arguments);
    }
  }

  private void printRatios(String type, int size) {
    List<Program> programs =
        Stream.of(
                "ROOT r = T[N] add(x, x)",
                ALL_REDUCE,
                "ROOT r = T[M] reduce-scatter(x), replica_groups={}, dimensions={0}, to_apply=add",
                "ROOT r = T[N] all-to-all(x), replica_groups={}, dimensions={0}",
                "p = T[M] slice(x), slice={[0:M]}"
                    + " ROOT r = T[N] all-gather(p), replica_groups={}, dimensions={0}")
            .map(body -> Program.of(module(body, type, size), DEVICES))
            .toList();
    double[] times = times(programs);
    StringBuilder line = new StringBuilder();
    for (int i = 1; i < times.length; i++) {
      String name = programs.get(i).module.entry().root().op().opcode();
      line.append(String.format(Locale.ROOT, " %s %.1f", name, times[i] / times[0]));
    }
    print("%s[%d] on %d devices: add %.3f ms, times:%s", type, size, DEVICES, times[0], line);
  }

  private void printManyDevices() {
    HloModule module = module(ALL_REDUCE, "f32", 1000);
    double[] times = times(List.of(Program.of(module, 64), Program.of(module, 4096)));
    double few = times[0] / 64;
    double many = times[1] / 4096;
    print(
        "all-reduce of f32[1000] for each device: of 64 %.4f ms, of 4096 %.4f ms, %.1f times",
        few, many, many / few);
  }

  private void printTrainingStep() {
    double[] times =
        times(
            List.of(
                Program.of(step("all-reduce(own), replica_groups={}, to_apply=add"), DEVICES),
                Program.of(step("copy(own)"), 1),
                Program.of(module(ALL_REDUCE, "f32", 1_000_000), DEVICES)));
    print(
        "training step of 10^6 parameters on %d devices: %.2f ms; a step of one %.2f ms,"
            + " all-reduce %.2f ms: %.2f times the sum of the parts",
        DEVICES, times[0], times[1], times[2], times[0] / (DEVICES * times[1] + times[2]));
  }

  @SuppressWarnings("AnnotateFormatMethod")
  private static void print(String format, Object... values) {
    IO.println(String.format(Locale.ROOT, format, values));
  }

  private static HloModule step(String gradient) {
    String text = ADD.replace("T[", "f32[") + TRAINING_STEP.replace("GRADIENT", gradient);
    return Parser.parse(text);
  }

  private static HloModule module(String body, String type, int size) {
    return Parser.parse(
        (ADD + "ENTRY e { x = T[N] parameter(0) " + body + " }")
            .replace("T[", type + "[")
            .replace("[N]", "[" + size + "]")
            .replace("[M]", "[" + size / DEVICES + "]")
            .replace(":M]", ":" + size / DEVICES + "]"));
  }

  /** Returns the fewest milliseconds that a run of each program took, in turns. */
  private double[] times(List<Program> programs) {
    double[] fewest = new double[programs.size()];
    Arrays.fill(fewest, Double.MAX_VALUE);
    for (int run = 0; run < runs; run++) {
      for (int i = 0; i < fewest.length; i++) {
        Program program = programs.get(i);
        DeviceGrid grid = new DeviceGrid(program.arguments.size(), 1);
        long start = System.nanoTime();
        var _ = evaluator.runOnDevices(program.module, grid, program.arguments);
        fewest[i] = Math.min(fewest[i], (System.nanoTime() - start) / 1e6);
      }
    }
    return fewest;
  }

  private static Literal argument(HloInstruction parameter) {
    Shape.Array shape = (Shape.Array) parameter.shape().withoutLayout();
    LiteralBuilder values = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      values.setDouble(i, i % 17 - 8);
    }
    return values.build();
  }
}
