package org.hlo4j.stablehlo.mlir;

/** Writes MLIR text, in the custom forms that upstream prints. */
public final class MlirPrinter {
  private MlirPrinter() {}

  /**
   * The text of a module.
   *
   * @param module the module, or any other operation
   * @param dialects how ops look
   * @param withLocations whether to print where ops come from, as aliases at the end
   * @return text that reads back as the same module
   */
  public static String print(Operation module, Dialects dialects, boolean withLocations) {
    return new OpPrinter(dialects, withLocations).print(module);
  }
}
