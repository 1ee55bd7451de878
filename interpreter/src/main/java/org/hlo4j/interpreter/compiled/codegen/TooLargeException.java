package org.hlo4j.interpreter.compiled.codegen;

import java.util.function.Supplier;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * Thrown when a generated method is too long to be compiled well by C2, so that the caller has to
 * split the work; or when the code budget is spent.
 */
public final class TooLargeException extends NoCodeException {
  private static final long serialVersionUID = 1;

  private final boolean isOfBudget;

  TooLargeException(String name, int size) {
    super(
        "generated "
            + name
            + " got "
            + size
            + " bytecodes, want "
            + HiddenClasses.LIMIT
            + " at most");
    this.isOfBudget = false;
  }

  TooLargeException(String name, long limit) {
    super("no code for " + name + ", want at most " + limit + " bytes for all of a module");
    this.isOfBudget = true;
  }

  /** {@return a choice of a kernel, or a decline if its code is too large} */
  public static KernelChoice orDecline(Supplier<KernelChoice> choice) {
    try {
      return choice.get();
    } catch (TooLargeException tooLarge) {
      return tooLarge.decline();
    }
  }

  /** {@return whether the budget is spent, so that another module may well have the code} */
  public boolean isOfBudget() {
    return isOfBudget;
  }
}
