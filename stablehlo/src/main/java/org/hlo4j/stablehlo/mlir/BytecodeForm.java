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

  /** {@return whether readers know locations that are a range; others get its start} */
  default boolean hasLocationRanges() {
    return true;
  }

  /** {@return the producer that the file names} */
  String producer();

  /**
   * Encodes an operation.
   *
   * @param operation the operation, without its operands, results and regions
   * @param pool the pool that its attributes are added to
   * @param builtin encodes entries of the builtin dialect
   * @return the encoded operation
   * @throws org.hlo4j.hlo.HloException if it cannot be written
   */
  Stored operation(Operation operation, EntryPool pool, BuiltinWriter builtin);

  /**
   * Encodes a type of a value in the encoding of the operations' own dialect.
   *
   * @param type the type
   * @param pool the pool that it is added to
   * @return the type
   * @throws org.hlo4j.hlo.HloException if it cannot be written
   */
  EntryWriter.Entry type(Type type, EntryPool pool);
}
