package org.hlo4j.hlo.text;

import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * The HLO text of the attributes of an op: {@link OpSchema} lists them, and {@link Codec} defines
 * the text of each.
 */
final class Attributes {
  private Attributes() {}

  /** Appends {@code , name=value} for each attribute that precedes the called computations. */
  static void append(StringBuilder text, Op op, PrintOptions options) {
    append(text, op, options, OpAttribute.Place.BEFORE_CALLED);
  }

  /** Appends {@code , name=value} for each attribute that follows the called computations. */
  static void appendTrailing(StringBuilder text, Op op, PrintOptions options) {
    append(text, op, options, OpAttribute.Place.AFTER_CALLED);
  }

  private static void append(
      StringBuilder text, Op op, PrintOptions options, OpAttribute.Place place) {
    for (OpAttribute attribute : OpSchema.attributes(op)) {
      if (attribute.place() == place) {
        append(text, attribute, attribute.value(op), options);
      }
    }
  }

  private static void append(
      StringBuilder text, OpAttribute attribute, Object given, PrintOptions options) {
    Codec<Object> codec = Codec.of(attribute);
    boolean isAll = options.has(PrintOptions.Part.PARTICULARS);
    Object value = isAll ? given : essential(attribute, given);
    if (attribute.isPrintedIfDefault() || !codec.isDefault().test(value)) {
      text.append(", ").append(attribute.name()).append('=').append(codec.print().apply(value));
    }
  }

  /**
   * Returns a value without what depends only on notation or environment: the notation of replica
   * groups, and infeed and outfeed configurations.
   */
  private static Object essential(OpAttribute attribute, Object value) {
    return switch (value) {
      case ReplicaGroups groups -> ReplicaGroups.of(groups.groups());
      case String config when attribute.name().endsWith("feed_config") -> "";
      default -> value;
    };
  }
}
