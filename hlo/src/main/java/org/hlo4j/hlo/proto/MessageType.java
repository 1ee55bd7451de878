package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/**
 * The description of a message type: its known fields.
 *
 * @param name its name in the .proto file
 * @param byName the fields by their names
 * @param byNumber the fields by their numbers
 */
record MessageType(
    String name, ImmutableMap<String, Field> byName, ImmutableMap<Integer, Field> byNumber) {
  /** The wire types of protocol buffers. */
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
    /** Returns the wire type of one value. */
    Wire wire() {
      return switch (typeName) {
        case "int", "bool" -> Wire.VARINT;
        case "float" -> Wire.FIXED32;
        case "double" -> Wire.FIXED64;
        default -> Wire.DELIMITED;
      };
    }

    /** Returns whether its values are messages. */
    boolean isMessage() {
      return Character.isUpperCase(typeName.charAt(0));
    }

    /** Returns the type of its messages. */
    MessageType message() {
      return Schema.message(typeName);
    }
  }

  /** Returns the field of a name, which must exist. */
  Field field(String fieldName) {
    return Optional.ofNullable(byName.get(fieldName))
        .orElseThrow(() -> new AssertionError(name + " has no field " + fieldName));
  }

  /** Returns the field of a number; empty if it is unknown. */
  Optional<Field> field(int number) {
    return Optional.ofNullable(byNumber.get(number));
  }
}
