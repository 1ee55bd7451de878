package org.hlo4j.stablehlo.mlir;

import java.util.Map;
import java.util.Optional;

/** What a reader of bytecode has to know of the dialects. */
public interface BytecodeDialects {
  /**
   * {@return how a dialect encodes attributes and types; empty if it is not known}
   *
   * @param dialect the dialect, not {@code builtin}
   */
  Optional<DialectEncoding> encoding(String dialect);

  /** {@return how text is read, for attributes and types that their dialect does not encode} */
  Dialects text();

  /**
   * Looks at who wrote the file, before anything else is read.
   *
   * @param producer the name that the file gives
   * @throws org.hlo4j.hlo.HloException if files of that producer cannot be read
   */
  void checkProducer(String producer);

  /**
   * {@return the name that an operation has once it is read}
   *
   * @param stored its name in the file
   * @param parent the name of the operation around it, as it is once it is read
   * @throws org.hlo4j.hlo.HloException if there is no such operation
   */
  String operationName(String stored, String parent);

  /**
   * Reads the inherent attributes of an operation.
   *
   * @param stored its name in the file
   * @param in the bytes of its properties
   * @return the attributes by the names they have in the file
   */
  Map<String, Attribute> properties(String stored, EntryReader in);

  /**
   * {@return the attributes that an operation has once it is read}
   *
   * @param stored its name in the file
   * @param given the attributes as the file has them
   * @throws org.hlo4j.hlo.HloException if one is missing or of another kind
   */
  Attributes attributes(String stored, Map<String, Attribute> given);
}
