package org.hlo4j.hlo.proto;

import java.util.Optional;
import org.hlo4j.hlo.proto.MessageType.Field;
import org.hlo4j.hlo.proto.MessageType.Wire;

/**
 * The text form of a message, with one line for each field: the names of known fields, and the
 * numbers of unknown ones.
 */
final class ProtoText {
  private static final int MAX_NUMBERS = 32;
  private static final int MAX_BYTES = 64;

  private final StringBuilder text = new StringBuilder();

  private ProtoText() {}

  static String print(ProtoMessage message) {
    ProtoText printer = new ProtoText();
    printer.message(message, "");
    return printer.text.toString();
  }

  private void message(ProtoMessage message, String indent) {
    for (int i = 0; i < message.entryCount(); i++) {
      Optional<Field> field = message.type().field(message.number(i));
      text.append(indent);
      if (field.isPresent() && field.get().isMessage()) {
        text.append(field.get().name()).append(" {\n");
        message(ProtoMessage.of(field.get().message(), message.raw(i)), indent + "  ");
        text.append(indent).append("}\n");
      } else {
        text.append(field.map(Field::name).orElse(Integer.toString(message.number(i))));
        text.append(": ").append(value(message, i, field)).append('\n');
      }
    }
  }

  private static String value(ProtoMessage message, int entry, Optional<Field> field) {
    byte[] raw = message.raw(entry);
    boolean delimited = message.wireCode(entry) == Wire.DELIMITED.code();
    boolean numbers = field.isPresent() && field.get().wire() != Wire.DELIMITED;
    if (delimited && !numbers) {
      boolean cut = raw.length > MAX_BYTES && field.filter(ProtoText::isString).isEmpty();
      return cut ? raw.length + " bytes" : TextParts.quoted(raw);
    }
    StringBuilder values = new StringBuilder(delimited ? "[" : "");
    int width = widthOf(message.wireCode(entry), field);
    int count = 0;
    for (int at = 0; at < raw.length && count < MAX_NUMBERS; count++) {
      int end = width == 0 ? endOfVarint(raw, at) : Math.min(raw.length, at + width);
      values.append(count == 0 ? "" : ", ").append(number(raw, at, end, width, field));
      at = end;
    }
    return values + (delimited ? (count == MAX_NUMBERS ? ", ...]" : "]") : "");
  }

  private static boolean isString(Field field) {
    return field.typeName().equals("string");
  }

  private static int widthOf(int wireCode, Optional<Field> field) {
    Wire wire = field.map(Field::wire).orElse(Wire.VARINT);
    return wireCode == Wire.FIXED32.code() || wire == Wire.FIXED32
        ? 4
        : wireCode == Wire.FIXED64.code() || wire == Wire.FIXED64 ? 8 : 0;
  }

  private static int endOfVarint(byte[] raw, int start) {
    int end = start;
    while (end < raw.length - 1 && raw[end] < 0) {
      end++;
    }
    return end + 1;
  }

  private static String number(byte[] raw, int start, int end, int width, Optional<Field> field) {
    long bits = 0;
    for (int i = end - 1; i >= start; i--) {
      bits = width == 0 ? (bits << 7) | (raw[i] & 0x7f) : (bits << 8) | (raw[i] & 0xff);
    }
    return switch (field.map(Field::typeName).orElse("")) {
      case "bool" -> bits == 0 ? "false" : "true";
      case "float" -> Float.toString(Float.intBitsToFloat((int) bits));
      case "double" -> Double.toString(Double.longBitsToDouble(bits));
      default -> Long.toString(bits);
    };
  }
}
