package org.hlo4j.stablehlo.mlir;

import java.util.Map;

/**
 * How operations are written as bytecode: what a writer of bytecode has to know of the dialects.
 */
public interface BytecodeForm {
  /**
   * What stands in the file for an operation.
   *
   * @param name its name in the file
   * @param own whether its operands and results have the types of its own dialect; else they have
   *     those of the builtin dialect, and values are cast between the two
   * @param isolated whether its regions use no values from outside
   * @param properties its inherent attributes, as they are encoded from version 5 of the container
   *     on
   * @param inherent the same by their names, for earlier versions
   * @param discardable its other attributes by their names
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

  /** {@return who writes} */
  String producer();

  /**
   * Encodes an operation.
   *
   * @param operation the operation, without its operands, results and regions
   * @param pool takes its attributes
   * @param builtin encodes what the builtin dialect encodes
   * @return what stands for it in the file
   * @throws org.hlo4j.hlo.HloException if it cannot be written
   */
  Stored operation(Operation operation, EntryPool pool, BuiltinWriter builtin);

  /**
   * Encodes a type of a value in the form of the operations' own dialect.
   *
   * @param type the type
   * @param pool takes it
   * @return the type
   * @throws org.hlo4j.hlo.HloException if it cannot be written
   */
  EntryWriter.Entry type(Type type, EntryPool pool);
}
