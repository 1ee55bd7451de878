package org.hlo4j.stablehlo.mlir;

import org.hlo4j.hlo.HloException;

/**
 * The attributes and types that their dialect does not encode, so that bytecode stores them as
 * text.
 */
final class EntryText {
  private EntryText() {}

  static Attribute attribute(String dialect, ByteReader bytes, Dialects dialects) {
    String text = bytes.text();
    // Layouts of buffers are such attributes, and nothing here uses them.
    if (dialect.equals("builtin") && text.startsWith("affine_map<")) {
      return new Attribute.Verbatim(dialect, "." + text);
    }
    try {
      return MlirParser.attribute(text, dialects);
    } catch (HloException refusal) {
      throw bytes.refusal("got attribute %s: %s", text, refusal.getMessage());
    }
  }

  static Type type(ByteReader bytes, Dialects dialects) {
    String text = bytes.text();
    try {
      return MlirParser.type(text, dialects);
    } catch (HloException refusal) {
      throw bytes.refusal("got type %s: %s", text, refusal.getMessage());
    }
  }
}
