package org.hlo4j.stablehlo.mlir;

/** The bytecode encoding of a dialect's attributes and types. */
public interface DialectEncoding {
  /**
   * Reads an attribute.
   *
   * @param in the bytes of the attribute
   * @return the attribute
   * @throws org.hlo4j.hlo.HloException if it is not one
   */
  Attribute attribute(EntryReader in);

  /**
   * Reads a type.
   *
   * @param in the bytes of the type
   * @return the type
   * @throws org.hlo4j.hlo.HloException if it is not one
   */
  Type type(EntryReader in);
}
