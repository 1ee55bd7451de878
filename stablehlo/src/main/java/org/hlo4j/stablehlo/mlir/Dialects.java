package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Map;
import java.util.Optional;

/**
 * What the reader and the printer of text ask of dialects: the layer itself knows no op by name.
 */
public interface Dialects {
  /**
   * The custom form of an op.
   *
   * @param operation the full name, such as {@code stablehlo.add}
   * @return its form; empty if it is written in generic form only
   */
  Optional<OpSyntax> syntax(String operation);

  /**
   * The full name of an op that is written without its dialect, such as {@code return}.
   *
   * @param name the name
   * @return the full name, or the name itself
   */
  String fullName(String name);

  /**
   * The attributes of an op in the form all readers give.
   *
   * @param operation the full name
   * @param attributes the attributes as they were read
   * @return the attributes
   * @throws org.hlo4j.hlo.HloException if one is missing or of a wrong kind
   */
  Attributes canonical(String operation, Map<String, Attribute> attributes);

  /**
   * The attribute {@code #dialect.mnemonic<body>} in its structured form.
   *
   * @param dialect the dialect
   * @param mnemonic the name behind the dot
   * @param parser stands behind the opening bracket
   * @return the attribute, the parser before the closing bracket; empty to keep it as it is written
   */
  Optional<Attribute> attribute(String dialect, String mnemonic, OpParser parser);

  /**
   * Whether the regions of an op see no values from outside.
   *
   * @param operation the full name
   * @return whether they are isolated
   */
  boolean isIsolated(String operation);

  /**
   * Whether a dialect has a type; of dialects that are not known every name is taken.
   *
   * @param dialect the dialect
   * @param mnemonic the name behind the dot
   * @return whether it has it
   */
  boolean isType(String dialect, String mnemonic);

  /** {@return the full names of the ops with a custom form} */
  ImmutableSet<String> names();

  /**
   * Whether an attribute is part of what an op is, which the generic form writes in angle brackets.
   *
   * @param operation the full name of the op
   * @param attribute the name of the attribute
   * @return whether it is
   */
  boolean isInherent(String operation, String attribute);

  /**
   * What results of an op are called that have no names.
   *
   * @param operation the op
   * @return a name for each result, the last for all others; empty if they are numbered
   */
  ImmutableList<String> resultNames(Operation operation);
}
