package org.hlo4j.benchmarks;

import org.openjdk.jmh.annotations.Param;

/** A benchmark of fused element-wise loops and of the overhead of small calls. */
public class ElementwiseBenchmark extends KernelBenchmark {
  /** The name of the workload. */
  @Param({"fma", "chain", "gelu", "twenty", "scalar"})
  public String workload;

  /** Called by JMH. */
  public ElementwiseBenchmark() {}

  @Override
  String workload() {
    return workload;
  }
}
