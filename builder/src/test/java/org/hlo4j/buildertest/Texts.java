package org.hlo4j.buildertest;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;

/** Builds, verifies and prints. */
final class Texts {
  private Texts() {}

  /** The computations of the module, in short form, without its header line. */
  static String built(XlaBuilder builder) {
    return printed(builder.build());
  }

  /** The computations of a module, in short form, without its header line. */
  static String printed(HloModule module) {
    Verifier.strict().verify(module);
    String text = Printer.print(module, PrintOptions.SHORT);
    return text.substring(text.indexOf("\n\n") + 2);
  }
}
