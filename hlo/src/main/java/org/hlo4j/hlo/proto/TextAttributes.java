package org.hlo4j.hlo.proto;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a module says of how it is compiled, such as replica_count: HLO text has it, XLA keeps it
 * outside of HloModuleProto. hlo4j writes it in fields of its own, which XLA passes over.
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

  static void put(ProtoBuilder message, String name, String value) {
    putMap(message, FIELD, Map.of(name, value));
  }
}
