package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.LIMIT;

import java.util.LinkedHashMap;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.hlo.source.ParseException;
import org.jspecify.annotations.Nullable;

/**
 * The aliases of a text: {@code #name = attribute}, {@code #name = loc(...)} and {@code !name =
 * type}. They are found and read before anything else, since locations refer to aliases that are
 * defined later in the text.
 */
final class AliasTable {
  /**
   * The largest text, with all aliases expanded, of an alias that refers to others; the limit is
   * the length of the file if that is larger.
   */
  private static final long MAX_EXPANDED = 1 << 20;

  /** An alias and its value: an Attribute, a Type or a Location, or null until it is read. */
  private static final class Alias {
    final String name;
    final int position;
    final int valueAt;
    @Nullable Object value;
    boolean isRead;
    boolean isBeingRead;
    long size;
    int height;
    int end;

    Alias(String name, int position, int valueAt) {
      this.name = name;
      this.position = position;
      this.valueAt = valueAt;
      this.end = valueAt;
    }
  }

  private final ParseContext context;
  private final int start;
  private final Map<String, Alias> aliases = new LinkedHashMap<>();
  private final OpParser in;
  private long sizeOfUsed;

  AliasTable(ParseContext context, int start, int end) {
    this.context = context;
    this.start = start;
    this.in = new OpParser(context, start, end);
  }

  /** Finds and reads all aliases, and records errors. */
  void readAll() {
    for (int line = start; line < in.end; line = in.endOfLine(line) + 1) {
      findDefinition(line);
    }
    for (Alias alias : aliases.values()) {
      try {
        read(alias, alias.position);
      } catch (ParseException error) {
        context.restoreNesting(0);
        context.errors.add(error);
      }
    }
  }

  /** Records a definition if the line begins with {@code #name =} or {@code !name =}. */
  private void findDefinition(int line) {
    in.at = line;
    while (in.charAt(in.at) == ' ' || in.charAt(in.at) == '\t') {
      in.at++;
    }
    int first = in.at;
    char c = in.charAt(first);
    if ((c != '#' && c != '!') || !TextScanner.isWordPart(in.charAt(first + 1))) {
      return;
    }
    in.at++;
    String name = c + in.name();
    if (in.eat('=')) {
      boolean isNew = aliases.putIfAbsent(name, new Alias(name, first, in.skip())) == null;
      if (!isNew) {
        context.errors.add(
            new ParseException(first, "got " + name + ", which is defined already, want another"));
      }
    }
  }

  /** Returns the position after the definition that begins at a position; -1 if none does. */
  int endOfDefinition(String name, int position) {
    Alias alias = aliases.get(name);
    if (alias == null || alias.position != position) {
      return -1;
    }
    return alias.value == null ? in.endOfLine(position) : alias.end;
  }

  /** Returns the value of an alias. */
  <T> T use(String name, Class<T> kind, String want, int position) {
    Alias alias = aliases.get(name);
    if (alias == null) {
      throw new ParseException(
          position,
          "got " + name + ", which is not defined, want " + want,
          Nearest.to(name, aliases.keySet()));
    }
    read(alias, position);
    Object value = alias.value;
    if (value == null) {
      throw ParseException.told(position);
    }
    context.checkAlias(alias.height, position);
    sizeOfUsed += alias.size;
    if (!kind.isInstance(value)) {
      throw new ParseException(position, "got " + name + " = " + value + ", want " + want);
    }
    return kind.cast(value);
  }

  private void read(Alias alias, int position) {
    if (alias.isBeingRead) {
      throw new ParseException(
          position, "got " + alias.name + " within its own definition, want no cycle");
    }
    if (alias.isRead) {
      return;
    }
    alias.isBeingRead = true;
    alias.isRead = true;
    long sizeAround = sizeOfUsed;
    int depthAround = context.measureDepth(context.nesting());
    int positionAround = in.at;
    sizeOfUsed = 0;
    in.at = alias.valueAt;
    try {
      readValue(alias);
    } finally {
      alias.end = in.at;
      alias.isBeingRead = false;
      alias.height = context.measureDepth(depthAround) - context.nesting();
      sizeOfUsed = sizeAround;
      in.at = positionAround;
    }
  }

  private void readValue(Alias alias) {
    Object value =
        alias.name.startsWith("!")
            ? in.type()
            : in.looksAtWord("loc") ? in.location() : in.attribute();
    alias.size = in.at - alias.valueAt + sizeOfUsed;
    if (alias.size > Math.max(MAX_EXPANDED, context.text.length())) {
      throw new ParseException(
          alias.position,
          new HloException(
              LIMIT,
              "got an alias of aliases that stand for %s characters, want fewer",
              alias.size));
    }
    alias.value = value;
  }
}
