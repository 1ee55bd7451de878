package org.hlo4j.interpreter.engine;

/**
 * The assertion mode, {@code -Dhlo4j.check=true}, in which our tests run: a mistake of a kernel
 * that is otherwise made good, by a slower form of it, is an {@link AssertionError}.
 */
public final class CheckMode {
  private static final boolean ON = Boolean.getBoolean("hlo4j.check");

  private CheckMode() {}

  /** {@return whether the mode is on} */
  public static boolean isOn() {
    return ON;
  }
}
