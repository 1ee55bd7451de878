package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;

/**
 * Says that over a domain no one formula gives the value, but that there is one over each of its
 * parts; of no parts, that there is none.
 */
final class SplitDomain extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient ImmutableList<IterationSpace> parts;

  SplitDomain(ImmutableList<IterationSpace> parts) {
    super("a fusion over other loops", null, false, false);
    this.parts = parts;
  }

  /** Gives the value up. */
  static SplitDomain impossible() {
    return new SplitDomain(ImmutableList.of());
  }

  ImmutableList<IterationSpace> parts() {
    return parts;
  }
}
