package org.hlo4j.interpreter.compiled.lanes;

/** A generated method is longer than C2 compiles well; the caller has to split the work. */
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
}
