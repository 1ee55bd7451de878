package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A parser of attributes. */
record AttributeParser(OpParser in) {
  private static final String WANT = "an attribute";

  Attribute attribute() {
    in.context.enter(in.skip());
    Attribute attribute = unnested();
    in.context.leave();
    return attribute;
  }

  private Attribute unnested() {
    char c = in.peek();
    return switch (c) {
      case '"' -> new Attribute.Str(in.string());
      case '[' -> new Attribute.Array(in.listOf("[]", this::attribute));
      case '{' -> new Attribute.Dictionary(dictionary());
      case '@' -> symbol();
      case '#' -> ofDialect();
      case '!', '(' -> new Attribute.OfType(in.type());
      default -> c == '-' || TextScanner.isDigit(c) ? new NumberParser(in).number() : named();
    };
  }

  /** Reads {@code {a = 1, b}}, with entries sorted by name. */
  ImmutableMap<String, Attribute> dictionary() {
    Map<String, Attribute> entries = new TreeMap<>();
    in.list(
        "{}",
        () -> {
          int start = in.skip();
          String name = in.peek() == '"' ? in.string() : in.word("the name of an attribute");
          Attribute value = in.eat('=') ? attribute() : Attribute.Unit.INSTANCE;
          boolean isNew = entries.put(name, value) == null;
          in.require(isNew, start, "got %s twice, want each name once", name);
        });
    return ImmutableMap.copyOf(entries);
  }

  private Attribute symbol() {
    ImmutableList.Builder<String> path = ImmutableList.builder();
    do {
      path.add(in.symbol());
    } while (in.eat("::"));
    return new Attribute.Symbol(path.build());
  }

  private Attribute named() {
    int start = in.skip();
    String word = in.word(WANT);
    return switch (word) {
      case "true", "false" -> Attribute.Int.bool(word.equals("true"));
      case "unit" -> Attribute.Unit.INSTANCE;
      case "dense" -> in.dense.dense(() -> {});
      case "array" -> in.dense.array();
      case "dense_resource" -> in.dense.resource();
      case "loc" -> {
        in.at = start;
        yield new Attribute.OfLocation(in.location());
      }
      case "affine_map", "affine_set", "sparse", "strided", "distinct" ->
          throw in.wrongAt(
              start, "got %s, which StableHLO does not have, want another attribute", word);
      default -> {
        in.at = start;
        yield new Attribute.OfType(in.types.type(WANT));
      }
    };
  }

  private Attribute ofDialect() {
    int start = in.skip();
    in.expect('#');
    String name = in.name();
    int dot = name.indexOf('.');
    boolean open = in.charAt(in.at) == '<';
    if (dot < 0) {
      return open
          ? ofMnemonic(name)
          : in.context.aliases.use("#" + name, Attribute.class, "the alias of an attribute", start);
    }
    String dialect = name.substring(0, dot);
    String mnemonic = name.substring(dot + 1);
    int behindName = in.at;
    if (open) {
      in.at++;
      Optional<Attribute> known = in.context.dialects.attribute(dialect, mnemonic, in);
      if (known.isPresent()) {
        in.expect('>');
        return known.get();
      }
    }
    return verbatim(dialect, behindName - mnemonic.length() - 1, behindName);
  }

  /** Reads {@code #stablehlo<precision HIGHEST>}, whose mnemonic is within the brackets. */
  private Attribute ofMnemonic(String dialect) {
    int start = in.at;
    in.at++;
    if (in.looksAtWord()) {
      String mnemonic = in.word("a word");
      Optional<Attribute> known = in.context.dialects.attribute(dialect, mnemonic, in);
      if (known.isPresent()) {
        in.expect('>');
        return known.get();
      }
    }
    return verbatim(dialect, start, start);
  }

  /** Returns the text from the dialect on, up to the bracket that closes the one at a position. */
  private Attribute verbatim(String dialect, int from, int bracket) {
    in.at = bracket;
    in.at = in.charAt(bracket) == '<' ? in.endOfBrackets() : bracket;
    return new Attribute.Verbatim(dialect, in.text.substring(from, in.at));
  }
}
