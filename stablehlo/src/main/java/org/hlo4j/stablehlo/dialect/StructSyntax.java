package org.hlo4j.stablehlo.dialect;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The text form of attributes with named fields: {@code #stablehlo.gather<offset_dims = [0], ...>}.
 */
final class StructSyntax {
  /** The mnemonics of the structs, each with its possible fields. */
  private static final ImmutableList<String> FIELDS =
      ImmutableList.of(
          "gather offset_dims collapsed_slice_dims operand_batching_dims"
              + " start_indices_batching_dims start_index_map index_vector_dim",
          "scatter update_window_dims inserted_window_dims input_batching_dims"
              + " scatter_indices_batching_dims scatter_dims_to_operand_dims index_vector_dim",
          "dot lhs_batching_dimensions rhs_batching_dimensions lhs_contracting_dimensions"
              + " rhs_contracting_dimensions",
          "dot_algorithm lhs_precision_type rhs_precision_type accumulation_type"
              + " lhs_component_count rhs_component_count num_primitive_operations"
              + " allow_imprecise_accumulation",
          "ragged_dot lhs_batching_dimensions rhs_batching_dimensions lhs_contracting_dimensions"
              + " rhs_contracting_dimensions lhs_ragged_dimensions rhs_group_dimensions"
              + " dot_dimension_numbers",
          "channel_handle handle type",
          "result_accuracy atol rtol ulps mode",
          "output_operand_alias output_tuple_indices operand_index operand_tuple_indices",
          "replica_group_mesh_axes mesh axes",
          "mesh axes device_ids",
          "mesh_axis name size",
          "axis_ref name sub_axis_info",
          "sub_axis_info pre_size size",
          "conv input_batch_dimension input_feature_dimension input_spatial_dimensions"
              + " kernel_input_feature_dimension kernel_output_feature_dimension"
              + " kernel_spatial_dimensions output_batch_dimension output_feature_dimension"
              + " output_spatial_dimensions");

  private static final ImmutableSetMultimap<String, String> STRUCTS = structs();

  /** The structs in which all fields are required. */
  private static final ImmutableSet<String> COMPLETE =
      ImmutableSet.of("channel_handle", "dot_algorithm", "output_operand_alias", "conv");

  private StructSyntax() {}

  private static ImmutableSetMultimap<String, String> structs() {
    ImmutableSetMultimap.Builder<String, String> structs = ImmutableSetMultimap.builder();
    for (String line : FIELDS) {
      List<String> words = Splitter.on(' ').splitToList(line);
      structs.putAll(words.get(0), words.subList(1, words.size()));
    }
    return structs.build();
  }

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
    if (EnumTable.isMnemonic(mnemonic)) {
      return Optional.of(EnumTable.parse(dialect, mnemonic, parser));
    }
    return STRUCTS.containsKey(mnemonic)
        ? Optional.of(fields(dialect, mnemonic, parser))
        : Optional.empty();
  }

  /** Reads fields up to the closing bracket. */
  static Attribute.Struct fields(String dialect, String mnemonic, OpParser parser) {
    Map<String, Attribute> fields = new TreeMap<>();
    while (!parser.looksAt(">")) {
      int position = parser.position();
      String name = parser.word();
      if (!STRUCTS.containsEntry(mnemonic, name)) {
        throw parser.wrongAt(position, "got " + name + ", want one of " + STRUCTS.get(mnemonic));
      }
      parser.expect("=");
      for (Map.Entry<String, Attribute> entry : entries(name, parser).entrySet()) {
        if (fields.put(entry.getKey(), entry.getValue()) != null) {
          throw parser.wrongAt(position, "got " + entry.getKey() + " twice, want it once");
        }
      }
      if (!parser.eat(",")) {
        break;
      }
    }
    if (COMPLETE.contains(mnemonic) && fields.size() < STRUCTS.get(mnemonic).size()) {
      throw parser.wrongAt(
          parser.position(),
          "got " + fields.keySet() + " of " + mnemonic + ", want all of " + STRUCTS.get(mnemonic));
    }
    fields.values().removeIf(value -> StructBuilder.isLeftOut(mnemonic, value));
    return new Attribute.Struct(dialect, mnemonic, ImmutableMap.copyOf(fields));
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
    return new StructBuilder("sub_axis_info")
        .with("pre_size", preSize)
        .with("size", parser.integer())
        .build();
  }

  private static Attribute bounds(OpParser parser) {
    List<Long> bounds = new ArrayList<>();
    if (!parser.looksAt(">")) { // a scalar has none
      do {
        bounds.add(parser.eat("?") ? Type.DYNAMIC : parser.integer());
      } while (parser.eat(","));
    }
    return new Attribute.Struct(
        "stablehlo",
        "bounds",
        ImmutableMap.of("bounds", Attribute.DenseArray.i64(ImmutableList.copyOf(bounds))));
  }
}
