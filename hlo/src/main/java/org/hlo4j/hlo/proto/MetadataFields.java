package org.hlo4j.hlo.proto;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableMap;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.proto.MessageType.Field;
import org.hlo4j.hlo.schema.AttributeText;

/** The conversion of metadata to and from OpMetadata, whose fields have the names of HLO text. */
final class MetadataFields {
  private MetadataFields() {}

  static Metadata read(ProtoMessage message) {
    Map<String, String> parts = new LinkedHashMap<>();
    for (Field field : message.type().byName().values()) {
      if (message.has(field.name()) && !field.isMessage()) {
        parts.put(field.name(), text(message, field));
      }
    }
    parts.values().removeIf(""::equals);
    String opName = message.string("op_name");
    if (!opName.isEmpty()) {
      parts.remove("op_name");
    }
    String file = message.string("source_file");
    int line = message.smallInteger("source_line");
    if (file.isEmpty() || line == 0) {
      return new Metadata(opName, Optional.empty(), ImmutableMap.copyOf(parts));
    }
    parts.remove("source_file");
    parts.remove("source_line");
    return new Metadata(
        opName, Optional.of(new SourceLine(file, line)), ImmutableMap.copyOf(parts));
  }

  /** Returns the value of a field in HLO text; empty for a field that HLO text omits. */
  private static String text(ProtoMessage message, Field field) {
    if (field.typeName().equals("string")) {
      String value = message.string(field.name());
      return value.isEmpty() ? "" : AttributeText.quoted(value);
    }
    if (field.repeated()) {
      return Arrays.stream(message.integers(field.name()))
          .mapToObj(Long::toString)
          .collect(Collectors.joining(",", "{", "}"));
    }
    long value = message.integer(field.name());
    return value == 0 ? "" : Long.toString(value);
  }

  static ProtoBuilder write(Metadata metadata) {
    ProtoBuilder message = ProtoBuilder.of("OpMetadata").put("op_name", metadata.opName());
    metadata
        .source()
        .ifPresent(
            source -> message.put("source_file", source.file()).put("source_line", source.line()));
    metadata.others().forEach((name, value) -> put(message, name, value));
    return message;
  }

  private static void put(ProtoBuilder message, String name, String value) {
    Optional<Field> field = Optional.ofNullable(message.type().byName().get(name));
    if (field.isEmpty() || field.get().isMessage()) {
      throw new HloException(
          "",
          "proto: metadata got "
              + Ascii.truncate(name, 80, "…")
              + ", which hlo.proto has no field for");
    }
    try {
      if (field.get().typeName().equals("string")) {
        message.put(name, new String(TextParts.bytes(value), StandardCharsets.UTF_8));
      } else if (field.get().repeated()) {
        message.put(name, numbers(value));
      } else {
        message.put(name, Long.parseLong(value));
      }
    } catch (NumberFormatException otherText) {
      throw new HloException(
          "",
          "proto: metadata got " + Ascii.truncate(name + "=" + value, 80, "…") + ", want numbers");
    }
  }

  private static Dims numbers(String list) {
    String inside = list.replaceAll("[{} ]", "");
    return Dims.of(
        inside.isEmpty()
            ? new long[0]
            : Arrays.stream(inside.split(",", -1)).mapToLong(Long::parseLong).toArray());
  }
}
