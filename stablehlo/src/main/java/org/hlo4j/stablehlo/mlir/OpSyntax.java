package org.hlo4j.stablehlo.mlir;

/** The custom form of an op in text. */
public interface OpSyntax {
  /**
   * Reads what follows the name of the op, up to the location.
   *
   * @param parser the text
   * @param state gets what was read
   */
  void parse(OpParser parser, OpState state);

  /**
   * Prints what follows the name of the op.
   *
   * @param printer the text
   * @param operation the op
   * @return whether the form can say all of it; if not, nothing was printed
   */
  boolean print(OpPrinter printer, Operation operation);
}
