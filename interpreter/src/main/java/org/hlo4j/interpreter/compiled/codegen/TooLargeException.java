package org.hlo4j.interpreter.compiled.codegen;

import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * A generated method is longer than C2 compiles well, so that the caller has to split the work; or
 * there is too much code already.
 */
public final class TooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  TooLargeException(String name, int size) {
    super(
        "generated "
            + name
            + " got "
            + size
            + " bytecodes, want "
            + HiddenClasses.LIMIT
            + " at most");
  }

  TooLargeException(String name, long limit) {
    super("no code for " + name + ", want at most " + limit + " bytes for all of a module");
  }

  /** {@return no kernel, for this reason} */
  public KernelChoice decline() {
    return KernelChoice.decline(String.valueOf(getMessage()));
  }
}
