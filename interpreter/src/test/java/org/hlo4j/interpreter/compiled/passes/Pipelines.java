package org.hlo4j.interpreter.compiled.passes;

/** Pipelines for tests. */
final class Pipelines {
  private Pipelines() {}

  static Pipeline all() {
    return Pipeline.of(Generators.expected());
  }
}
