package org.hlo4j.stablehlo.mlir;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The fields of a struct attribute as text. */
final class StructText {
  private StructText() {}

  static String of(Attribute.Struct struct) {
    return switch (struct.mnemonic()) {
      case "conv" -> convolution(struct);
      case "bounds" -> bounds(struct);
      default ->
          struct.fields().entrySet().stream()
              .map(entry -> entry.getKey() + " = " + value(entry.getValue()))
              .collect(Collectors.joining(", "));
    };
  }

  private static String value(Attribute value) {
    return switch (value) {
      case Attribute.DenseArray list -> list(list);
      case Attribute.Int number ->
          number.type().equals(Types.I1) ? number.toString() : number.value().toString();
      case Attribute other -> other.toString();
    };
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

  /** {@code [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]}. */
  private static String convolution(Attribute.Struct struct) {
    return dimensions(struct, "input", "b", "input_batch_dimension", "f", "input_feature_dimension")
        + "x"
        + dimensions(
            struct,
            "kernel",
            "i",
            "kernel_input_feature_dimension",
            "o",
            "kernel_output_feature_dimension")
        + "->"
        + dimensions(
            struct, "output", "b", "output_batch_dimension", "f", "output_feature_dimension");
  }

  private static String dimensions(
      Attribute.Struct struct,
      String which,
      String firstLetter,
      String first,
      String secondLetter,
      String second) {
    Map<Long, String> labels = new TreeMap<>();
    labels.put(number(struct.fields().get(first)), firstLetter);
    labels.put(number(struct.fields().get(second)), secondLetter);
    if (struct.fields().get(which + "_spatial_dimensions") instanceof Attribute.DenseArray list) {
      for (int i = 0; i < list.values().size(); i++) {
        labels.put(list.values().get(i), Integer.toString(i));
      }
    }
    return "[" + String.join(", ", labels.values()) + "]";
  }

  private static long number(@Nullable Attribute value) {
    return value instanceof Attribute.Int number ? number.value().longValue() : 0;
  }
}
