package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.source.ParseException;

/**
 * A parser of metadata: {@code {op_name="jit(f)/add" source_file="f.py" source_line=7}}. {@link
 * Metadata} prints itself.
 */
final class MetadataText {
  private MetadataText() {}

  /** Reads metadata in braces, its parts separated by blanks or commas. */
  static Metadata parse(Lexer text) {
    Map<String, String> parts = new LinkedHashMap<>();
    text.expect("{", "{");
    while (!text.accept("}")) {
      int start = text.skipBlanks();
      String name = text.name("the name of a part of the metadata, or }");
      text.expect("=", "= behind " + name);
      if (parts.put(name, part(text)) != null) {
        throw new ParseException(start, "got " + name + " twice, want it once");
      }
      text.accept(",");
    }
    return of(text, parts);
  }

  private static String part(Lexer text) {
    int start = text.skipBlanks();
    switch (text.here()) {
      case '"', '\'' -> text.skipString();
      case '{' -> text.skipBracketed();
      default -> text.number();
    }
    if (text.position() == start) {
      throw text.wanted("a string, a number or {");
    }
    return text.substring(start, text.position());
  }

  private static Metadata of(Lexer text, Map<String, String> parts) {
    String opName = unquoted(parts.getOrDefault("op_name", "\"\""));
    if (!opName.isEmpty()) {
      parts.remove("op_name");
    }
    Optional<SourceLine> source = Optional.empty();
    String file = parts.get("source_file");
    String line = parts.get("source_line");
    int number = line == null ? 0 : line(text, line);
    if (file != null && line != null) {
      source = Optional.of(new SourceLine(unquoted(file), number));
      parts.remove("source_file");
      parts.remove("source_line");
    }
    return new Metadata(opName, source, ImmutableMap.copyOf(parts));
  }

  private static int line(Lexer text, String line) {
    try {
      return Integer.parseInt(line);
    } catch (NumberFormatException noNumber) {
      throw new ParseException(
          text.position() - 1, "got source_line=" + line + ", want the number of a line");
    }
  }

  private static String unquoted(String text) {
    boolean quoted = text.startsWith("\"") || text.startsWith("'");
    return quoted ? AttributeText.unescaped(text.substring(1, text.length() - 1)) : text;
  }
}
