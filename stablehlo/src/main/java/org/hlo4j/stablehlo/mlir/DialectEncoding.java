package org.hlo4j.stablehlo.mlir;

/**
 * The bytecode encoding of a dialect's attributes and types.
 *
 * @param attributes reads attributes
 * @param types reads types
 */
public record DialectEncoding(Decoder<Attribute> attributes, Decoder<Type> types) {
  /**
   * A reader of what begins with a code.
   *
   * @param <T> what is read
   */
  @FunctionalInterface
  public interface Decoder<T> {
    /**
     * Reads what is behind a code.
     *
     * @param code the code
     * @param in the bytes behind it
     * @return what they stand for
     * @throws org.hlo4j.hlo.HloException if they stand for nothing
     */
    T decode(int code, EntryReader in);
  }

  Attribute attribute(EntryReader in) {
    return attributes.decode(in.code(), in);
  }

  Type type(EntryReader in) {
    return types.decode(in.code(), in);
  }
}
