package org.hlo4j.hlo.proto;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.AttributeText;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Window;

/**
 * What an instruction says beyond its op: text in hlo4j, fields in hlo.proto. A text that has no
 * field, or is written otherwise than it would be from the field, is kept as text beside it.
 */
final class InstructionAttributes {
  /** Fields of its own that a custom call may have without any meaning to HLO. */
  private static final ImmutableSet<String> COUNTS =
      ImmutableSet.of("feature_group_count", "batch_group_count");

  private static final ImmutableList<String> MODES = ImmutableList.of("default", "highest");

  private InstructionAttributes() {}

  // To text.

  /**
   * The attributes of an instruction as text, by name.
   *
   * @param message the instruction
   * @param names the names of instructions by id
   */
  static Map<String, String> read(ProtoMessage message, LongFunction<String> names) {
    Map<String, String> attributes = new LinkedHashMap<>();
    if (message.string("opcode").equals("custom-call")) {
      readConvolution(message, attributes);
    }
    put(attributes, "parameter_replication", replication(message));
    put(attributes, "result_accuracy", accuracy(message));
    put(attributes, "sharding", message.message("sharding").flatMap(Shardings::text).orElse(""));
    put(attributes, "frontend_attributes", frontend(message));
    put(attributes, "control-predecessors", predecessors(message, names));
    put(attributes, "statistics", statistics(message.messageOrEmpty("statistics_viz")));
    put(attributes, "backend_config", config(message.data("backend_config")));
    attributes.putAll(TextAttributes.read(message));
    return attributes;
  }

  private static void put(Map<String, String> attributes, String name, String value) {
    if (!value.isEmpty()) {
      attributes.put(name, value);
    }
  }

  private static void readConvolution(ProtoMessage message, Map<String, String> attributes) {
    if (message.messageOrEmpty("window").has("dimensions")) {
      put(attributes, "window", message.located(() -> Structures.window(message, "window")) + "");
    }
    if (message.has("convolution_dimension_numbers")) {
      String field = "convolution_dimension_numbers";
      put(
          attributes,
          "dim_labels",
          message.located(() -> Structures.convolution(message, field)).toString());
    }
    for (String count : COUNTS) {
      long value = message.integer(count);
      put(attributes, count, value > 1 ? Long.toString(value) : "");
    }
  }

  private static String replication(ProtoMessage message) {
    return Arrays.stream(
            message.messageOrEmpty("parameter_replication").integers("replicated_at_leaf_buffers"))
        .mapToObj(value -> value == 0 ? "false" : "true")
        .collect(Collectors.collectingAndThen(Collectors.joining(","), Braces::unlessEmpty));
  }

  private static String accuracy(ProtoMessage message) {
    long mode = message.messageOrEmpty("result_accuracy").integer("mode");
    return mode == 1 ? "{mode=highest}" : "";
  }

  static String frontend(ProtoMessage message) {
    Map<String, String> map =
        TextAttributes.map(message.messageOrEmpty("frontend_attributes"), "map");
    return map.isEmpty() ? "" : AttributeText.frontendAttributes(map);
  }

  private static String predecessors(ProtoMessage message, LongFunction<String> names) {
    return Arrays.stream(message.integers("control_predecessor_ids"))
        .mapToObj(id -> "%" + names.apply(id))
        .collect(Collectors.collectingAndThen(Collectors.joining(", "), Braces::unlessEmpty));
  }

  private static String statistics(ProtoMessage message) {
    List<ProtoMessage> values = message.messages("statistics");
    if (values.isEmpty()) {
      return "";
    }
    return values.stream()
        .map(value -> value.string("stat_name") + "=" + plain(value.doubleValue("stat_val")))
        .collect(
            Collectors.joining(
                ",",
                "{visualizing_index=" + message.integer("stat_index_to_visualize") + ",",
                "}"));
  }

  private static String plain(double value) {
    return value == (long) value ? Long.toString((long) value) : Double.toString(value);
  }

  /** As it is if it is a dictionary of JSON, else in quotes. */
  private static String config(ByteBuffer data) {
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    String text = new String(bytes, StandardCharsets.UTF_8);
    boolean dictionary =
        text.startsWith("{")
            && Braces.isOne(text)
            && Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes);
    return bytes.length == 0 || dictionary ? text : TextParts.quoted(bytes);
  }

  // From text.

  /**
   * Puts attributes into an instruction.
   *
   * @param message the instruction, which has its opcode and fields of its op already
   * @param attributes the attributes as text
   * @param ids the ids of instructions by name
   */
  static void write(ProtoBuilder message, Map<String, String> attributes, Map<String, Long> ids) {
    if (attributes.isEmpty()) {
      return;
    }
    attributes.forEach((name, value) -> write(message, name, value, ids));
    ProtoMessage written = ProtoMessage.of(message.type(), message.toBytes());
    Map<String, String> found = read(written, id -> name(ids, id));
    TextAttributes.putRest(message, attributes, found);
  }

  private static String name(Map<String, Long> ids, long id) {
    return ids.entrySet().stream()
        .filter(entry -> entry.getValue() == id)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("?");
  }

  private static void write(
      ProtoBuilder message, String name, String value, Map<String, Long> ids) {
    switch (name) {
      case "sharding" ->
          Shardings.message(value).ifPresent(sharding -> message.put("sharding", sharding));
      case "frontend_attributes" -> writeFrontend(message, value);
      case "control-predecessors" -> writePredecessors(message, value, ids);
      case "backend_config" -> message.putBytes("backend_config", TextParts.bytes(value));
      case "parameter_replication" -> writeReplication(message, value);
      case "result_accuracy" -> writeAccuracy(message, value);
      case "statistics" -> writeStatistics(message, value);
      case "window", "dim_labels", "feature_group_count", "batch_group_count" ->
          writeConvolution(message, name, value);
      default -> {
        // no field: it is kept as text
      }
    }
  }

  static void writeFrontend(ProtoBuilder message, String value) {
    try {
      Map<String, String> map = AttributeText.parseFrontendAttributes(value);
      TextAttributes.putMap(message.at("frontend_attributes"), "map", map);
    } catch (HloException otherText) {
      // it is kept as text
    }
  }

  private static void writePredecessors(ProtoBuilder message, String value, Map<String, Long> ids) {
    List<Optional<Long>> known =
        Braces.list(value).stream()
            .map(name -> Optional.ofNullable(ids.get(name.replace("%", ""))))
            .toList();
    if (known.stream().allMatch(Optional::isPresent)) {
      List<Long> predecessors = known.stream().flatMap(Optional::stream).toList();
      message.put("control_predecessor_ids", Dims.copyOf(predecessors));
    }
  }

  private static void writeReplication(ProtoBuilder message, String value) {
    Dims values =
        Dims.copyOf(Braces.list(value).stream().map(leaf -> leaf.equals("true") ? 1 : 0).toList());
    message.at("parameter_replication").put("replicated_at_leaf_buffers", values);
  }

  private static void writeAccuracy(ProtoBuilder message, String value) {
    for (String part : Braces.list(value)) {
      int mode = MODES.indexOf(part.replaceFirst("mode *= *", ""));
      if (mode >= 0) {
        message.at("result_accuracy").putPresent("mode", mode);
      }
    }
  }

  private static void writeStatistics(ProtoBuilder message, String value) {
    ProtoBuilder statistics = ProtoBuilder.of("StatisticsViz");
    try {
      for (String part : Braces.list(value)) {
        List<String> sides = Splitter.on('=').limit(2).splitToList(part);
        String right = sides.size() < 2 ? "" : sides.get(1).strip();
        if (sides.get(0).equals("visualizing_index")) {
          statistics.put("stat_index_to_visualize", Long.parseLong(right));
        } else {
          statistics.put(
              "statistics",
              ProtoBuilder.of("Statistic")
                  .put("stat_name", sides.get(0).strip())
                  .put("stat_val", Double.parseDouble(right)));
        }
      }
      message.put("statistics_viz", statistics);
    } catch (NumberFormatException otherText) {
      // it is kept as text
    }
  }

  /** A custom call may say what a convolution says. */
  private static void writeConvolution(ProtoBuilder message, String name, String value) {
    try {
      switch (name) {
        case "window" -> Structures.writeWindow(message, "window", Window.parse(value));
        case "dim_labels" ->
            Structures.writeConvolution(
                message,
                "convolution_dimension_numbers",
                ConvolutionDimensionNumbers.fromLabels(value));
        default -> message.put(name, Long.parseLong(value));
      }
    } catch (HloException | NumberFormatException otherText) {
      // it is kept as text
    }
  }
}
