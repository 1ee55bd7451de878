package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Literal;

/** Reads {@code dense<...> : type} and {@code array<...>}. */
final class DenseParser {
  private DenseParser() {}

  /** The elements are looked at when they are asked for; their form and number are checked now. */
  static Attribute dense(TextScanner in, TypeParser types) {
    int start = in.at;
    in.expect('<');
    in.skip();
    int from = in.at;
    int to = end(in);
    in.at = to + 1;
    in.expect(':');
    Type type = types.type();
    if (!(type instanceof Type.Tensor tensor) || !tensor.isStatic()) {
      throw new TextError(start, "dense: got type " + type + ", want a tensor of static sizes");
    }
    if (Types.storage(tensor.element()).isEmpty()) {
      throw new TextError(
          start, "dense: got elements of type " + tensor.element() + ", want a type that HLO has");
    }
    String text = in.text;
    char first = from < to ? text.charAt(from) : 0;
    if (first == '"') {
      return new Attribute.Dense(
          tensor,
          false,
          () -> DenseDecoder.hexadecimal(text, from + 3, text.indexOf('"', from + 3), tensor));
    }
    boolean splat = first != '[' && first != 0;
    if (splat) {
      // Splats are short: a wrong one is told at once.
      Literal scalar = DenseDecoder.scalar(text, from, to, tensor);
      return new Attribute.Dense(tensor, true, () -> scalar);
    }
    return new Attribute.Dense(tensor, false, () -> DenseDecoder.nested(text, from, to, tensor));
  }

  /** The position of the closing bracket; elements have no brackets of that kind. */
  private static int end(TextScanner in) {
    int from = in.at;
    if (in.charAt(from) == '"') {
      int quote = in.text.indexOf('"', from + 1);
      if (quote < 0 || !in.text.startsWith("0x", from + 1)) {
        throw in.wrong("\"0x...\"");
      }
      in.at = quote + 1;
      in.skip();
      if (in.peek() != '>') {
        throw in.wrong("'>'");
      }
      return in.at;
    }
    int end = in.text.indexOf('>', from);
    if (end < 0) {
      throw in.wrong("'>'");
    }
    return end;
  }

  /** {@code <i64: 1, 2>}. */
  static Attribute array(TextScanner in, TypeParser types) {
    in.expect('<');
    Type element = types.type();
    ImmutableList.Builder<Long> values = ImmutableList.builder();
    if (in.eat(':')) {
      do {
        values.add(number(in, element));
      } while (in.eat(','));
    }
    in.expect('>');
    return new Attribute.DenseArray(element, values.build());
  }

  private static long number(TextScanner in, Type element) {
    if (in.eatWord("true")) {
      return 1;
    }
    if (in.eatWord("false")) {
      return 0;
    }
    if (!(element instanceof Type.Floating)) {
      return in.integer();
    }
    in.skip();
    int from = in.at;
    while (",> \n".indexOf(in.charAt(in.at)) < 0 && in.at < in.text.length()) {
      in.at++;
    }
    Literal scalar =
        DenseDecoder.scalar(in.text, from, in.at, Type.Tensor.of(element, ImmutableList.of()));
    return scalar.bitsAt(0);
  }
}
