package org.hlo4j.stablehlo.vhlo;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Value;

/** Operations as text, one per line, with values numbered in the order of their definition. */
final class Outline {
  private final StringBuilder text = new StringBuilder();
  private final Map<Value, Integer> numbers = new HashMap<>();

  private Outline() {}

  static String of(Operation operation) {
    Outline outline = new Outline();
    outline.add(operation, "");
    return outline.text.toString();
  }

  private void add(Operation operation, String indent) {
    text.append(indent).append(operation.name()).append(' ');
    text.append(values(operation.operands())).append(' ').append(text(operation.attributes()));
    text.append(" loc(").append(operation.location()).append(")\n");
    for (Region region : operation.regions()) {
      for (Block block : region.blocks()) {
        text.append(indent).append(" ^").append(values(block.arguments())).append('\n');
        block.operations().forEach(inner -> add(inner, indent + "  "));
      }
    }
    text.append(indent).append("  -> ").append(values(operation.results())).append('\n');
  }

  /** Prints struct fields sorted by name, since their order does not matter for equality. */
  private static String text(Attributes attributes) {
    return attributes.entries().entrySet().stream()
        .map(entry -> entry.getKey() + " = " + sorted(entry.getValue()))
        .collect(joining(", ", "{", "}"));
  }

  private static Attribute sorted(Attribute attribute) {
    return switch (attribute) {
      case Attribute.Struct struct ->
          new Attribute.Struct(
              struct.dialect(),
              struct.mnemonic(),
              ImmutableSortedMap.copyOf(Maps.transformValues(struct.fields(), Outline::sorted)));
      case Attribute.Array array ->
          new Attribute.Array(
              array.elements().stream().map(Outline::sorted).collect(toImmutableList()));
      default -> attribute;
    };
  }

  private String values(List<Value> values) {
    return values.stream()
        .map(value -> number(value) + ":" + value.type())
        .collect(joining(", ", "(", ")"));
  }

  private int number(Value value) {
    return numbers.computeIfAbsent(value, any -> numbers.size());
  }
}
