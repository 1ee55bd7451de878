package org.hlo4j.stablehlo.mlir;

/** Attributes and types that their dialect does not encode, so that bytecode has them as text. */
final class EntryText {
  private EntryText() {}

  static Attribute attribute(String dialect, ByteReader bytes) {
    String text = bytes.text();
    String prefix = "#" + dialect;
    return text.startsWith(prefix)
        ? new Attribute.Verbatim(dialect, text.substring(prefix.length()))
        : new Attribute.Verbatim("builtin", "." + text);
  }

  static Type type(ByteReader bytes) {
    String text = bytes.text();
    if (Types.isFloat(text)) {
      return new Type.Floating(text);
    }
    int dot = text.indexOf('.');
    if (!text.startsWith("!") || dot < 0) {
      throw bytes.refusal("got type %s, want one of a dialect", text);
    }
    int open = text.indexOf('<');
    boolean plain = open < dot || !text.endsWith(">");
    return new Type.Dialect(
        text.substring(1, dot),
        plain ? text.substring(dot + 1) : text.substring(dot + 1, open),
        plain ? "" : text.substring(open + 1, text.length() - 1));
  }
}
