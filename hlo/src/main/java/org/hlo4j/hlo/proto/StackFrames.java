package org.hlo4j.hlo.proto;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import com.google.common.primitives.Ints;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.schema.StackFrameTables;

/**
 * The conversion of StackFrameIndexProto, which is four tables with rows numbered from 1 in HLO
 * text.
 */
final class StackFrames {
  private static final String FIELD = "stack_frame_index";

  private static final ImmutableList<String> LOCATION =
      ImmutableList.of(
          "file_name_id", "function_name_id", "line", "end_line", "column", "end_column");

  private static final ImmutableList<String> FRAME =
      ImmutableList.of("file_location_id", "parent_frame_id");

  private static final CharMatcher BRACES = CharMatcher.anyOf("{}");

  private StackFrames() {}

  /** Reads the tables of a module; empty if it has none. */
  static String read(ProtoMessage module) {
    return module.message(FIELD).map(StackFrames::text).orElse("");
  }

  private static String text(ProtoMessage index) {
    if (index.count("stack_frames") == 0 && index.count("file_names") == 0) {
      return "";
    }
    return StackFrameTables.text(
        Lists.transform(index.strings("file_names"), AttributeText::quoted),
        Lists.transform(index.strings("function_names"), AttributeText::quoted),
        Lists.transform(index.messages("file_locations"), row -> numbers(row, LOCATION)),
        Lists.transform(index.messages("stack_frames"), row -> numbers(row, FRAME)));
  }

  /**
   * Returns the numbers of a row. The parent of a frame is counted from 1 in the file, and from 2
   * in the text.
   */
  private static String numbers(ProtoMessage row, List<String> fields) {
    return fields.stream()
        .map(field -> field + "=" + (row.integer(field) + offset(field)))
        .collect(Collectors.joining(" ", "{", "}"));
  }

  private static int offset(String field) {
    return field.equals("parent_frame_id") ? 1 : 0;
  }

  /** Writes tables to a module. */
  static void write(ProtoBuilder module, String text) {
    if (text.isEmpty()) {
      return;
    }
    ProtoBuilder index = ProtoBuilder.of("StackFrameIndexProto");
    StackFrameTables.parse(text).forEach((table, row) -> put(index, table, row));
    module.put(FIELD, index);
  }

  private static void put(ProtoBuilder index, String table, String value) {
    switch (table) {
      case "FileNames" -> index.add("file_names", string(value));
      case "FunctionNames" -> index.add("function_names", string(value));
      case "FileLocations" ->
          index.put("file_locations", row(ProtoBuilder.of("FileLocation"), value));
      case "StackFrames" -> index.put("stack_frames", row(ProtoBuilder.of("StackFrame"), value));
      default -> throw refused(table, "FileNames, FunctionNames, FileLocations or StackFrames");
    }
  }

  private static String string(String quoted) {
    return new String(TextParts.bytes(quoted), StandardCharsets.UTF_8);
  }

  private static ProtoBuilder row(ProtoBuilder row, String value) {
    for (String part : Splitter.on(' ').omitEmptyStrings().split(BRACES.trimFrom(value))) {
      int equals = part.indexOf('=');
      String field = part.substring(0, Math.max(0, equals));
      Integer number = Ints.tryParse(part.substring(equals + 1));
      if (!row.type().byName().containsKey(field) || row.has(field) || number == null) {
        throw refused(value, row.type().byName().keySet() + " once, with numbers");
      }
      row.put(field, (long) number - offset(field));
    }
    return row;
  }

  private static HloException refused(String got, String want) {
    return new HloException(
        "", "proto: stack frames got " + Ascii.truncate(got, 80, "…") + ", want " + want);
  }
}
