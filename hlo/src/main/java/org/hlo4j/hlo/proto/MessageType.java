package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/**
 * A kind of message: what is known of its fields.
 *
 * @param name as the .proto file has it
 * @param byName the fields by their names
 * @param byNumber the fields by their numbers
 */
record MessageType(
    String name, ImmutableMap<String, Field> byName, ImmutableMap<Integer, Field> byNumber) {
  /** How a value lies on the wire. */
  enum Wire {
    /** Integers, enumerations and booleans. */
    VARINT(0),
    /** A double. */
    FIXED64(1),
    /** Strings, bytes, messages, and packed numbers. */
    DELIMITED(2),
    /** A float. */
    FIXED32(5);

    private final int code;

    Wire(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }
  }

  /**
   * A field.
   *
   * @param number its number on the wire
   * @param name its name
   * @param typeName {@code int bool float double string bytes}, or the name of a message
   * @param repeated whether it may come several times
   */
  record Field(int number, String name, String typeName, boolean repeated) {
    /** How one value lies on the wire. */
    Wire wire() {
      return switch (typeName) {
        case "int", "bool" -> Wire.VARINT;
        case "float" -> Wire.FIXED32;
        case "double" -> Wire.FIXED64;
        default -> Wire.DELIMITED;
      };
    }

    /** Whether its values are messages. */
    boolean isMessage() {
      return Character.isUpperCase(typeName.charAt(0));
    }

    /** The type of its messages. */
    MessageType message() {
      return Schema.message(typeName);
    }
  }

  /** A field by its name, which must be right. */
  Field field(String fieldName) {
    return Optional.ofNullable(byName.get(fieldName))
        .orElseThrow(() -> new AssertionError(name + " has no field " + fieldName));
  }

  /** A field by its number; empty if it is unknown. */
  Optional<Field> field(int number) {
    return Optional.ofNullable(byNumber.get(number));
  }
}
