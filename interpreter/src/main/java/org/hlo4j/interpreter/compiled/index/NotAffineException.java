package org.hlo4j.interpreter.compiled.index;

import com.google.common.collect.ImmutableList;

/**
 * Thrown when one expression cannot give a value over a whole iteration space, with the parts of it
 * over which one can. If there are no parts, the value cannot be computed by loops at all.
 */
public final class NotAffineException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient ImmutableList<IterationSpace> parts;

  public NotAffineException(ImmutableList<IterationSpace> parts) {
    super("a fusion over other loops", null, false, false);
    this.parts = parts;
  }

  /** Returns an exception without parts, which gives up. */
  public static NotAffineException impossible() {
    return new NotAffineException(ImmutableList.of());
  }

  public ImmutableList<IterationSpace> parts() {
    return parts;
  }
}
