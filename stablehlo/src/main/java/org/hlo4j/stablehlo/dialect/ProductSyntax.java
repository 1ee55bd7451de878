package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.OpSyntax;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Types;

/** The custom text forms of products, convolutions, slices and comparisons. */
final class ProductSyntax {
  static final ImmutableMap<String, OpSyntax> ALL =
      ImmutableMap.<String, OpSyntax>builder()
          .put("stablehlo.dot_general", of(ProductSyntax::dotGeneral, ProductSyntax::printDot))
          .put("stablehlo.convolution", of(ProductSyntax::convolution, ProductSyntax::printConv))
          // Upstream reads and prints the generic form only.
          .put("stablehlo.dynamic_conv", read(ProductSyntax::convolution))
          .put("stablehlo.slice", of(ProductSyntax::slice, ProductSyntax::printSlice))
          .put("stablehlo.compare", of(ProductSyntax::compare, ProductSyntax::printCompare))
          .put(
              "stablehlo.reduce_precision",
              of(ProductSyntax::reducePrecision, ProductSyntax::printReducePrecision))
          .put("chlo.broadcast_compare", read(ProductSyntax::compare))
          .buildOrThrow();

  /** The attributes of a convolution's window, by their keywords. */
  private static final ImmutableMap<String, String> WINDOW =
      ImmutableMap.of(
          "stride", "window_strides",
          "pad", "padding",
          "lhs_dilate", "lhs_dilation",
          "rhs_dilate", "rhs_dilation",
          "reverse", "window_reversal");

  private ProductSyntax() {}

  /** Returns a form that is only read; the op is printed in the generic form. */
  static OpSyntax read(BiConsumer<OpParser, OpState> parse) {
    return of(parse, (printer, operation) -> false);
  }

  /** Returns a form that consists of a reader and a printer. */
  static OpSyntax of(BiConsumer<OpParser, OpState> parse, BiPredicate<OpPrinter, Operation> print) {
    return new OpSyntax() {
      @Override
      public void parse(OpParser parser, OpState state) {
        parse.accept(parser, state);
      }

      @Override
      public boolean print(OpPrinter printer, Operation operation) {
        return print.test(printer, operation);
      }
    };
  }

  private static void attributesAndTypes(OpParser parser, List<OpParser.Use> uses, OpState state) {
    parser.optionalAttributes(state.attributes());
    parser.expect(":");
    TypeSignatureForm.FUNCTION.parse(parser, uses, state);
  }

  private static void dotGeneral(OpParser parser, OpState state) {
    List<OpParser.Use> uses = parser.uses();
    Map<String, Attribute> numbers = new LinkedHashMap<>();
    while (parser.eat(",")) {
      int position = parser.position();
      String keyword = parser.word();
      parser.expect("=");
      switch (keyword) {
        case "batching_dims" -> dimensions(parser, "batching", numbers);
        case "contracting_dims" -> dimensions(parser, "contracting", numbers);
        case "precision" ->
            state.attributes().put("precision_config", ValueText.words(parser, "precision"));
        case "algorithm" -> {
          parser.expect("<");
          state
              .attributes()
              .put("algorithm", StructSyntax.fields("stablehlo", "dot_algorithm", parser));
          parser.expect(">");
        }
        default ->
            throw parser.wrongAt(
                position,
                "got '"
                    + keyword
                    + "', want batching_dims, contracting_dims, precision or"
                    + " algorithm");
      }
    }
    if (!numbers.isEmpty()) {
      state.attributes().put("dot_dimension_numbers", StructTable.struct("dot", numbers));
    }
    attributesAndTypes(parser, uses, state);
  }

  private static void dimensions(OpParser parser, String kind, Map<String, Attribute> numbers) {
    numbers.put("lhs_" + kind + "_dimensions", Attribute.DenseArray.i64(parser.integers()));
    parser.expect("x");
    numbers.put("rhs_" + kind + "_dimensions", Attribute.DenseArray.i64(parser.integers()));
  }

  private static boolean printDot(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("dot_dimension_numbers") instanceof Attribute.Struct numbers)) {
      return false;
    }
    printer.text(" ").operands(op.operands());
    String lhsBatch = list(numbers, "lhs_batching_dimensions");
    String rhsBatch = list(numbers, "rhs_batching_dimensions");
    if (!lhsBatch.equals("[]") || !rhsBatch.equals("[]")) {
      printer.text(", batching_dims = " + lhsBatch + " x " + rhsBatch);
    }
    printer.text(
        ", contracting_dims = "
            + list(numbers, "lhs_contracting_dimensions")
            + " x "
            + list(numbers, "rhs_contracting_dimensions"));
    if (op.attributes().get("precision_config") instanceof Attribute.Array words) {
      printer.text(", precision = " + ValueText.words(words));
    }
    if (op.attributes().get("algorithm") instanceof Attribute.Struct algorithm) {
      printer.text(", algorithm = <" + algorithm.body() + ">");
    }
    printer.attributes(
        op.attributes().without(List.of("dot_dimension_numbers", "precision_config", "algorithm")));
    printer.text(" : ");
    TypeSignatureForm.FUNCTION.print(printer, op);
    return true;
  }

  private static String list(Attribute.Struct struct, String name) {
    return struct.fields().get(name) instanceof Attribute.DenseArray list
        ? ValueText.list(list)
        : "[]";
  }

  private static void convolution(OpParser parser, OpState state) {
    List<OpParser.Use> uses = parser.usesInParentheses();
    parser.expect("dim_numbers");
    parser.expect("=");
    Attribute.Struct numbers = ConvolutionNumbers.parse(parser);
    state.attributes().put("dimension_numbers", numbers);
    parser.expect(",");
    parser.expect("window");
    parser.expect("=");
    parser.expect("{");
    while (!parser.eat("}")) { // a comma may follow the last one
      window(parser, state);
      if (!parser.looksAt("}")) {
        parser.expect(",");
      }
    }
    attributesAndTypes(parser, uses, state);
  }

  private static void window(OpParser parser, OpState state) {
    int position = parser.position();
    String keyword = parser.word();
    parser.expect("=");
    Attribute value =
        switch (keyword) {
          case "stride", "lhs_dilate", "rhs_dilate" -> Attribute.DenseArray.i64(parser.integers());
          case "pad" -> padding(parser);
          case "reverse" -> booleans(parser);
          default ->
              throw parser.wrongAt(
                  position,
                  "got '" + keyword + "', want stride, pad, lhs_dilate, rhs_dilate or reverse");
        };
    if (state.attributes().put(WINDOW.get(keyword), value) != null) {
      throw parser.wrongAt(position, "got '" + keyword + "' twice, want it once");
    }
  }

  private static Attribute padding(OpParser parser) {
    List<Long> all = new ArrayList<>();
    parser.expect("[");
    if (!parser.eat("]")) {
      do {
        int position = parser.position();
        ImmutableList<Long> row = parser.integers();
        if (row.size() != 2) {
          throw parser.wrongAt(position, "got " + row + ", want low and high padding");
        }
        all.addAll(row);
      } while (parser.eat(","));
      parser.expect("]");
    }
    return Matrices.ofPairs(all);
  }

  private static Attribute booleans(OpParser parser) {
    ImmutableList.Builder<Long> values = ImmutableList.builder();
    parser.expect("[");
    if (!parser.eat("]")) {
      do {
        if (parser.eatWord("true")) {
          values.add(1L);
        } else if (parser.eatWord("false")) {
          values.add(0L);
        } else {
          values.add(parser.integer() == 0 ? 0L : 1L);
        }
      } while (parser.eat(","));
      parser.expect("]");
    }
    return new Attribute.DenseArray(Types.I1, values.build());
  }

  private static boolean printConv(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("dimension_numbers") instanceof Attribute.Struct numbers)
        || numbers.body().startsWith("raw")) {
      return false;
    }
    List<String> window = new ArrayList<>();
    add(window, "stride", op.attributes().get("window_strides"));
    if (op.attributes().get("padding") instanceof Attribute.Dense padding) {
      window.add("pad = " + Matrices.print(padding));
    }
    add(window, "lhs_dilate", op.attributes().get("lhs_dilation"));
    add(window, "rhs_dilate", op.attributes().get("rhs_dilation"));
    if (op.attributes().get("window_reversal") instanceof Attribute.DenseArray reversal) {
      window.add(
          "reverse = " + reversal.values().stream().map(v -> v == 0 ? "false" : "true").toList());
    }
    printer.text("(").operands(op.operands()).text(") dim_numbers = " + numbers.body());
    printer.text(", window = {" + String.join(", ", window) + "}");
    printer.attributes(
        op.attributes()
            .without(
                List.of(
                    "dimension_numbers",
                    "window_strides",
                    "padding",
                    "lhs_dilation",
                    "rhs_dilation",
                    "window_reversal")));
    printer.text(" : ");
    TypeSignatureForm.FUNCTION.print(printer, op);
    return true;
  }

  private static void add(
      List<String> window, String keyword, @org.jspecify.annotations.Nullable Attribute value) {
    if (value instanceof Attribute.DenseArray list) {
      window.add(keyword + " = " + ValueText.list(list));
    }
  }

  private static void slice(OpParser parser, OpState state) {
    List<OpParser.Use> uses = List.of(parser.use());
    List<Long> starts = new ArrayList<>();
    List<Long> limits = new ArrayList<>();
    List<Long> strides = new ArrayList<>();
    parser.expect("[");
    if (!parser.eat("]")) {
      do {
        starts.add(parser.integer());
        parser.expect(":");
        limits.add(parser.integer());
        strides.add(parser.eat(":") ? parser.integer() : 1L);
      } while (parser.eat(","));
      parser.expect("]");
    }
    state.attributes().put("start_indices", Attribute.DenseArray.i64(starts));
    state.attributes().put("limit_indices", Attribute.DenseArray.i64(limits));
    state.attributes().put("strides", Attribute.DenseArray.i64(strides));
    attributesAndTypes(parser, uses, state);
  }

  private static boolean printSlice(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("start_indices") instanceof Attribute.DenseArray starts)
        || !(op.attributes().get("limit_indices") instanceof Attribute.DenseArray limits)
        || !(op.attributes().get("strides") instanceof Attribute.DenseArray strides)
        || starts.values().size() != limits.values().size()
        || starts.values().size() != strides.values().size()
        || op.operands().size() != 1) {
      return false;
    }
    List<String> ranges = new ArrayList<>();
    for (int i = 0; i < starts.values().size(); i++) {
      long stride = strides.values().get(i);
      ranges.add(
          starts.values().get(i)
              + ":"
              + limits.values().get(i)
              + (stride == 1 ? "" : ":" + stride));
    }
    printer.text(" ").operands(op.operands()).text(" [" + String.join(", ", ranges) + "]");
    printer.attributes(
        op.attributes().without(List.of("start_indices", "limit_indices", "strides")));
    printer.text(" : ");
    TypeSignatureForm.FUNCTION.print(printer, op);
    return true;
  }

  private static void compare(OpParser parser, OpState state) {
    if (parser.looksAtUse()) { // the CHLO form has its attributes in braces
      attributesAndTypes(parser, parser.uses(), state);
      return;
    }
    state
        .attributes()
        .put("comparison_direction", StructTable.word("stablehlo", "comparison_direction", parser));
    parser.expect(",");
    List<OpParser.Use> uses = parser.uses();
    if (parser.eat(",")) {
      state
          .attributes()
          .put("compare_type", StructTable.word("stablehlo", "comparison_type", parser));
    }
    attributesAndTypes(parser, uses, state);
  }

  private static boolean printCompare(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("comparison_direction") instanceof Attribute.Word direction)) {
      return false;
    }
    printer.text(" " + direction.value() + ", ").operands(op.operands());
    if (op.attributes().get("compare_type") instanceof Attribute.Word type) {
      printer.text(", " + type.value());
    }
    printer.attributes(op.attributes().without(List.of("comparison_direction", "compare_type")));
    printer.text(" : ");
    TypeSignatureForm.FUNCTION.print(printer, op);
    return true;
  }

  private static void reducePrecision(OpParser parser, OpState state) {
    List<OpParser.Use> uses = List.of(parser.use());
    parser.expect(",");
    parser.expect("format");
    parser.expect("=");
    int position = parser.position();
    String format = parser.word();
    int m = format.indexOf('m');
    try {
      state
          .attributes()
          .put(
              "exponent_bits",
              Attribute.Int.i32(Integer.parseInt(format.substring(1, Math.max(1, m)))));
      state
          .attributes()
          .put("mantissa_bits", Attribute.Int.i32(Integer.parseInt(format.substring(m + 1))));
    } catch (NumberFormatException wrong) {
      throw parser.wrongAt(position, "format got " + format + ", want one such as e5m10");
    }
    parser.optionalAttributes(state.attributes());
    parser.expect(":");
    TypeSignatureForm.SAME.parse(parser, uses, state);
  }

  private static boolean printReducePrecision(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("exponent_bits") instanceof Attribute.Int exponent)
        || !(op.attributes().get("mantissa_bits") instanceof Attribute.Int mantissa)
        || exponent.value().signum() < 0
        || mantissa.value().signum() < 0) {
      return false;
    }
    printer.text(" ").operands(op.operands());
    printer.text(", format = e" + exponent.value() + "m" + mantissa.value());
    printer.attributes(op.attributes().without(List.of("exponent_bits", "mantissa_bits")));
    printer.text(" : ");
    TypeSignatureForm.SAME.print(printer, op);
    return true;
  }
}
