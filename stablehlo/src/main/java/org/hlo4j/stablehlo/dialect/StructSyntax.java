package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.Type;

/** Attributes with named fields: {@code #stablehlo.gather<offset_dims = [0], ...>}. */
final class StructSyntax {
  private static final ImmutableSet<String> STRUCTS =
      ImmutableSet.of(
          "gather",
          "scatter",
          "dot",
          "dot_algorithm",
          "ragged_dot",
          "channel_handle",
          "result_accuracy",
          "output_operand_alias",
          "replica_group_mesh_axes",
          "mesh",
          "mesh_axis",
          "axis_ref",
          "sub_axis_info");

  private StructSyntax() {}

  /** The attribute whose body begins here; empty if it is none of these. */
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
    if (Words.isMnemonic(mnemonic)) {
      return Optional.of(Words.parse(dialect, mnemonic, parser));
    }
    return STRUCTS.contains(mnemonic)
        ? Optional.of(fields(dialect, mnemonic, parser))
        : Optional.empty();
  }

  /** Fields up to the closing bracket. */
  static Attribute.Struct fields(String dialect, String mnemonic, OpParser parser) {
    Map<String, Attribute> fields = new TreeMap<>();
    while (!parser.looksAt(">")) {
      int position = parser.position();
      String name = parser.word();
      parser.expect("=");
      Attribute value = value(name, parser);
      if (fields.put(name, value) != null) {
        throw parser.wrongAt(position, "got " + name + " twice, want it once");
      }
      if (!parser.eat(",")) {
        break;
      }
    }
    fields.values().removeIf(value -> StructForm.isLeftOut(mnemonic, value));
    return new Attribute.Struct(dialect, mnemonic, ImmutableMap.copyOf(fields));
  }

  /** Lists are of integers, but those of the axes of a mesh. */
  private static Attribute value(String name, OpParser parser) {
    if (parser.looksAt("[") && !name.equals("axes")) {
      return Attribute.DenseArray.i64(parser.integers());
    }
    return parser.attribute();
  }

  private static Attribute bounds(OpParser parser) {
    List<Long> bounds = new ArrayList<>();
    do {
      bounds.add(parser.eat("?") ? Type.DYNAMIC : parser.integer());
    } while (parser.eat(","));
    return new Attribute.Struct(
        "stablehlo",
        "bounds",
        ImmutableMap.of("bounds", Attribute.DenseArray.i64(ImmutableList.copyOf(bounds))));
  }
}
