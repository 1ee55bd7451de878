package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.schema.KnownAttributes;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.hlo.source.ParseException;

/**
 * The attributes of an instruction, {@code , name=value} each. They are located first; then each is
 * taken by the parser that can read it. An attribute that is not taken is kept as text.
 */
final class AttributeReader {
  /** Of each body that is written in place; the attributes of a start imply it. */
  private static final String THREAD = "execution_thread";

  /** The positions of an attribute: the start of its name, and the start and end of its value. */
  private record Span(int name, int start, int end) {}

  private final Lexer text;
  private final int opcodePosition;
  private final Map<String, Span> spans = new LinkedHashMap<>();
  private final Set<String> written = new HashSet<>();
  private final Set<String> asked = new HashSet<>();

  private AttributeReader(Lexer text, int opcodePosition) {
    this.text = text;
    this.opcodePosition = opcodePosition;
  }

  /** No attributes. */
  static AttributeReader none(Lexer text, int opcodePosition) {
    return new AttributeReader(text, opcodePosition);
  }

  /** Finds all attributes that follow. */
  static AttributeReader read(Lexer text, int opcodePosition) {
    AttributeReader attributes = none(text, opcodePosition);
    attributes.find();
    return attributes;
  }

  private void find() {
    while (text.accept(",")) {
      int name = text.skipBlanks();
      String attribute = text.name("the name of an attribute");
      text.expect("=", "= behind the attribute " + attribute);
      int start = startOfValue(attribute);
      written.add(attribute);
      Span before = spans.put(attribute, new Span(name, start, text.position()));
      if (before != null && !attribute.equals(THREAD)) {
        throw new ParseException(name, "got " + attribute + " twice, want it once");
      }
    }
  }

  /** Skips to the start of a value. The padding of a scalar has an empty value. */
  private int startOfValue(String attribute) {
    boolean empty =
        attribute.equals("padding") && !Lexer.isDigit(text.peek()) && text.peek() != '-';
    int start = empty ? text.position() : text.skipBlanks();
    if (!empty && attribute.equals("replica_groups") && MeshParser.isNext(text)) {
      MeshParser.replicaGroups(text);
    } else if (!empty && attribute.equals("literal")) {
      text.skipValue();
    } else if (!empty) {
      text.skipCompactValue();
    }
    return start;
  }

  /** Takes an attribute and parses its value; empty if it is absent. */
  <T> Optional<T> take(String name, Function<Lexer, T> parse) {
    asked.add(name);
    Span span = spans.remove(name);
    if (span == null) {
      return Optional.empty();
    }
    Lexer part = text.part(span.start, span.end);
    T value = parse.apply(part);
    part.expectEnd("the end of " + name);
    return Optional.of(value);
  }

  /** Returns whether an attribute was written. */
  boolean has(String name) {
    return written.contains(name);
  }

  /** Returns the error for an instruction that lacks an attribute or has a misspelt one. */
  ParseException missing(String opcode, String name) {
    String misspelt = Nearest.to(name, spans.keySet());
    Span span = spans.get(misspelt);
    return span == null
        ? new ParseException(
            opcodePosition, "got " + opcode + " without " + name + ", want " + name + "=…")
        : new ParseException(
            span.name, "got " + misspelt + ", want an attribute of " + opcode, name);
  }

  Metadata metadata() {
    return take("metadata", MetadataText::parse).orElse(Metadata.NONE);
  }

  /** Checks the value of an attribute without taking it. */
  void check(String name, ObjIntConsumer<Lexer> check) {
    Span span = spans.get(name);
    if (span != null) {
      check.accept(text.part(span.start, span.end), span.name);
    }
  }

  /**
   * Returns the attributes that are left, as text. Attributes of other ops are refused, and so are
   * names similar to a requested one, which are probably mistakes and not new attributes.
   */
  ImmutableMap<String, String> rest(String opcode) {
    ImmutableMap.Builder<String, String> rest = ImmutableMap.builder();
    spans.forEach((name, span) -> {
      if (!KnownAttributes.isOfAll(name) && !opcode.equals("custom-call")) {
        String nearest = Nearest.to(name, asked);
        if (OpSchema.isAttribute(name) || !nearest.isEmpty()) {
          throw new ParseException(
              span.name, "got " + name + ", want an attribute of " + opcode, nearest);
        }
      }
      rest.put(name, text.substring(span.start, span.end).stripTrailing());
    });
    return rest.buildOrThrow();
  }
}
