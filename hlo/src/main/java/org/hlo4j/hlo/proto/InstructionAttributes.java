package org.hlo4j.hlo.proto;

import com.google.common.base.Ascii;
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
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.AttributeText;

/**
 * The attributes of an instruction that are not part of its op: text in hlo4j, fields in hlo.proto.
 * An attribute without a field, or whose text does not have the form of HLO text, is refused,
 * because XLA would not read it.
 */
final class InstructionAttributes {
  /** The fields of other ops that a custom call may also have, without a meaning to HLO. */
  private static final ImmutableSet<String> COUNTS =
      ImmutableSet.of("feature_group_count", "batch_group_count");

  // Enumerations, each constant at its number.
  private static final ImmutableList<String> MODES = ImmutableList.of("default", "highest");
  private static final ImmutableList<String> PRECISIONS =
      ImmutableList.of("default", "high", "highest");
  private static final ImmutableList<String> PADDINGS =
      ImmutableList.of("PADDING_INVALID", "PADDING_VALID", "PADDING_SAME");
  private static final ImmutableList<String> CONVOLUTIONS =
      ImmutableList.of("unset", "fprop", "dgrad", "wgrad");

  private static final ImmutableList<String> TOLERANCES = ImmutableList.of("atol", "rtol", "ulps");

  private InstructionAttributes() {}

  // To text.

  /**
   * Returns the attributes of an instruction as text, by name.
   *
   * @param message the instruction
   * @param names the names of instructions by id
   */
  static Map<String, String> read(ProtoMessage message, LongFunction<String> names) {
    Map<String, String> attributes = new LinkedHashMap<>();
    switch (message.string("opcode")) {
      case "custom-call" -> readConvolution(message, attributes);
      case "convolution" ->
          put(attributes, "convolution_kind", constant(message, "conv_kind", CONVOLUTIONS));
      case "reshape" -> put(attributes, "inferred_dimension", inferred(message));
      default -> {
        // all others occur in any op
      }
    }
    put(attributes, "parameter_replication", replication(message));
    put(attributes, "result_accuracy", accuracy(message.messageOrEmpty("result_accuracy")));
    put(attributes, "frontend_attributes", frontend(message));
    put(attributes, "control-predecessors", predecessors(message, names));
    put(attributes, "statistics", statistics(message.messageOrEmpty("statistics_viz")));
    put(
        attributes,
        "origin",
        message.message("original_value").map(OriginalValues::text).orElse(""));
    put(attributes, "backend_config", config(message.data("backend_config")));
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
      put(attributes, "dim_labels", message.located(() -> dimensionLabels(message)));
    }
    for (String count : COUNTS) {
      long value = message.integer(count);
      put(attributes, count, value > 1 ? Long.toString(value) : "");
    }
    put(attributes, "operand_precision", precision(message.messageOrEmpty("precision_config")));
    put(attributes, "padding_type", constant(message, "padding_type", PADDINGS));
  }

  private static String dimensionLabels(ProtoMessage message) {
    String field = "convolution_dimension_numbers";
    ConvolutionDimensionNumbers numbers = Structures.convolution(message, field);
    String labels = numbers.toString();
    if (!ConvolutionDimensionNumbers.fromLabels(labels).equals(numbers)) {
      throw message.refusal(field, "got " + labels + ", want each role at a dimension of its own");
    }
    return labels;
  }

  /** Returns the name of a constant; empty if it is the first. */
  private static String constant(ProtoMessage message, String field, List<String> constants) {
    int number = message.smallInteger(field);
    return number == 0 ? "" : constant(message, field, number, constants);
  }

  private static String constant(
      ProtoMessage message, String field, long number, List<String> constants) {
    if (number < 0 || number >= constants.size()) {
      throw message.refusal(field, "got " + number + ", want the number of one of " + constants);
    }
    return constants.get((int) number);
  }

  private static String precision(ProtoMessage config) {
    long[] numbers = config.integers("operand_precision");
    return Arrays.stream(numbers).allMatch(number -> number == 0)
        ? ""
        : Arrays.stream(numbers)
            .mapToObj(number -> constant(config, "operand_precision", number, PRECISIONS))
            .collect(Collectors.joining(",", "{", "}"));
  }

  private static String inferred(ProtoMessage message) {
    Dims dimension = message.dims("dimensions");
    return dimension.count() == 1 ? Long.toString(dimension.get(0)) : "";
  }

  private static String replication(ProtoMessage message) {
    return Arrays.stream(
            message.messageOrEmpty("parameter_replication").integers("replicated_at_leaf_buffers"))
        .mapToObj(value -> value == 0 ? "false" : "true")
        .collect(Collectors.collectingAndThen(Collectors.joining(","), Braces::unlessEmpty));
  }

  private static String accuracy(ProtoMessage accuracy) {
    if (!accuracy.has("tolerance")) {
      String mode = constant(accuracy, "mode", MODES);
      return mode.isEmpty() ? "" : "{mode=" + mode + "}";
    }
    ProtoMessage tolerance = accuracy.messageOrEmpty("tolerance");
    return "{tolerance={atol="
        + plain(tolerance.doubleValue("atol"))
        + ",rtol="
        + plain(tolerance.doubleValue("rtol"))
        + ",ulps="
        + tolerance.integer("ulps")
        + "}}";
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
    return Literal.of(value).toHloText();
  }

  /** Returns a backend config unchanged if it is a JSON object, else in quotes. */
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
    attributes.forEach((name, value) -> {
      try {
        write(message, name, value, ids);
      } catch (NumberFormatException noNumber) {
        throw refused(name, value, "numbers where HLO text has them");
      } catch (HloException refusal) {
        throw refusal.summary().startsWith("proto: ")
            ? refusal
            : refusal.prefixed("proto: " + name + ": ");
      }
    });
  }

  /** Returns the error for an attribute that hlo.proto cannot represent. */
  private static HloException refused(String name, String value, String want) {
    return new HloException(
        "", "proto: " + name + " got " + Ascii.truncate(value, 80, "…") + ", want " + want);
  }

  private static void write(
      ProtoBuilder message, String name, String value, Map<String, Long> ids) {
    switch (name) {
      case "frontend_attributes" -> writeFrontend(message, value);
      case "control-predecessors" ->
          message.put("control_predecessor_ids", predecessors(value, ids));
      case "backend_config" -> message.putBytes("backend_config", TextParts.bytes(value));
      case "parameter_replication" -> writeReplication(message, value);
      case "result_accuracy" -> message.put("result_accuracy", accuracy(value));
      case "statistics" -> message.put("statistics_viz", statistics(value));
      case "origin" -> message.put("original_value", OriginalValues.message(value));
      case "inferred_dimension" -> message.put("dimensions", Dims.of(Long.parseLong(value)));
      case "convolution_kind" -> message.put("conv_kind", number(name, value, CONVOLUTIONS));
      case "padding_type" -> message.put("padding_type", number(name, value, PADDINGS));
      case "operand_precision" -> writePrecision(message, value);
      case "window" -> Structures.writeWindow(message, "window", Window.parse(value));
      case "dim_labels" ->
          Structures.writeConvolution(
              message,
              "convolution_dimension_numbers",
              ConvolutionDimensionNumbers.fromLabels(value));
      case "feature_group_count", "batch_group_count" -> message.put(name, Long.parseLong(value));
      default ->
          throw new HloException(
              "",
              "proto: got the attribute "
                  + Ascii.truncate(name, 80, "…")
                  + ", which hlo.proto has no field for");
    }
  }

  static void writeFrontend(ProtoBuilder message, String value) {
    Map<String, String> map = AttributeText.parseFrontendAttributes(value);
    TextAttributes.putMap(message.at("frontend_attributes"), "map", map);
  }

  private static Dims predecessors(String value, Map<String, Long> ids) {
    return Dims.copyOf(
        Braces.list(value).stream()
            .map(name ->
                Optional.ofNullable(ids.get(name.replace("%", "")))
                    .orElseThrow(
                        () -> refused("control-predecessors", name, "an instruction beside it")))
            .toList());
  }

  private static void writeReplication(ProtoBuilder message, String value) {
    Dims values =
        Dims.copyOf(Braces.list(value).stream().map(leaf -> leaf.equals("true") ? 1 : 0).toList());
    message.at("parameter_replication").put("replicated_at_leaf_buffers", values);
  }

  private static long number(String name, String value, List<String> constants) {
    int number = constants.indexOf(value.strip());
    if (number < 0) {
      throw refused(name, value, "one of " + constants);
    }
    return number;
  }

  private static void writePrecision(ProtoBuilder message, String value) {
    Dims numbers =
        Dims.copyOf(
            Braces.list(value).stream()
                .map(part -> number("operand_precision", part, PRECISIONS))
                .toList());
    message.at("precision_config").put("operand_precision", numbers);
  }

  /** Parses pairs {@code name=value}, split at the first equals sign. */
  private static Map<String, String> pairs(String name, String list) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String part : Braces.list(list)) {
      List<String> sides = Splitter.on('=').limit(2).trimResults().splitToList(part);
      if (sides.size() < 2) {
        throw refused(name, list, "{name=value,…}");
      }
      pairs.put(sides.get(0), sides.get(1));
    }
    return pairs;
  }

  private static ProtoBuilder accuracy(String value) {
    String name = "result_accuracy";
    ProtoBuilder accuracy = ProtoBuilder.of("ResultAccuracy");
    pairs(name, value)
        .forEach((part, what) -> {
          if (part.equals("mode")) {
            accuracy.putPresent("mode", number(name, Ascii.toLowerCase(what), MODES));
          } else {
            accuracy.put("tolerance", tolerance(pairs(name, what), value));
          }
        });
    return accuracy;
  }

  /** Parses a number of HLO text. */
  private static double number(String text) {
    return switch (text) {
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "nan" -> Double.NaN;
      default -> Double.parseDouble(text);
    };
  }

  private static ProtoBuilder tolerance(Map<String, String> parts, String value) {
    if (!TOLERANCES.containsAll(parts.keySet())) {
      throw refused("result_accuracy", value, "no more than " + TOLERANCES);
    }
    return ProtoBuilder.of("Tolerance")
        .put("atol", number(parts.getOrDefault("atol", "0")))
        .put("rtol", number(parts.getOrDefault("rtol", "0")))
        .put("ulps", Long.parseLong(parts.getOrDefault("ulps", "0")));
  }

  private static ProtoBuilder statistics(String value) {
    ProtoBuilder statistics = ProtoBuilder.of("StatisticsViz");
    pairs("statistics", value)
        .forEach((part, what) -> {
          if (part.equals("visualizing_index")) {
            statistics.put("stat_index_to_visualize", Long.parseLong(what));
          } else {
            ProtoBuilder statistic = ProtoBuilder.of("Statistic").put("stat_name", part);
            statistics.put("statistics", statistic.put("stat_val", number(what)));
          }
        });
    return statistics;
  }
}
