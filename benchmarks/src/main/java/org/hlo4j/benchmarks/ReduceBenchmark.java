package org.hlo4j.benchmarks;

import org.openjdk.jmh.annotations.Param;

/** Reductions, programs of rows, and a transpose. */
public class ReduceBenchmark extends KernelBenchmark {
  /** Which workload. */
  @Param({"softmax", "layernorm", "sum0", "sum1", "transpose"})
  public String workload;

  /** For JMH. */
  public ReduceBenchmark() {}

  @Override
  String workload() {
    return workload;
  }
}
