package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Map;
import java.util.Optional;

/**
 * The properties of dialects that the parser and the printer of text depend on. The MLIR layer
 * itself knows no op by name.
 */
public interface Dialects {
  /**
   * Returns the custom form of an op.
   *
   * @param operation the full name, such as {@code stablehlo.add}
   * @return its form; empty if it is written in generic form only
   */
  Optional<OpSyntax> syntax(String operation);

  /**
   * Returns the name by which an op or a type is known: with its dialect, if it is written without
   * it as {@code return} is, and in the dialect that has replaced its own.
   *
   * @param name the name
   * @return the known name, or the name itself
   */
  String fullName(String name);

  /**
   * Returns the attributes of an op in their canonical form, which all readers produce.
   *
   * @param operation the full name
   * @param attributes the attributes as they were read
   * @return the attributes
   * @throws org.hlo4j.hlo.HloException if one is missing or of a wrong kind
   */
  Attributes canonical(String operation, Map<String, Attribute> attributes);

  /**
   * Reads the attribute {@code #dialect.mnemonic<body>} into its structured form.
   *
   * @param dialect the dialect
   * @param mnemonic the name after the dot
   * @param parser is positioned after the opening bracket
   * @return the attribute, with the parser before the closing bracket; empty to keep the attribute
   *     as text
   */
  Optional<Attribute> attribute(String dialect, String mnemonic, OpParser parser);

  /**
   * Returns whether the regions of an op cannot capture values.
   *
   * @param operation the full name
   * @return whether they are isolated
   */
  boolean isIsolated(String operation);

  /**
   * Returns whether a dialect has a type. For unknown dialects every name is accepted.
   *
   * @param dialect the dialect
   * @param mnemonic the name after the dot
   * @return whether it has it
   */
  boolean isType(String dialect, String mnemonic);

  /**
   * {@return whether an op is known, so that its generic form has a meaning}
   *
   * @param operation the full name
   */
  boolean isKnown(String operation);

  /** {@return the full names of the ops with a custom form} */
  ImmutableSet<String> names();

  /**
   * Returns whether an attribute is inherent, so that the generic form writes it in angle brackets.
   *
   * @param operation the full name of the op
   * @param attribute the name of the attribute
   * @return whether it is inherent
   */
  boolean isInherent(String operation, String attribute);

  /**
   * Suggests names for results of an op that have none.
   *
   * @param operation the op
   * @return a name for each result, the last one also for all further results; empty if they are
   *     numbered
   */
  ImmutableList<String> resultNames(Operation operation);
}
