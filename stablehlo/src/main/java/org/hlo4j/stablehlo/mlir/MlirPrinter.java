package org.hlo4j.stablehlo.mlir;

/** A printer of MLIR text, in the custom forms that upstream prints. */
public final class MlirPrinter {
  private MlirPrinter() {}

  /**
   * Prints a module.
   *
   * @param module the module, or any other operation
   * @param dialects the custom forms of ops
   * @param withLocations whether to print the locations of ops, as aliases at the end
   * @return text that is parsed as the same module
   */
  public static String print(Operation module, Dialects dialects, boolean withLocations) {
    return new OpPrinter(dialects, withLocations, false).print(module);
  }

  /**
   * Prints a module in which every op has the generic form, {@code "stablehlo.add"(%0, %1) :
   * (tensor<f32>, tensor<f32>) -> tensor<f32>}.
   *
   * @param module the module, or any other operation
   * @param dialects say which attributes are inherent
   * @param withLocations whether to print the locations of ops, as aliases at the end
   * @return text that is parsed as the same module
   */
  public static String printGeneric(Operation module, Dialects dialects, boolean withLocations) {
    return new OpPrinter(dialects, withLocations, true).print(module);
  }
}
