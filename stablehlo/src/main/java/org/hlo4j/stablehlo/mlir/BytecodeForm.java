package org.hlo4j.stablehlo.mlir;

import java.util.Map;

/**
 * The form in which operations are written as bytecode: the properties of dialects that a writer of
 * bytecode depends on.
 */
public interface BytecodeForm {
  /**
   * The encoded form of an operation.
   *
   * @param name its name in the file
   * @param own whether its operands and results have types of its own dialect; otherwise they have
   *     types of the builtin dialect, and values are cast between the two
   * @param isolated whether its regions capture no values
   * @param properties its inherent attributes, as they are encoded since version 5 of the container
   * @param inherent the inherent attributes by name, for earlier versions
   * @param discardable its other attributes by name
   */
  record Stored(
      String name,
      boolean own,
      boolean isolated,
      EntryWriter properties,
      Map<String, EntryWriter.Entry> inherent,
      Map<String, EntryWriter.Entry> discardable) {}

  /** {@return the version of the container, 0 to 6} */
  int containerVersion();

  /** {@return the producer that the file names} */
  String producer();

  /** {@return the encoder of entries of the builtin dialect, with the pool of the file} */
  BuiltinWriter builtin();

  /**
   * Encodes an operation.
   *
   * @param operation the operation, without its operands, results and regions
   * @return the encoded operation
   * @throws org.hlo4j.hlo.HloException if it cannot be written
   */
  Stored operation(Operation operation);

  /**
   * Encodes a type of a value in the encoding of the operations' own dialect.
   *
   * @param type the type
   * @return the type
   * @throws org.hlo4j.hlo.HloException if it cannot be written
   */
  EntryWriter.Entry type(Type type);
}
