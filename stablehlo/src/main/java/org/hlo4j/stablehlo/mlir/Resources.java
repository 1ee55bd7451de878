package org.hlo4j.stablehlo.mlir;

import java.util.HashMap;
import java.util.Map;
import org.hlo4j.hlo.source.ParseException;

/** The blobs of {@code {-# dialect_resources: { builtin: { name: "0x..." } } #-}} in a text. */
final class Resources {
  static final String BEGIN = "{-#";

  /** The name that MLIR gives to resources that it does not print. */
  private static final String ELIDED = "__elided__";

  /** The prefix of a blob: its alignment, four bytes. */
  private static final String ALIGNMENT = "0x00000000";

  private static final String END = "#-}";

  private record Range(int from, int to) {}

  private final ParseContext context;
  private final int start;
  private final int end;
  private final Map<String, Range> blobs = new HashMap<>();

  Resources(ParseContext context, int start, int end) {
    this.context = context;
    this.start = start;
    this.end = end;
  }

  /** Finds the blobs, which are at the end of the text. */
  void readAll() {
    int limit = end;
    while (limit > start && context.text.charAt(limit - 1) <= ' ') {
      limit--;
    }
    if (!context.text.startsWith(END, limit - END.length())) {
      return;
    }
    int begin = context.text.lastIndexOf(BEGIN, limit);
    if (begin >= start) {
      TextScanner in = new TextScanner(context.text, begin, limit);
      try {
        file(in);
      } catch (ParseException error) {
        context.errors.add(error);
      }
    }
  }

  /** Skips all resources after they have been read. */
  static void skip(TextScanner in) {
    int start = in.skip();
    int close = in.text.lastIndexOf(END, in.end);
    if (close < start) {
      throw in.wrongAt(start, "got resources without an end, want %s", END);
    }
    in.at = close + END.length();
  }

  private void file(TextScanner in) {
    in.expect(BEGIN);
    while (!in.eat(END)) {
      String section = key(in);
      in.expect('{');
      while (!in.eat('}')) {
        key(in);
        in.expect('{');
        dialect(in, section.equals("dialect_resources"));
        in.eat(',');
      }
      in.eat(',');
    }
  }

  private void dialect(TextScanner in, boolean kept) {
    while (!in.eat('}')) {
      String name = key(in);
      int from = in.skip();
      if (in.peek() != '"') {
        skipValue(in);
      } else {
        in.at = in.endOfString(from);
        boolean isNew = !kept || blobs.put(name, new Range(from + 1, in.at - 1)) == null;
        in.require(isNew, from, "got resource %s twice, want it once", name);
      }
      in.eat(',');
    }
  }

  private static void skipValue(TextScanner in) {
    if ("[{(<".indexOf(in.peek()) >= 0) {
      in.at = in.endOfBrackets();
    } else if (in.looksAtWord()) {
      in.word("a value");
    } else {
      in.integer();
    }
  }

  private static String key(TextScanner in) {
    String name = in.peek() == '"' ? in.string() : in.word("the name of a resource");
    in.expect(':');
    return name;
  }

  /** Returns the elements in a resource, or a reference by name if the file has elided it. */
  Attribute elements(String name, Type.Tensor type, int position, DenseParser dense) {
    Range range = blobs.get(name);
    if (range != null) {
      return dense.blob(range.from, range.to, ALIGNMENT, type);
    }
    if (!name.startsWith(ELIDED)) {
      throw new ParseException(
          position,
          "got resource "
              + name
              + ", which is not in the file, want "
              + BEGIN
              + " … "
              + END
              + " with it");
    }
    return new Attribute.DenseResource(name, type);
  }
}
