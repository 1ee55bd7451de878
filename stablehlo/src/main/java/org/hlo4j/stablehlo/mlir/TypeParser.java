package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads types. */
final class TypeParser {
  private static final int MAX_DEPTH = 64;

  private final TextScanner in;
  private final AttributeParser attributes;
  private int depth;

  TypeParser(TextScanner in, AttributeParser attributes) {
    this.in = in;
    this.attributes = attributes;
  }

  Type type() {
    if (++depth > MAX_DEPTH) {
      throw new TextError(in.at, "got more than " + MAX_DEPTH + " types within types");
    }
    Type type = in.peek() == '(' ? function() : simple();
    depth--;
    return type;
  }

  private Type function() {
    ImmutableList<Type> inputs = list();
    in.expect("->");
    return new Type.Function(inputs, results());
  }

  /** One type, or any number in parentheses. */
  ImmutableList<Type> results() {
    return in.peek() == '(' ? list() : ImmutableList.of(type());
  }

  /** Types in parentheses. */
  ImmutableList<Type> list() {
    in.expect('(');
    return until(')');
  }

  private ImmutableList<Type> until(char end) {
    ImmutableList.Builder<Type> types = ImmutableList.builder();
    if (!in.eat(end)) {
      do {
        types.add(type());
      } while (in.eat(','));
      in.expect(end);
    }
    return types.build();
  }

  private Type simple() {
    if (in.peek() == '!') {
      return dialect();
    }
    int start = in.at;
    String word = in.word("a type");
    switch (word) {
      case "tensor" -> {
        return tensor();
      }
      case "complex" -> {
        in.expect('<');
        Type element = type();
        in.expect('>');
        return new Type.Complex(element);
      }
      case "tuple" -> {
        in.expect('<');
        return new Type.Tuple(until('>'));
      }
      case "memref" -> {
        in.expect('<');
        List<Long> sizes = new ArrayList<>();
        Type element = dimensionsAndElement(sizes);
        if (in.eat(',')) {
          in.at = endOfAngle();
        }
        in.expect('>');
        return new Type.MemRef(ImmutableList.copyOf(sizes), element);
      }
      case "index" -> {
        return Type.Simple.INDEX;
      }
      case "none" -> {
        return Type.Simple.NONE;
      }
      default -> {
        return scalar(word, start);
      }
    }
  }

  private static Type scalar(String word, int start) {
    if (Types.isFloat(word)) {
      return new Type.Floating(word);
    }
    int digits = word.startsWith("si") || word.startsWith("ui") ? 2 : 1;
    if (word.length() > digits
        && word.length() < digits + 9
        && "isu".indexOf(word.charAt(0)) >= 0
        && (digits == 2 || word.charAt(0) == 'i')
        && word.chars().skip(digits).allMatch(c -> c >= '0' && c <= '9')) {
      int width = Integer.parseInt(word.substring(digits));
      if (width >= 1 && width <= 1 << 24) {
        return new Type.Int(width, signedness(word));
      }
    }
    throw new TextError(start, "got '" + word + "', want a type");
  }

  private static Type.Signedness signedness(String word) {
    return switch (word.charAt(0)) {
      case 'u' -> Type.Signedness.UNSIGNED;
      case 's' -> Type.Signedness.SIGNED;
      default -> Type.Signedness.SIGNLESS;
    };
  }

  private Type tensor() {
    in.expect('<');
    if (in.eat('*')) {
      in.expect('x');
      Type element = type();
      in.expect('>');
      return new Type.UnrankedTensor(element);
    }
    int start = in.at;
    List<Long> sizes = new ArrayList<>();
    Type element = dimensionsAndElement(sizes);
    if (element instanceof Type.Tensor
        || element instanceof Type.Function
        || element instanceof Type.Tuple
        || element instanceof Type.UnrankedTensor) {
      throw new TextError(start, "got a tensor of " + element + ", want a type of elements");
    }
    Optional<Attribute> encoding =
        in.eat(',') ? Optional.of(attributes.attribute()) : Optional.empty();
    in.expect('>');
    return new Type.Tensor(ImmutableList.copyOf(sizes), element, encoding);
  }

  /** {@code 2x?x} and the type behind; sizes and x stand together, which no lexer may split. */
  private Type dimensionsAndElement(List<Long> sizes) {
    while (in.peek() == '?' || TextScanner.isDigit(in.peek())) {
      if (in.eat('?')) {
        sizes.add(Type.DYNAMIC);
      } else {
        sizes.add(size());
      }
      in.expect('x');
    }
    return type();
  }

  private long size() {
    int start = in.at;
    String digits = in.digits();
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException tooLarge) {
      throw new TextError(start, "got size " + digits + ", want a number of 64 bits");
    }
  }

  private Type dialect() {
    int start = in.at;
    in.expect('!');
    String name = in.name();
    int dot = name.indexOf('.');
    if (dot < 0) {
      if (in.charAt(in.at) == '<') {
        int end = in.endOfBrackets();
        String body = in.text.substring(in.at + 1, end - 1);
        in.at = end;
        return new Type.Dialect(name, body, "");
      }
      return attributes.typeAlias(name, start);
    }
    if (name.equals("quant.uniform")) {
      return quantized();
    }
    String body = "";
    if (in.charAt(in.at) == '<') {
      int end = in.endOfBrackets();
      body = in.text.substring(in.at + 1, end - 1).strip();
      in.at = end;
    }
    return new Type.Dialect(name.substring(0, dot), name.substring(dot + 1), body);
  }

  /** {@code <i8<-127:127>:f32:1, {0.5:3, 0.25}>}. */
  private Type quantized() {
    in.expect('<');
    int start = in.at;
    String word = in.word("a storage type");
    Type scalar =
        word.startsWith("u") && !word.startsWith("ui")
            ? scalar("ui" + word.substring(1), start)
            : scalar(word, start);
    if (!(scalar instanceof Type.Int storage) || storage.width() > 32) {
      throw new TextError(start, "got '" + word + "', want an integer of at most 32 bits");
    }
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
    OptionalInt axis = OptionalInt.empty();
    if (in.eat(':')) {
      axis = OptionalInt.of((int) in.integer());
    }
    in.expect(',');
    List<Double> scales = new ArrayList<>();
    List<Long> zeroPoints = new ArrayList<>();
    if (axis.isPresent()) {
      in.expect('{');
      do {
        parameters(scales, zeroPoints);
      } while (in.eat(','));
      in.expect('}');
    } else {
      parameters(scales, zeroPoints);
    }
    in.expect('>');
    return new Type.Quantized(
        storage,
        expressed,
        min,
        max,
        axis,
        ImmutableList.copyOf(scales),
        ImmutableList.copyOf(zeroPoints));
  }

  private void parameters(List<Double> scales, List<Long> zeroPoints) {
    scales.add(attributes.real());
    zeroPoints.add(in.eat(':') ? in.integer() : 0);
  }

  /** The position of the bracket that closes an angle that is open. */
  private int endOfAngle() {
    int level = 0;
    for (int i = in.at; i < in.text.length(); i++) {
      char c = in.text.charAt(i);
      if (c == '<') {
        level++;
      } else if (c == '>' && in.text.charAt(i - 1) != '-' && level-- == 0) {
        return i;
      }
    }
    throw in.wrong("'>'");
  }
}
