package org.hlo4j.interpreter.compiled.codegen;

/**
 * A generated method is longer than C2 compiles well, so that the caller has to split the work; or
 * there is too much code already.
 */
public final class TooLargeException extends NoCodeException {
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
}
