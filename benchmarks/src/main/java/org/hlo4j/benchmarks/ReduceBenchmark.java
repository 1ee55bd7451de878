package org.hlo4j.benchmarks;

import org.openjdk.jmh.annotations.Param;

/** A benchmark of reductions, of programs on rows such as softmax, and of a transpose. */
public class ReduceBenchmark extends KernelBenchmark {
  /** The name of the workload. */
  @Param({"softmax", "layernorm", "sum0", "sum1", "transpose"})
  public String workload;

  /** Called by JMH. */
  public ReduceBenchmark() {}

  @Override
  String workload() {
    return workload;
  }
}
