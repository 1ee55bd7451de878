package org.hlo4j.benchmarks;

import org.openjdk.jmh.annotations.Param;

/** Products of matrices and convolutions. */
public class GemmBenchmark extends KernelBenchmark {
  /** Which workload. */
  @Param({"matmul512", "matmul1024", "conv", "mlp"})
  public String workload;

  /** For JMH. */
  public GemmBenchmark() {}

  @Override
  String workload() {
    return workload;
  }
}
