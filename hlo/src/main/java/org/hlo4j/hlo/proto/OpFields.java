package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * The attributes of an op as fields of HloInstructionProto: {@link OpAttribute#path} locates the
 * field of each, and {@link FieldCodec} encodes it.
 */
final class OpFields {
  private OpFields() {}

  /** Reads the value of an attribute from an instruction. */
  static Object read(ProtoMessage instruction, OpAttribute attribute) {
    ProtoMessage message = instruction;
    for (String step : messages(attribute)) {
      message = message.messageOrEmpty(step);
    }
    return FieldCodec.of(attribute).read().read(message, field(attribute));
  }

  /** Writes the attributes of an op to its instruction, except the value of a constant. */
  static void write(ProtoBuilder instruction, Op op) {
    if (!(op instanceof Constant)) {
      OpSchema.attributes(op).stream()
          .filter(attribute -> attribute.place() != OpAttribute.Place.SHAPE)
          .forEach(attribute -> write(instruction, attribute, attribute.value(op)));
    }
  }

  private static void write(ProtoBuilder instruction, OpAttribute attribute, Object value) {
    ProtoBuilder message = instruction;
    for (String step : messages(attribute)) {
      message = message.at(step);
    }
    FieldCodec.of(attribute).write().write(message, field(attribute), value);
  }

  private static ImmutableList<String> messages(OpAttribute attribute) {
    return attribute.path().subList(0, attribute.path().size() - 1);
  }

  private static String field(OpAttribute attribute) {
    return attribute.path().get(attribute.path().size() - 1);
  }
}
