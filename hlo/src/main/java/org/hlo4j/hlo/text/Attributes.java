package org.hlo4j.hlo.text;

import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * The attributes of an op as HLO text: {@link OpSchema} says which there are, {@link Codec} how
 * each is written.
 */
final class Attributes {
  private Attributes() {}

  /** Appends {@code , name=value} for each attribute before the computations called. */
  static void append(StringBuilder text, Op op, PrintOptions options) {
    append(text, op, options, OpAttribute.Place.BEFORE_CALLED);
  }

  /** Appends {@code , name=value} for each attribute behind the computations called. */
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

  /** The value without what is a matter of writing or of the place. */
  private static Object essential(OpAttribute attribute, Object value) {
    return switch (value) {
      case ReplicaGroups groups -> ReplicaGroups.of(groups.groups());
      case String config when attribute.name().endsWith("feed_config") -> "";
      default -> value;
    };
  }
}
