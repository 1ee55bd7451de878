package org.hlo4j.stablehlo.mlir;

/** How a dialect encodes its attributes and types in bytecode. */
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
