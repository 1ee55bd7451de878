package org.hlo4j.interpreter.compiled.reduce;

/**
 * The first reason why a plan cannot be made. Code that meets an obstacle continues with a
 * placeholder, and its result is not used.
 */
final class Obstacle {
  private String reason = "";

  /** Records a reason, unless there is one already. */
  void add(String why) {
    reason = isMet() ? reason : why;
  }

  boolean isMet() {
    return !reason.isEmpty();
  }

  /** {@return the first reason; empty if there is none} */
  String reason() {
    return reason;
  }
}
