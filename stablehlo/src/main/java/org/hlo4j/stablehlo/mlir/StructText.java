package org.hlo4j.stablehlo.mlir;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The text of a struct attribute's fields. */
final class StructText {
  private StructText() {}

  static String of(Attribute.Struct struct) {
    return switch (struct.mnemonic()) {
      case "conv" -> convolution(struct).orElseGet(() -> "raw " + fields(struct));
      case "bounds" -> bounds(struct);
      default -> fields(struct);
    };
  }

  private static String fields(Attribute.Struct struct) {
    return struct.fields().entrySet().stream()
        .map(entry -> entry.getKey() + " = " + value(entry.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String value(Attribute value) {
    return switch (value) {
      case Attribute.DenseArray list -> list(list);
      case Attribute.Int number ->
          number.type().equals(Types.I1) ? number.toString() : number.value().toString();
      case Attribute.Word word ->
          "#" + word.dialect() + "." + word.mnemonic() + "<" + word.value() + ">";
      case Attribute.Struct part when part.mnemonic().equals("sub_axis_info") -> subAxis(part);
      case Attribute.Floating number -> ElementText.of(number.value(), number.type());
      case Attribute other -> other.toString();
    };
  }

  /** Returns {@code (1)2}. */
  private static String subAxis(Attribute.Struct part) {
    return part.fields().get("pre_size") instanceof Attribute.Int before
            && part.fields().get("size") instanceof Attribute.Int size
        ? "(" + before.value() + ")" + size.value()
        : part.toString();
  }

  private static String list(Attribute.DenseArray list) {
    return list.values().stream().map(String::valueOf).collect(Collectors.joining(", ", "[", "]"));
  }

  private static String bounds(Attribute.Struct struct) {
    return struct.fields().get("bounds") instanceof Attribute.DenseArray list
        ? list.values().stream()
            .map(bound -> bound == Type.DYNAMIC ? "?" : bound.toString())
            .collect(Collectors.joining(", "))
        : "";
  }

  /**
   * Returns {@code [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]}; empty if dimensions are missing or
   * duplicated.
   */
  private static Optional<String> convolution(Attribute.Struct struct) {
    Optional<String> input =
        dimensions(struct, "input", "b", "input_batch_dimension", "f", "input_feature_dimension");
    Optional<String> kernel =
        dimensions(
            struct,
            "kernel",
            "i",
            "kernel_input_feature_dimension",
            "o",
            "kernel_output_feature_dimension");
    Optional<String> output =
        dimensions(
            struct, "output", "b", "output_batch_dimension", "f", "output_feature_dimension");
    return input.isPresent() && kernel.isPresent() && output.isPresent()
        ? Optional.of(input.get() + "x" + kernel.get() + "->" + output.get())
        : Optional.empty();
  }

  private static Optional<String> dimensions(
      Attribute.Struct struct,
      String which,
      String firstLetter,
      String first,
      String secondLetter,
      String second) {
    Map<Long, String> labels = new TreeMap<>();
    add(labels, struct.fields().get(first), firstLetter);
    add(labels, struct.fields().get(second), secondLetter);
    int count = 2;
    if (struct.fields().get(which + "_spatial_dimensions") instanceof Attribute.DenseArray list) {
      for (int i = 0; i < list.values().size(); i++) {
        labels.put(list.values().get(i), Integer.toString(i));
      }
      count += list.values().size();
    }
    long last = count - 1L;
    boolean each = labels.size() == count && labels.containsKey(0L) && labels.containsKey(last);
    return each && labels.keySet().stream().allMatch(at -> at >= 0 && at <= last)
        ? Optional.of("[" + String.join(", ", labels.values()) + "]")
        : Optional.empty();
  }

  private static void add(Map<Long, String> labels, @Nullable Attribute value, String letter) {
    if (value instanceof Attribute.Int number) {
      labels.put(number.value().longValue(), letter);
    }
  }
}
