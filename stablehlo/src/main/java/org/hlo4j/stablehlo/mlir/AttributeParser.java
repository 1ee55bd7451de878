package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads attributes, aliases and locations. */
final class AttributeParser {
  private static final int MAX_DEPTH = 200;

  private final TextScanner in;
  private final Dialects dialects;
  private final TypeParser types;
  private final AliasTable aliases;
  private @Nullable OpParser ops;
  private int depth;

  AttributeParser(TextScanner in, Dialects dialects, AliasTable aliases) {
    this.in = in;
    this.dialects = dialects;
    this.aliases = aliases;
    this.types = new TypeParser(in, this);
  }

  void setOps(OpParser parser) {
    this.ops = parser;
  }

  TypeParser types() {
    return types;
  }

  Type typeAlias(String name, int position) {
    return aliases.type(name, position);
  }

  Attribute attribute() {
    if (++depth > MAX_DEPTH) {
      throw new TextError(in.at, "got more than " + MAX_DEPTH + " attributes within attributes");
    }
    Attribute attribute = anyAttribute();
    depth--;
    return attribute;
  }

  private Attribute anyAttribute() {
    char c = in.peek();
    return switch (c) {
      case '"' -> string();
      case '[' -> array();
      case '{' -> new Attribute.Dictionary(dictionary());
      case '@' -> symbol();
      case '#' -> dialectAttribute();
      case '!', '(' -> new Attribute.OfType(types.type());
      default -> c == '-' || TextScanner.isDigit(c) ? number() : named();
    };
  }

  private Attribute string() {
    String value = in.string();
    return new Attribute.Str(value);
  }

  private Attribute array() {
    in.expect('[');
    ImmutableList.Builder<Attribute> elements = ImmutableList.builder();
    if (!in.eat(']')) {
      do {
        elements.add(attribute());
      } while (in.eat(','));
      in.expect(']');
    }
    return new Attribute.Array(elements.build());
  }

  /** The entries of {@code {a = 1, b}}, sorted by name. */
  ImmutableMap<String, Attribute> dictionary() {
    in.expect('{');
    Map<String, Attribute> entries = new TreeMap<>();
    if (!in.eat('}')) {
      do {
        int start = in.at;
        String name = in.peek() == '"' ? in.string() : in.word("the name of an attribute");
        Attribute value = in.eat('=') ? attribute() : Attribute.Unit.INSTANCE;
        if (entries.put(name, value) != null) {
          throw new TextError(start, "attribute " + name + " is given twice");
        }
      } while (in.eat(','));
      in.expect('}');
    }
    return ImmutableMap.copyOf(entries);
  }

  private Attribute symbol() {
    ImmutableList.Builder<String> path = ImmutableList.builder();
    path.add(in.symbol());
    while (in.eat("::")) {
      path.add(in.symbol());
    }
    return new Attribute.Symbol(path.build());
  }

  private Attribute named() {
    int start = in.at;
    String word = in.word("an attribute");
    switch (word) {
      case "true", "false" -> {
        return Attribute.Int.bool(word.equals("true"));
      }
      case "unit" -> {
        return Attribute.Unit.INSTANCE;
      }
      case "dense" -> {
        return DenseParser.dense(in, types);
      }
      case "array" -> {
        return DenseParser.array(in, types);
      }
      case "dense_resource" -> {
        return resource();
      }
      case "loc" -> {
        in.at = start;
        return new Attribute.OfLocation(location());
      }
      default -> {
        in.at = start;
        return new Attribute.OfType(types.type());
      }
    }
  }

  private Attribute resource() {
    in.expect('<');
    in.skip();
    int start = in.at;
    String name = in.peek() == '"' ? in.string() : in.name();
    in.expect('>');
    in.expect(':');
    if (types.type() instanceof Type.Tensor tensor) {
      return aliases.resource(name, tensor);
    }
    throw new TextError(start, "dense_resource: want a tensor type");
  }

  private Attribute number() {
    int start = in.at;
    boolean negative = in.eat('-');
    if (in.looksAt("0x")) {
      return hexadecimal(start, negative);
    }
    in.at = start;
    int end = endOfNumber(start);
    String digits = in.text.substring(start, end);
    in.at = end;
    boolean real = digits.indexOf('.') >= 0 || digits.indexOf('e') >= 0 || digits.indexOf('E') >= 0;
    if (real) {
      Type type = in.eat(':') ? types.type() : Types.F64;
      return new Attribute.Floating(rounded(Double.parseDouble(digits), type, start), type);
    }
    return integer(new BigInteger(digits), in.eat(':') ? types.type() : Types.I64, start);
  }

  private static Attribute integer(BigInteger value, Type type, int start) {
    if (type instanceof Type.Floating) {
      return new Attribute.Floating(rounded(value.doubleValue(), type, start), type);
    }
    if (!(type instanceof Type.Int) && type != Type.Simple.INDEX) {
      throw new TextError(start, "got a number of type " + type + ", want an integer or float");
    }
    int width = type instanceof Type.Int integer ? integer.width() : 64;
    if (value.bitLength() > width) {
      throw new TextError(start, "got " + value + ", want a value of " + type);
    }
    boolean wrapped =
        type instanceof Type.Int signless
            && signless.signedness() == Type.Signedness.SIGNLESS
            && width > 1
            && value.bitLength() == width
            && value.signum() > 0;
    return new Attribute.Int(
        wrapped ? value.subtract(BigInteger.ONE.shiftLeft(width)) : value, type);
  }

  private static double rounded(double value, Type type, int start) {
    if (!(type instanceof Type.Floating)) {
      throw new TextError(start, "got a number of type " + type + ", want a float type");
    }
    return Types.elementType(type).map(t -> t.round(value)).orElse(value);
  }

  private Attribute hexadecimal(int start, boolean negative) {
    in.at += 2;
    int digits = in.at;
    while (Character.digit(in.charAt(in.at), 16) >= 0) {
      in.at++;
    }
    if (in.at == digits || in.at - digits > 32) {
      throw new TextError(start, "got 0x..., want 1 to 32 hexadecimal digits");
    }
    BigInteger bits = new BigInteger(in.text.substring(digits, in.at), 16);
    Type type = in.eat(':') ? types.type() : Types.I64;
    if (type instanceof Type.Floating && !negative) {
      return new Attribute.Floating(
          Types.elementType(type).map(t -> t.decode(bits.longValue())).orElse(Double.NaN), type);
    }
    return integer(negative ? bits.negate() : bits, type, start);
  }

  private int endOfNumber(int start) {
    int i = start + (in.charAt(start) == '-' ? 1 : 0);
    if (!TextScanner.isDigit(in.charAt(i))) {
      throw in.wrong("a number");
    }
    while (TextScanner.isDigit(in.charAt(i))) {
      i++;
    }
    if (in.charAt(i) != '.') {
      return i;
    }
    i++;
    while (TextScanner.isDigit(in.charAt(i))) {
      i++;
    }
    if (in.charAt(i) == 'e' || in.charAt(i) == 'E') {
      int exponent = i + 1;
      if (in.charAt(exponent) == '+' || in.charAt(exponent) == '-') {
        exponent++;
      }
      if (TextScanner.isDigit(in.charAt(exponent))) {
        i = exponent;
        while (TextScanner.isDigit(in.charAt(i))) {
          i++;
        }
      }
    }
    return i;
  }

  /** A decimal number, with or without a point. */
  double real() {
    in.skip();
    int start = in.at;
    int end = endOfNumber(start);
    in.at = end;
    return Double.parseDouble(in.text.substring(start, end));
  }

  private Attribute dialectAttribute() {
    int start = in.at;
    in.expect('#');
    String name = in.name();
    int dot = name.indexOf('.');
    if (in.charAt(in.at) != '<') {
      return dot < 0
          ? aliases.attribute(name, start)
          : new Attribute.Verbatim(name.substring(0, dot), name.substring(dot));
    }
    if (dot < 0) {
      return word(name);
    }
    String dialect = name.substring(0, dot);
    String mnemonic = name.substring(dot + 1);
    int open = in.at;
    int end = in.endOfBrackets();
    in.at = open + 1;
    Optional<Attribute> known =
        ops == null ? Optional.empty() : dialects.attribute(dialect, mnemonic, ops);
    if (known.isEmpty()) {
      in.at = end;
      return new Attribute.Verbatim(dialect, "." + mnemonic + in.text.substring(open, end));
    }
    in.expect('>');
    return known.get();
  }

  /** {@code #stablehlo<precision HIGHEST>}, or anything else as it is written. */
  private Attribute word(String dialect) {
    int open = in.at;
    int end = in.endOfBrackets();
    in.at = open + 1;
    if (in.looksAtWord()) {
      String mnemonic = in.word("a word");
      if (in.looksAtWord()) {
        String value = in.word("a word");
        if (in.eat('>') && in.at == end) {
          return new Attribute.Word(dialect, mnemonic, value);
        }
      } else if (in.peek() == '<') {
        // #stablehlo<conv raw ...> of old texts and #stablehlo<dot <...>>
        in.at = open + 1 + mnemonic.length();
      }
    }
    in.at = end;
    return new Attribute.Verbatim(dialect, in.text.substring(open, end));
  }

  /** {@code loc(...)} if it stands here. */
  Optional<Location> optionalLocation() {
    return in.looksAtWord("loc") ? Optional.of(location()) : Optional.empty();
  }

  Location location() {
    in.expectWord("loc");
    in.expect('(');
    Location location = innerLocation(0);
    in.expect(')');
    return location;
  }

  private Location innerLocation(int nesting) {
    if (nesting > MAX_DEPTH) {
      throw new TextError(in.at, "got more than " + MAX_DEPTH + " locations within locations");
    }
    if (in.peek() == '#') {
      int start = in.at;
      in.at++;
      return aliases.location(in.name(), start);
    }
    if (in.peek() == '"') {
      return fileOrName(nesting);
    }
    int start = in.at;
    String word = in.word("a location");
    switch (word) {
      case "unknown" -> {
        return Location.unknown();
      }
      case "callsite" -> {
        in.expect('(');
        Location callee = innerLocation(nesting + 1);
        in.expectWord("at");
        Location caller = innerLocation(nesting + 1);
        in.expect(')');
        return new Location.CallSite(callee, caller);
      }
      case "fused" -> {
        Optional<Attribute> metadata = Optional.empty();
        if (in.eat('<')) {
          metadata = Optional.of(attribute());
          in.expect('>');
        }
        in.expect('[');
        ImmutableList.Builder<Location> all = ImmutableList.builder();
        if (!in.eat(']')) {
          do {
            all.add(innerLocation(nesting + 1));
          } while (in.eat(','));
          in.expect(']');
        }
        return new Location.Fused(all.build(), metadata);
      }
      default -> throw new TextError(start, "got '" + word + "', want a location");
    }
  }

  private Location fileOrName(int nesting) {
    String name = in.string();
    if (in.eat(':')) {
      int line = (int) in.integer();
      in.expect(':');
      int column = (int) in.integer();
      if (!in.eatWord("to")) {
        return new Location.FileRange(name, line, column, line, column);
      }
      int endLine = in.peek() == ':' ? line : (int) in.integer();
      in.expect(':');
      return new Location.FileRange(name, line, column, endLine, (int) in.integer());
    }
    if (in.eat('(')) {
      Location child = innerLocation(nesting + 1);
      in.expect(')');
      return new Location.Name(name, child);
    }
    return new Location.Name(name, Location.unknown());
  }
}
