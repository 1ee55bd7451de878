package org.hlo4j.interpreter.compiled.codegen;

import org.hlo4j.interpreter.engine.KernelChoice;

/** What writes code has none for something; told to who wanted it, which declines. */
public class NoCodeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * No code.
   *
   * @param reason why: a few words for the plan that is printed
   */
  public NoCodeException(String reason) {
    super(reason, null, false, false);
  }

  /** {@return no kernel, for this reason} */
  public final KernelChoice decline() {
    return KernelChoice.decline(String.valueOf(getMessage()));
  }
}
