package org.hlo4j.hlo.op;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.HloException;

/** The labels of a convolution for layouts as other libraries write them, such as NHWC. */
final class ImageLayouts {
  private static final CharMatcher LETTER = CharMatcher.forPredicate(Character::isLetterOrDigit);

  /** The names of the spatial dimensions; those of an image are the last two. */
  private static final String SPATIAL = "dhw";

  private ImageLayouts() {}

  /**
   * Returns the labels for three layouts, {@code NHWC_HWIO->NHWC}, or for that of an image alone
   * with the kernel that usually goes with it; empty if they are not layouts.
   */
  static Optional<String> labels(String layouts) {
    List<String> words =
        Splitter.on(LETTER.negate())
            .omitEmptyStrings()
            .splitToList(Ascii.toLowerCase(layouts).replace('c', 'f').replace('n', 'b'));
    if (words.size() == 1) {
      String image = words.get(0);
      String spatial = CharMatcher.anyOf("bf").removeFrom(image);
      boolean isFeatureLast = image.endsWith("f");
      words = List.of(image, isFeatureLast ? spatial + "io" : "oi" + spatial, image);
    }
    return words.size() == 3
        ? valid(
            numbered(words.get(0)) + "_" + numbered(words.get(1)) + "->" + numbered(words.get(2)))
        : Optional.empty();
  }

  /** Replaces the letters of spatial dimensions by their numbers. */
  private static String numbered(String layout) {
    String spatial = CharMatcher.anyOf(SPATIAL).retainFrom(layout);
    String labels = layout;
    int number = 0;
    for (int i = 0; i < SPATIAL.length(); i++) {
      char name = SPATIAL.charAt(i);
      if (spatial.indexOf(name) >= 0) {
        labels = labels.replace(name, Character.forDigit(number++, 10));
      }
    }
    return labels;
  }

  private static Optional<String> valid(String labels) {
    try {
      return Optional.of(ConvolutionDimensionNumbers.parseParts(labels).toString());
    } catch (HloException notLayouts) {
      return Optional.empty();
    }
  }
}
