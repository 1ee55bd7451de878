package org.hlo4j.stablehlo.mlir;

import java.util.stream.Collectors;

/** The text of a struct attribute's fields. */
final class StructText {
  private StructText() {}

  static String of(Attribute.Struct struct) {
    return switch (struct.mnemonic()) {
      case "conv" -> {
        String numbers = ConvolutionNumbers.print(struct);
        yield numbers.isEmpty() ? "raw " + fields(struct) : numbers;
      }
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
}
