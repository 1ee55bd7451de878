package org.hlo4j.hlo.proto;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The compilation settings of a module, such as replica_count, which are part of HLO text and which
 * XLA keeps outside of HloModuleProto. hlo4j writes them in additional fields, which XLA ignores.
 */
final class TextAttributes {
  private static final String FIELD = "text_attributes";

  private TextAttributes() {}

  static Map<String, String> read(ProtoMessage message) {
    return map(message, FIELD);
  }

  /** Reads a map from strings to strings, in file order. */
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

  static void put(ProtoBuilder message, String name, String value) {
    putMap(message, FIELD, Map.of(name, value));
  }
}
