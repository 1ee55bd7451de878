package org.hlo4j.stablehlo.dialect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.OpParser;

/**
 * The text form of the dimension numbers of a convolution: {@code [b, 0, 1, f]x[0, 1, i, o]->[b, 0,
 * 1, f]}.
 */
final class ConvolutionNumbers {
  private ConvolutionNumbers() {}

  static Attribute.Struct parse(OpParser parser) {
    Map<String, Attribute> fields = new TreeMap<>();
    part(
        parser,
        "bf",
        Map.of('b', "input_batch_dimension", 'f', "input_feature_dimension"),
        "input_spatial_dimensions",
        fields);
    parser.expect("x");
    part(
        parser,
        "io",
        Map.of('i', "kernel_input_feature_dimension", 'o', "kernel_output_feature_dimension"),
        "kernel_spatial_dimensions",
        fields);
    parser.expect("->");
    part(
        parser,
        "bf",
        Map.of('b', "output_batch_dimension", 'f', "output_feature_dimension"),
        "output_spatial_dimensions",
        fields);
    return StructTable.struct("conv", fields);
  }

  private static void part(
      OpParser parser,
      String letters,
      Map<Character, String> names,
      String spatialName,
      Map<String, Attribute> fields) {
    int start = parser.position();
    parser.expect("[");
    Map<Long, Long> spatial = new TreeMap<>();
    long dimension = 0;
    if (!parser.eat("]")) {
      do {
        char c = parser.peek();
        if (letters.indexOf(c) >= 0) {
          parser.character();
          if (fields.put(names.get(c), Attribute.Int.i64(dimension)) != null) {
            throw parser.wrongAt(start, "got '" + c + "' twice");
          }
        } else if (c == '?') {
          parser.character();
        } else {
          int position = parser.position();
          long number = parser.integer();
          if (number < 0) {
            throw parser.wrongAt(
                position, "got " + number + ", want a spatial dimension from 0 on");
          }
          if (spatial.put(number, dimension) != null) {
            throw parser.wrongAt(start, "got spatial dimension " + number + " twice");
          }
        }
        dimension++;
      } while (parser.eat(","));
      parser.expect("]");
    }
    List<Long> dimensions = new ArrayList<>();
    for (Map.Entry<Long, Long> entry : spatial.entrySet()) {
      if (entry.getKey() != dimensions.size()) {
        throw parser.wrongAt(
            start, "got no spatial dimension " + dimensions.size() + ", want all from 0 on");
      }
      dimensions.add(entry.getValue());
    }
    for (String name : names.values()) {
      if (!fields.containsKey(name)) {
        throw parser.wrongAt(
            start,
            "got no "
                + name
                + ", want '"
                + letters.charAt(0)
                + "' and '"
                + letters.charAt(1)
                + "'");
      }
    }
    fields.put(spatialName, Attribute.DenseArray.i64(dimensions));
  }
}
