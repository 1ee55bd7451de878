package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The text form of the dimension numbers of a convolution: {@code [b, 0, 1, f]x[0, 1, i, o]->[b, 0,
 * 1, f]}.
 */
public final class ConvolutionNumbers {
  /**
   * The dimensions of one of the arrays.
   *
   * @param name the array
   * @param before what stands before its dimensions
   * @param letters its dimensions that are not spatial, by their letters
   */
  private record Part(String name, String before, ImmutableMap<String, String> letters) {
    private String field(String letter) {
      return name + "_" + letters.get(letter) + "_dimension";
    }

    private String spatial() {
      return name + "_spatial_dimensions";
    }

    private void parse(OpParser parser, Map<String, Attribute> fields) {
      int start = parser.position();
      Map<String, Long> places = new HashMap<>();
      List<String> labels = new ArrayList<>();
      parser.list(
          "[]",
          () -> {
            String label = label(parser);
            boolean isNew = places.put(label, (long) labels.size()) == null || label.equals("?");
            if (!isNew) {
              String what =
                  letters.containsKey(label) ? "'" + label + "'" : "spatial dimension " + label;
              throw parser.wrongAt(start, "got %s twice", what);
            }
            labels.add(label);
          });
      places.remove("?");
      List<Long> spatial = new ArrayList<>();
      for (Long at = places.remove("0"); at != null; at = places.remove("" + spatial.size())) {
        spatial.add(at);
      }
      if (!letters.keySet().containsAll(places.keySet())) {
        throw parser.wrongAt(
            start, "got no spatial dimension %s, want all from 0 on", spatial.size());
      }
      for (String letter : letters.keySet()) {
        Long at = places.get(letter);
        if (at == null) {
          throw parser.wrongAt(
              start,
              "got no %s, want '%s'",
              field(letter),
              String.join("' and '", letters.keySet()));
        }
        fields.put(field(letter), Attribute.Int.i64(at));
      }
      fields.put(spatial(), Attribute.DenseArray.i64(spatial));
    }

    /** Reads a letter, a question mark or the number of a spatial dimension. */
    private String label(OpParser parser) {
      String letter = String.valueOf(parser.peek());
      if (letters.containsKey(letter) || letter.equals("?")) {
        return String.valueOf(parser.character());
      }
      int position = parser.position();
      long number = parser.integer();
      if (number < 0) {
        throw parser.wrongAt(position, "got %s, want a spatial dimension from 0 on", number);
      }
      return Long.toString(number);
    }

    /** Returns the labels in the order of the dimensions; not all if any has none, or several. */
    private ImmutableList<String> labels(Attribute.Struct struct) {
      Map<Long, String> labels = new TreeMap<>();
      letters
          .keySet()
          .forEach(letter -> {
            if (struct.fields().get(field(letter)) instanceof Attribute.Int at) {
              labels.put(at.value().longValue(), letter);
            }
          });
      int rank = letters.size();
      if (struct.fields().get(spatial()) instanceof Attribute.DenseArray list) {
        list.values().forEach(at -> labels.put(at, "" + list.values().indexOf(at)));
        rank += list.values().size();
      }
      boolean isWhole = labels.size() == rank;
      for (long i = 0; i < rank; i++) {
        isWhole &= labels.containsKey(i);
      }
      return isWhole ? ImmutableList.copyOf(labels.values()) : ImmutableList.of();
    }
  }

  private static final ImmutableList<Part> PARTS =
      ImmutableList.of(
          new Part("input", "", ImmutableMap.of("b", "batch", "f", "feature")),
          new Part("kernel", "x", ImmutableMap.of("i", "input_feature", "o", "output_feature")),
          new Part("output", "->", ImmutableMap.of("b", "batch", "f", "feature")));

  private ConvolutionNumbers() {}

  /**
   * {@return the dimension numbers that come next}
   *
   * @param parser the parser of the text
   */
  public static Attribute.Struct parse(OpParser parser) {
    Map<String, Attribute> fields = new LinkedHashMap<>();
    for (Part part : PARTS) {
      if (!part.before.isEmpty()) {
        parser.expect(part.before);
      }
      part.parse(parser, fields);
    }
    return new Attribute.Struct("stablehlo", "conv", ImmutableMap.copyOf(fields));
  }

  /** Returns the text; empty if dimensions are missing or duplicated. */
  static String print(Attribute.Struct struct) {
    StringBuilder text = new StringBuilder();
    for (Part part : PARTS) {
      ImmutableList<String> labels = part.labels(struct);
      if (labels.isEmpty()) {
        return "";
      }
      text.append(part.before).append(labels);
    }
    return text.toString();
  }
}
