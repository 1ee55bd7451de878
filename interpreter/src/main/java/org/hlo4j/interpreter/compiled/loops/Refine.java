package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;

/**
 * Says that over a domain no one formula gives the value, but that there is one over each of its
 * parts; of no parts, that there is none.
 */
final class Refine extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient ImmutableList<Domain> parts;

  Refine(ImmutableList<Domain> parts) {
    super("a fusion over other loops", null, false, false);
    this.parts = parts;
  }

  /** Gives the value up. */
  static Refine impossible() {
    return new Refine(ImmutableList.of());
  }

  ImmutableList<Domain> parts() {
    return parts;
  }
}
