package org.hlo4j.interpreter.compiled.fission;

/** Code that cannot be cut into loops: it stays one. */
final class Unfit extends RuntimeException {
  private static final long serialVersionUID = 1;

  Unfit() {
    super(null, null, false, false);
  }
}
