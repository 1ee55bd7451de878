package org.hlo4j.stablehlo.mlir;

import java.util.function.Supplier;
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
    return read("attribute", text, bytes, () -> MlirParser.attribute(text, dialects));
  }

  static Type type(ByteReader bytes, Dialects dialects) {
    String text = bytes.text();
    return read("type", text, bytes, () -> MlirParser.type(text, dialects));
  }

  private static <T> T read(String what, String text, ByteReader bytes, Supplier<T> parser) {
    try {
      return parser.get();
    } catch (HloException refusal) {
      throw bytes.refusal("got %s %s: %s", what, text, refusal.getMessage());
    }
  }
}
