package org.hlo4j.benchmarks;

import org.openjdk.jmh.annotations.Param;

/** Fused loops over elements, and what small calls cost. */
public class ElementwiseBenchmark extends KernelBenchmark {
  /** Which workload. */
  @Param({"fma", "chain", "gelu", "twenty", "scalar"})
  public String workload;

  /** For JMH. */
  public ElementwiseBenchmark() {}

  @Override
  String workload() {
    return workload;
  }
}
