package org.hlo4j.interpreter.compiled.reduce;

/** Says why a computation is none that is reduced here. */
final class Unfit extends RuntimeException {
  private static final long serialVersionUID = 1;

  Unfit(String why) {
    super(why, null, false, false);
  }
}
