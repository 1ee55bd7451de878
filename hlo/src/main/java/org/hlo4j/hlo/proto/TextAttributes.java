package org.hlo4j.hlo.proto;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What HLO text says and hlo.proto has no field for, such as a module's replica_count. hlo4j writes
 * it in fields of its own, which XLA passes over.
 */
final class TextAttributes {
  private static final String FIELD = "text_attributes";

  private TextAttributes() {}

  static Map<String, String> read(ProtoMessage message) {
    return map(message, FIELD);
  }

  /** A map from strings to strings, in its order. */
  static Map<String, String> map(ProtoMessage message, String field) {
    Map<String, String> map = new LinkedHashMap<>();
    for (ProtoMessage entry : message.messages(field)) {
      map.put(entry.string("key"), entry.string("value"));
    }
    return map;
  }

  static void putMap(ProtoBuilder message, String field, Map<String, String> map) {
    map.forEach((key, value) ->
        message.put(field, ProtoBuilder.of("MapEntry").add("key", key).add("value", value)));
  }

  /** Puts those of the wanted attributes that a reader would not find, or find otherwise. */
  static ProtoBuilder putRest(
      ProtoBuilder message, Map<String, String> wanted, Map<String, String> found) {
    Map<String, String> rest = new LinkedHashMap<>(wanted);
    rest.entrySet().removeIf(entry -> entry.getValue().equals(found.get(entry.getKey())));
    putMap(message, FIELD, rest);
    return message;
  }
}
