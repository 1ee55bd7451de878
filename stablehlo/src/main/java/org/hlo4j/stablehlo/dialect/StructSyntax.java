package org.hlo4j.stablehlo.dialect;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.ConvolutionNumbers;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The text form of attributes with named fields: {@code #stablehlo.gather<offset_dims = [0], ...>}.
 */
final class StructSyntax {
  private StructSyntax() {}

  /** Reads the attribute whose body begins here; returns empty if it is not a known struct. */
  static Optional<Attribute> attribute(String dialect, String mnemonic, OpParser parser) {
    if (!dialect.equals("stablehlo") && !dialect.equals("chlo")) {
      return Optional.empty();
    }
    if (mnemonic.equals("conv")) {
      return Optional.of(
          parser.eatWord("raw")
              ? fields(dialect, mnemonic, parser)
              : ConvolutionNumbers.parse(parser));
    }
    if (mnemonic.equals("bounds")) {
      return Optional.of(bounds(parser));
    }
    if (mnemonic.equals("type_extensions")) {
      parser.expect("bounds");
      parser.expect("=");
      parser.expect("[");
      Attribute bounds = bounds(parser);
      parser.expect("]");
      return Optional.of(bounds);
    }
    if (StructTable.isEnum(mnemonic)) {
      return Optional.of(StructTable.word(dialect, mnemonic, parser));
    }
    return StructTable.isStruct(mnemonic)
        ? Optional.of(fields(dialect, mnemonic, parser))
        : Optional.empty();
  }

  /** Reads fields up to the closing bracket. */
  static Attribute.Struct fields(String dialect, String mnemonic, OpParser parser) {
    ImmutableMap<String, AttributeDefinition> known = StructTable.fields(mnemonic);
    Map<String, Attribute> fields = new TreeMap<>();
    while (!parser.looksAt(">")) {
      int position = parser.position();
      String name = parser.word();
      if (!known.containsKey(name) && !isOfMhlo(mnemonic, name)) {
        throw parser.wrongAt(position, "got %s, want one of %s", name, known.keySet());
      }
      parser.expect("=");
      for (Map.Entry<String, Attribute> entry : entries(name, parser).entrySet()) {
        if (fields.put(entry.getKey(), entry.getValue()) != null) {
          throw parser.wrongAt(position, "got %s twice, want it once", entry.getKey());
        }
      }
      if (!parser.eat(",")) {
        break;
      }
    }
    ImmutableSet<String> required =
        known.values().stream()
            .filter(field -> !field.isOptional() && field.defaultValue().isEmpty())
            .map(AttributeDefinition::name)
            .collect(toImmutableSet());
    if (!fields.keySet().containsAll(required)) {
      throw parser.wrongAt(
          parser.position(), "got %s of %s, want all of %s", fields.keySet(), mnemonic, required);
    }
    return StructTable.struct(dialect, mnemonic, fields);
  }

  private static boolean isOfMhlo(String mnemonic, String field) {
    return mnemonic.equals("ragged_dot") && field.equals("dot_dimension_numbers");
  }

  /** Reads the value of a field. MHLO has some of the fields in a struct of their own. */
  private static Map<String, Attribute> entries(String name, OpParser parser) {
    if (!name.equals("dot_dimension_numbers")) {
      return Map.of(name, value(name, parser));
    }
    int position = parser.position();
    if (parser.attribute() instanceof Attribute.Struct dot && dot.mnemonic().equals("dot")) {
      return dot.fields();
    }
    throw parser.wrongAt(position, "got another attribute, want #mhlo.dot<...>");
  }

  /** Reads the value of a field. Lists hold integers, except for the axes of a mesh. */
  private static Attribute value(String name, OpParser parser) {
    if (name.equals("axes") && parser.eat("[")) {
      return axes(parser);
    }
    if (name.equals("sub_axis_info") && parser.looksAt("(")) {
      return subAxis(parser);
    }
    return parser.looksAt("[") ? Attribute.DenseArray.i64(parser.integers()) : parser.attribute();
  }

  /** Reads {@code <name = "x", size = 2>, …]}; the axes may have their full names as well. */
  private static Attribute axes(OpParser parser) {
    ImmutableList.Builder<Attribute> axes = ImmutableList.builder();
    while (!parser.eat("]")) {
      if (parser.eat("<")) {
        axes.add(fields("stablehlo", "mesh_axis", parser));
        parser.expect(">");
      } else {
        axes.add(parser.attribute());
      }
      if (!parser.looksAt("]")) {
        parser.expect(",");
      }
    }
    return new Attribute.Array(axes.build());
  }

  /** Reads {@code (1)2}: the product of the sizes before a part of an axis, and its size. */
  private static Attribute subAxis(OpParser parser) {
    parser.expect("(");
    long preSize = parser.integer();
    parser.expect(")");
    return StructTable.struct(
        "sub_axis_info",
        Map.of(
            "pre_size", Attribute.Int.i64(preSize), "size", Attribute.Int.i64(parser.integer())));
  }

  private static Attribute bounds(OpParser parser) {
    List<Long> bounds = new ArrayList<>();
    if (!parser.looksAt(">")) { // a scalar has none
      do {
        bounds.add(parser.eat("?") ? Type.DYNAMIC : parser.integer());
      } while (parser.eat(","));
    }
    return StructTable.struct("bounds", Map.of("bounds", Attribute.DenseArray.i64(bounds)));
  }
}
