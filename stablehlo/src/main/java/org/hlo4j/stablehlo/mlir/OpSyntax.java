package org.hlo4j.stablehlo.mlir;

import java.util.function.BiConsumer;
import java.util.function.BiPredicate;

/** The custom form of an op in text. */
public interface OpSyntax {
  /**
   * {@return a form that consists of a reader and a printer}
   *
   * @param reader reads what {@link #parse} does
   * @param printer prints what {@link #print} does
   */
  static OpSyntax of(
      BiConsumer<OpParser, OpState> reader, BiPredicate<OpPrinter, Operation> printer) {
    return new OpSyntax() {
      @Override
      public void parse(OpParser parser, OpState state) {
        reader.accept(parser, state);
      }

      @Override
      public boolean print(OpPrinter printing, Operation operation) {
        return printer.test(printing, operation);
      }
    };
  }

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
