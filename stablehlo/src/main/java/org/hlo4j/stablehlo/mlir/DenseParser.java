package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.source.ParseException;

/**
 * A parser of {@code dense<...> : type}, {@code dense_resource<...> : type} and {@code array<...>}.
 *
 * <p>The brackets, the number of elements and the length of a blob are always checked. The elements
 * of long lists and of blobs are decoded from the text on first access.
 */
record DenseParser(OpParser in) {
  /**
   * The largest length of a list that is decoded at once; longer lists are decoded on first access.
   */
  private static final int MAX_EAGER = 4096;

  /** Reads {@code <elements>}, then what {@code between} reads, and the type after the colon. */
  Attribute dense(Runnable between) {
    in.expect('<');
    int start = in.skip();
    boolean blob = in.peek() == '"';
    DenseText list = blob ? DenseText.EMPTY : DenseText.scan(in);
    if (blob) {
      in.at = in.endOfString(start);
    }
    int limit = in.at;
    in.expect('>');
    between.run();
    in.expect(':');
    Type.Tensor type = tensor();
    return blob ? blob(start + 1, limit - 1, "0x", type) : list(list, start, limit, type);
  }

  private Type.Tensor tensor() {
    int start = in.skip();
    if (!(in.type() instanceof Type.Tensor tensor) || !tensor.isStatic()) {
      throw in.wrongAt(start, "got the elements of another type, want a static tensor");
    }
    return tensor;
  }

  private Attribute list(DenseText list, int start, int limit, Type.Tensor type) {
    in.require(list.suits(type), start, "got elements of sizes %s, want those of %s", list, type);
    boolean splat = list.isSplat();
    DenseDecoder decoder = new DenseDecoder(in.context.source, in.text, start, limit, type);
    if (limit - start > MAX_EAGER || Types.storage(type.element()).isEmpty()) {
      return new Attribute.Dense(type, splat, () -> decoder.decodeLazily(splat));
    }
    Literal elements = decoder.elements(splat);
    return new Attribute.Dense(type, splat, () -> elements);
  }

  /** Reads the bytes of elements as hexadecimal digits after a prefix. */
  Attribute.Dense blob(int from, int to, String prefix, Type.Tensor type) {
    String text = in.text;
    int digits = from + prefix.length();
    int bad = text.startsWith("0x", from) ? firstOther(digits, to) : from;
    if (bad < to || digits > to || (to - digits) % 2 != 0) {
      throw in.wrongAt(
          Math.min(bad, to), "got a string, want 0x and two hexadecimal digits for each byte");
    }
    return TensorBytes.dense(
        type,
        (to - digits) / 2,
        digits < to ? (byte) HexFormat.fromHexDigits(text, digits, digits + 2) : 0,
        () ->
            ByteBuffer.wrap(HexFormat.of().parseHex(text, digits, to))
                .order(ByteOrder.LITTLE_ENDIAN),
        message -> new ParseException(from - 1, message));
  }

  /**
   * Returns the position of the first character, from a position on, that is not a hexadecimal
   * digit.
   */
  private int firstOther(int from, int to) {
    int at = from;
    while (at < to && HexFormat.isHexDigit(in.text.charAt(at))) {
      at++;
    }
    return at;
  }

  /**
   * Reads {@code <name> : type}: the blob of that name, or only the name if the file has elided the
   * blob.
   */
  Attribute resource() {
    in.expect('<');
    int start = in.skip();
    String name = in.peek() == '"' ? in.string() : in.word("the name of a resource");
    in.expect('>');
    in.expect(':');
    return in.context.resources.elements(name, tensor(), start, this);
  }

  /** Reads {@code <i64: 1, 2>}. */
  Attribute array() {
    in.expect('<');
    int start = in.skip();
    Type element = in.type();
    boolean known =
        element.equals(Types.I1)
            || element.equals(Types.F32)
            || element.equals(Types.F64)
            || (element instanceof Type.Int integer
                && integer.signedness() == Type.Signedness.SIGNLESS
                && Types.elementType(element).isPresent());
    in.require(known, start, "got array<%s>, want i1, i8 to i64, f32 or f64", element);
    ImmutableList.Builder<Long> values = ImmutableList.builder();
    if (in.eat(':')) {
      do {
        values.add(number(element));
      } while (in.eat(','));
    }
    in.expect('>');
    return new Attribute.DenseArray(element, values.build());
  }

  private long number(Type element) {
    ElementType type = Types.elementType(element).orElseThrow();
    int start = in.skip();
    while (DenseText.isNumberPart(in.charAt(in.at))) {
      in.at++;
    }
    if (in.at == start) {
      throw in.wrong("a number");
    }
    try {
      long bits = DenseDecoder.number(in.text, start, in.at, type);
      return type.isFloating() ? bits : type.wrap(bits);
    } catch (HloException refusal) {
      throw new ParseException(start, refusal);
    }
  }
}
