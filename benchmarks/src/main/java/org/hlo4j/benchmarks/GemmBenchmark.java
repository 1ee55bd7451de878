package org.hlo4j.benchmarks;

import org.openjdk.jmh.annotations.Param;

/** A benchmark of matrix products and convolutions. */
public class GemmBenchmark extends KernelBenchmark {
  /** The name of the workload. */
  @Param({"matmul512", "matmul1024", "conv", "mlp"})
  public String workload;

  /** Called by JMH. */
  public GemmBenchmark() {}

  @Override
  String workload() {
    return workload;
  }
}
