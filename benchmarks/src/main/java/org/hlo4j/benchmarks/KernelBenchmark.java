package org.hlo4j.benchmarks;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A benchmark of a workload on the compiled evaluator with vectors. Subclasses choose the workload.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {"--add-modules", "jdk.incubator.vector"})
public abstract class KernelBenchmark {
  private Executable executable;
  private Literal[] arguments;

  /** Called by subclasses. */
  KernelBenchmark() {}

  /** Returns the name of the workload. */
  abstract String workload();

  /** Compiles the workload. */
  @Setup
  public void compile() {
    String hlo =
        Workload.all().stream()
            .filter(one -> one.name().equals(workload()))
            .findFirst()
            .orElseThrow()
            .hlo();
    HloModule module = Parser.parse(hlo);
    Random random = new Random(1);
    arguments =
        module.entry().parameters().stream()
            .map(parameter ->
                Hlo4jServer.normal((Shape.Array) parameter.shape().withoutLayout(), random))
            .toArray(Literal[]::new);
    executable = Interpreter.compiled().compile(module);
  }

  /**
   * Runs the workload.
   *
   * @return the result
   */
  @Benchmark
  public Literal run() {
    return executable.run(arguments);
  }
}
