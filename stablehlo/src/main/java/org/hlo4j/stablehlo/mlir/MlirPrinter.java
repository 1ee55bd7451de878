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
    return new OpPrinter(dialects, withLocations, false).print(module);
  }

  /**
   * The text of a module in which every op has the generic form, {@code "stablehlo.add"(%0, %1) :
   * (tensor<f32>, tensor<f32>) -> tensor<f32>}.
   *
   * @param module the module, or any other operation
   * @param dialects which attributes are part of what an op is
   * @param withLocations whether to print where ops come from, as aliases at the end
   * @return text that reads back as the same module
   */
  public static String printGeneric(Operation module, Dialects dialects, boolean withLocations) {
    return new OpPrinter(dialects, withLocations, true).print(module);
  }
}
