package org.hlo4j.interpreter.compiled.passes;

import org.hlo4j.interpreter.reference.ReferenceOps;

/** Pipelines for tests. */
final class Pipelines {
  private Pipelines() {}

  static Pipeline all() {
    return Pipeline.of(ExpectedGenerators.all(), new ReferenceOps());
  }
}
