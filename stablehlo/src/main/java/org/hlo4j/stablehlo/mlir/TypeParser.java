package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.source.ParseException;

/** A parser of types. */
record TypeParser(OpParser in) {
  private static final String WANT = "a type";
  private static final int MAX_WIDTH = 1 << 24;

  Type type() {
    return type(WANT);
  }

  /** Reads a type; the refusal of other text names what is expected. */
  Type type(String want) {
    in.context.enter(in.skip());
    Type type = in.peek() == '(' ? function() : simple(want);
    in.context.leave();
    return type;
  }

  private Type function() {
    ImmutableList<Type> inputs = list();
    in.expect("->");
    return new Type.Function(inputs, results());
  }

  /** Reads one type, or any number of types in parentheses. */
  ImmutableList<Type> results() {
    return in.peek() == '(' ? list() : ImmutableList.of(type());
  }

  /** Reads types in parentheses. */
  ImmutableList<Type> list() {
    return in.listOf("()", this::type);
  }

  private Type simple(String want) {
    if (in.peek() == '!') {
      return ofDialect();
    }
    int start = in.at;
    String word = in.word(want);
    return switch (word) {
      case "tensor" -> tensor();
      case "complex" -> new Type.Complex(complexPart());
      case "tuple" -> new Type.Tuple(in.listOf("<>", this::type));
      case "memref" -> memRef();
      case "index" -> Type.Simple.INDEX;
      case "none" -> Type.Simple.NONE;
      default -> scalar(word, start, want);
    };
  }

  private Type scalar(String word, int start, String want) {
    if (Types.isFloat(word)) {
      return new Type.Floating(word);
    }
    Optional<Type.Int> integer = integer(word);
    if (integer.isEmpty()) {
      in.at = start;
      throw in.wrong(want);
    }
    return integer.get();
  }

  /** Parses {@code i32}, {@code si8} or {@code ui64}. */
  private static Optional<Type.Int> integer(String word) {
    int digits = word.startsWith("si") || word.startsWith("ui") ? 2 : 1;
    Integer width = Ints.tryParse(word.substring(digits));
    if (width == null
        || width < 1
        || width > MAX_WIDTH
        || word.charAt(digits) == '0'
        || (digits == 1 && word.charAt(0) != 'i')) {
      return Optional.empty();
    }
    return Optional.of(new Type.Int(width, signedness(word)));
  }

  private static Type.Signedness signedness(String word) {
    return switch (word.charAt(0)) {
      case 'u' -> Type.Signedness.UNSIGNED;
      case 's' -> Type.Signedness.SIGNED;
      default -> Type.Signedness.SIGNLESS;
    };
  }

  private Type complexPart() {
    in.expect('<');
    int start = in.skip();
    Type part = type();
    boolean isNumber = part instanceof Type.Floating || part instanceof Type.Int;
    in.require(isNumber, start, "got complex<%s>, want a float or integer type", part);
    in.expect('>');
    return part;
  }

  private Type tensor() {
    in.expect('<');
    if (in.eat('*')) {
      in.expect('x');
      Type element = element();
      in.expect('>');
      return new Type.UnrankedTensor(element);
    }
    ImmutableList<Long> sizes = sizes();
    Type element = element();
    Optional<Attribute> encoding = in.eat(',') ? Optional.of(in.attribute()) : Optional.empty();
    in.expect('>');
    return new Type.Tensor(sizes, element, encoding);
  }

  private Type memRef() {
    in.expect('<');
    ImmutableList<Long> sizes = sizes();
    Type element = type();
    if (in.peek() == ',') {
      throw in.wrong(">, as layouts and memory spaces of memref are not read");
    }
    in.expect('>');
    return new Type.MemRef(sizes, element);
  }

  private Type element() {
    int start = in.skip();
    Type element = type();
    boolean isNumber =
        switch (element) {
          case Type.Tensor _, Type.UnrankedTensor _, Type.MemRef _, Type.Tuple _, Type.Function _ ->
              false;
          default -> true;
        };
    in.require(isNumber, start, "got elements of type %s, want numbers", element);
    return element;
  }

  /** Reads sizes such as {@code 2x?x}, which directly precede an element type. */
  private ImmutableList<Long> sizes() {
    ImmutableList.Builder<Long> sizes = ImmutableList.builder();
    for (char c = in.peek(); c == '?' || TextScanner.isDigit(c); c = in.peek()) {
      if (c == '?') {
        in.at++;
        sizes.add(Type.DYNAMIC);
      } else {
        sizes.add(in.integer());
      }
      in.expect('x');
    }
    return sizes.build();
  }

  // Types of dialects.

  private Type ofDialect() {
    int start = in.skip();
    in.expect('!');
    String name = in.name();
    int dot = name.indexOf('.');
    boolean open = in.charAt(in.at) == '<';
    if (dot < 0 && !open) {
      return in.context.aliases.use("!" + name, Type.class, "the alias of a type", start);
    }
    if (dot < 0) {
      return mnemonicWithin(name);
    }
    if (name.equals("quant.uniform")) {
      return quantized(start);
    }
    String known = in.context.dialects.fullName(name);
    String dialect = known.substring(0, known.indexOf('.'));
    String mnemonic = known.substring(dialect.length() + 1);
    boolean isKnown = in.context.dialects.isType(dialect, mnemonic);
    in.require(isKnown, start, "got the unknown type !%s, want one of %s", name, dialect);
    return new Type.Dialect(dialect, mnemonic, open ? body() : "");
  }

  /** Reads {@code !dialect<mnemonic<body>>} as {@code !dialect.mnemonic<body>}. */
  private Type mnemonicWithin(String dialect) {
    int start = in.at;
    int limit = in.endOfBrackets();
    in.at++;
    String mnemonic = in.word("the name of a type");
    String body = in.charAt(in.at) == '<' ? body() : "";
    in.expect('>');
    boolean isKnown = in.at == limit && in.context.dialects.isType(dialect, mnemonic);
    in.require(isKnown, start, "got an unknown type, want one of %s", dialect);
    return new Type.Dialect(dialect, mnemonic, body);
  }

  /** Reads the text in the angle brackets that come next. */
  private String body() {
    int open = in.at;
    in.at = in.endOfBrackets();
    return in.text.substring(open + 1, in.at - 1).strip();
  }

  // Quantized types.

  /** Reads {@code <i8<-127:127>:f32:1, {0.5:3, 0.25}>}. */
  private Type quantized(int start) {
    in.expect('<');
    Type.Int storage = storage();
    long min = Type.Quantized.defaultMin(storage);
    long max = Type.Quantized.defaultMax(storage);
    if (in.eat('<')) {
      min = in.integer();
      in.expect(':');
      max = in.integer();
      in.expect('>');
    }
    in.expect(':');
    Type expressed = type();
    OptionalInt axis = in.eat(':') ? OptionalInt.of(in.count()) : OptionalInt.empty();
    in.expect(',');
    List<Double> scales = new ArrayList<>();
    List<Long> zeroPoints = new ArrayList<>();
    Runnable scale =
        () -> {
          int from = in.skip();
          in.at = in.endOfNumber();
          scales.add(Double.valueOf(in.text.substring(from, in.at)));
          zeroPoints.add(in.eat(':') ? in.integer() : 0L);
        };
    if (axis.isPresent()) {
      in.list("{}", scale);
    } else {
      scale.run();
    }
    in.expect('>');
    try {
      return new Type.Quantized(
          storage,
          expressed,
          min,
          max,
          axis,
          ImmutableList.copyOf(scales),
          ImmutableList.copyOf(zeroPoints));
    } catch (HloException refusal) {
      throw new ParseException(start, refusal);
    }
  }

  private Type.Int storage() {
    int start = in.skip();
    String word = in.word("a storage type such as i8 or u8");
    boolean unsigned = word.startsWith("u") && !word.startsWith("ui");
    return integer(unsigned ? "ui" + word.substring(1) : word)
        .orElseThrow(
            () -> in.wrongAt(start, "got the storage type %s, want an integer type", word));
  }
}
