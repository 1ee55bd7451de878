package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The message types of a table in the form of {@link Schema}. */
final class MessageTypes {
  private final ImmutableMap<String, MessageType> types;

  private MessageTypes(ImmutableMap<String, MessageType> types) {
    this.types = types;
  }

  /**
   * Parses a table: one line for each message, followed by an indented line for each of its fields.
   */
  static MessageTypes parse(String table) {
    Map<String, List<MessageType.Field>> fields = new LinkedHashMap<>();
    List<MessageType.Field> current = new ArrayList<>();
    for (String line : table.lines().toList()) {
      if (line.startsWith(" ")) {
        current.add(field(line.strip().split(" ", -1)));
      } else {
        current = fields.computeIfAbsent(line, name -> new ArrayList<>());
      }
    }
    ImmutableMap.Builder<String, MessageType> types = ImmutableMap.builder();
    fields.forEach((name, list) -> types.put(name, type(name, list)));
    return new MessageTypes(types.buildOrThrow());
  }

  private static MessageType.Field field(String[] parts) {
    boolean repeated = parts[2].endsWith("*");
    String type = repeated ? parts[2].substring(0, parts[2].length() - 1) : parts[2];
    return new MessageType.Field(Integer.parseInt(parts[0]), parts[1], type, repeated);
  }

  private static MessageType type(String name, List<MessageType.Field> fields) {
    return new MessageType(
        name, keyed(fields, MessageType.Field::name), keyed(fields, MessageType.Field::number));
  }

  private static <K> ImmutableMap<K, MessageType.Field> keyed(
      List<MessageType.Field> fields, Function<MessageType.Field, K> key) {
    return fields.stream().collect(ImmutableMap.toImmutableMap(key, field -> field));
  }

  MessageType get(String name) {
    return Optional.ofNullable(types.get(name))
        .orElseThrow(() -> new AssertionError("no message " + name));
  }
}
