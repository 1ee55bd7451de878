package org.hlo4j.interpreter.compiled.codegen;

import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * Thrown when a code emitter cannot generate code for an operation or type. The caller catches it,
 * and declines the kernel for this reason.
 */
public class NoCodeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates an exception.
   *
   * @param reason the reason, in a few words, for the plan that is printed
   */
  public NoCodeException(String reason) {
    super(reason, null, false, false);
  }

  /** {@return a decline of the kernel for this reason} */
  public final KernelChoice decline() {
    return KernelChoice.decline(String.valueOf(getMessage()));
  }
}
