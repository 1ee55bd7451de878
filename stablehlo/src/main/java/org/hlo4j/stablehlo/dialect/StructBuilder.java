package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import org.hlo4j.stablehlo.mlir.Attribute;

/** A builder of StableHLO's structs in canonical form, which all readers produce. */
public final class StructBuilder {
  /** Structs whose fields are left out if they are empty or zero. */
  private static final ImmutableSet<String> WITH_DEFAULTS =
      ImmutableSet.of("gather", "scatter", "dot", "ragged_dot", "result_accuracy");

  private final String mnemonic;
  private final ImmutableMap.Builder<String, Attribute> fields = ImmutableMap.builder();

  /**
   * Creates a struct without fields.
   *
   * @param mnemonic its mnemonic
   */
  public StructBuilder(String mnemonic) {
    this.mnemonic = mnemonic;
  }

  /**
   * Adds a field, unless it equals its default.
   *
   * @param name its name
   * @param value its value
   * @return this
   */
  public StructBuilder with(String name, Attribute value) {
    if (!isLeftOut(mnemonic, value)) {
      fields.put(name, value);
    }
    return this;
  }

  /**
   * Adds a list of integers.
   *
   * @param name its name
   * @param values the integers
   * @return this
   */
  public StructBuilder with(String name, Iterable<Long> values) {
    return with(name, Attribute.DenseArray.i64(values));
  }

  /**
   * Adds an integer.
   *
   * @param name its name
   * @param value the integer
   * @return this
   */
  public StructBuilder with(String name, long value) {
    return with(name, Attribute.Int.i64(value));
  }

  /** Returns whether a field with a value is left out of a struct. */
  static boolean isLeftOut(String mnemonic, Attribute value) {
    return WITH_DEFAULTS.contains(mnemonic) && isDefault(value);
  }

  private static boolean isDefault(Attribute value) {
    return switch (value) {
      case Attribute.DenseArray list -> list.values().isEmpty();
      case Attribute.Int number -> number.value().signum() == 0;
      case Attribute.Floating number -> number.value() == 0;
      default -> false;
    };
  }

  /** {@return the struct} */
  public Attribute.Struct build() {
    return new Attribute.Struct("stablehlo", mnemonic, fields.buildOrThrow());
  }
}
