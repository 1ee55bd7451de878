package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.AttributeText;
import org.hlo4j.hlo.ir.Metadata;

/** Metadata as HLO text: {@code {op_name="jit(f)/add" source_file="f.py" source_line=7}}. */
final class MetadataText {
  /** What XLA writes, in its order. */
  private static final ImmutableList<String> ORDER =
      ImmutableList.of(
          "op_type",
          "op_name",
          "source_file",
          "source_line",
          "source_end_line",
          "source_column",
          "source_end_column",
          "profile_type",
          "deduplicated_name",
          "scheduling_name",
          "stack_frame_id");

  private MetadataText() {}

  /** The metadata in braces, in XLA's order; what XLA does not know comes last. */
  static String print(Metadata metadata) {
    Map<String, String> parts = new LinkedHashMap<>(metadata.others());
    if (!metadata.opName().isEmpty()) {
      parts.put("op_name", AttributeText.quoted(metadata.opName()));
    }
    metadata
        .source()
        .ifPresent(source -> {
          parts.put("source_file", AttributeText.quoted(source.file()));
          parts.put("source_line", Integer.toString(source.line()));
        });
    ImmutableList.Builder<String> texts = ImmutableList.builder();
    for (String name : ORDER) {
      String value = parts.remove(name);
      if (value != null) {
        texts.add(name + "=" + value);
      }
    }
    parts.forEach((name, value) -> texts.add(name + "=" + value));
    return "{" + String.join(" ", texts.build()) + "}";
  }

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
    if (file != null && line != null) {
      source = Optional.of(new SourceLine(unquoted(file), line(text, line)));
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
