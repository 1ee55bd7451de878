package org.hlo4j.stablehlo.mlir;

/** The custom form of an op in text. */
public interface OpSyntax {
  /**
   * Reads what follows the name of the op, up to the location.
   *
   * @param parser the parser of the text
   * @param state the op that is being parsed
   */
  void parse(OpParser parser, OpState state);

  /**
   * Prints what follows the name of the op.
   *
   * @param printer the printer of the text
   * @param operation the op
   * @return whether the form can express the op; if not, the printed text is discarded
   */
  boolean print(OpPrinter printer, Operation operation);
}
