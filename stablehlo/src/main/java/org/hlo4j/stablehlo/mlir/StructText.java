package org.hlo4j.stablehlo.mlir;

import java.util.stream.Collectors;

/** The fields of a struct attribute as text. */
final class StructText {
  private StructText() {}

  static String of(Attribute.Struct struct) {
    return struct.fields().entrySet().stream()
        .map(entry -> entry.getKey() + " = " + value(entry.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String value(Attribute value) {
    return switch (value) {
      case Attribute.DenseArray list ->
          list.values().stream().map(String::valueOf).collect(Collectors.joining(", ", "[", "]"));
      case Attribute.Int number ->
          number.type().equals(Types.I1) ? number.toString() : number.value().toString();
      case Attribute other -> other.toString();
    };
  }
}
