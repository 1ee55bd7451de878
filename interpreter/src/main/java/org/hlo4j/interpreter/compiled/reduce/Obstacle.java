package org.hlo4j.interpreter.compiled.reduce;

/**
 * The first reason why a plan cannot be made. Who meets one goes on with a placeholder; what is
 * made of it is not used.
 */
final class Obstacle {
  private String reason = "";

  /** Notes a reason, unless there is one already. */
  void add(String why) {
    reason = isMet() ? reason : why;
  }

  boolean isMet() {
    return !reason.isEmpty();
  }

  /** The first reason; empty if there is none. */
  String reason() {
    return reason;
  }
}
