package org.hlo4j.stablehlo.mlir;

import java.util.Map;
import java.util.Optional;

/** The properties of dialects that a reader of bytecode depends on. */
public interface BytecodeDialects {
  /**
   * {@return the encoding of a dialect's attributes and types; empty if the dialect is not known}
   *
   * @param dialect the dialect, not {@code builtin}
   */
  Optional<DialectEncoding> encoding(String dialect);

  /**
   * {@return the dialects for reading the text of attributes and types that their dialect does not
   * encode}
   */
  Dialects text();

  /**
   * Checks the producer of the file, before anything else is read.
   *
   * @param producer the producer that the file names
   * @throws org.hlo4j.hlo.HloException if files of that producer cannot be read
   */
  void checkProducer(String producer);

  /**
   * {@return the name of an operation after it has been read}
   *
   * @param stored its name in the file
   * @param parent the name of the enclosing operation after it has been read
   * @throws org.hlo4j.hlo.HloException if there is no such operation
   */
  String operationName(String stored, String parent);

  /**
   * Reads the inherent attributes of an operation.
   *
   * @param stored its name in the file
   * @param in the bytes of its properties
   * @return the attributes by their names in the file
   */
  Map<String, Attribute> properties(String stored, EntryReader in);

  /**
   * {@return the attributes of an operation after it has been read}
   *
   * @param stored its name in the file
   * @param given the attributes in the file
   * @throws org.hlo4j.hlo.HloException if one is missing or of another kind
   */
  Attributes attributes(String stored, Map<String, Attribute> given);
}
