package org.hlo4j.hlo;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Array shapes in the notation of test rows, such as {@code f32[2,<=4,?]}. */
public final class Shapes {
  private Shapes() {}

  /** Returns the array shape that prints as the text. */
  public static Shape.Array shape(String text) {
    int bracket = text.indexOf('[');
    ElementType type = ElementType.named(text.substring(0, bracket)).orElseThrow();
    List<String> sizes =
        Splitter.on(',')
            .omitEmptyStrings()
            .splitToList(text.substring(bracket + 1, text.length() - 1));
    ImmutableList.Builder<Long> values = ImmutableList.builder();
    TreeSet<Integer> dynamic = new TreeSet<>();
    for (int i = 0; i < sizes.size(); i++) {
      String size = sizes.get(i);
      values.add(size.equals("?") ? Shape.UNBOUNDED : Long.parseLong(size.replace("<=", "")));
      if (!Character.isDigit(size.charAt(0))) {
        dynamic.add(i);
      }
    }
    return new Shape.Array(
        type, Dims.copyOf(values.build()), ImmutableSortedSet.copyOf(dynamic), Optional.empty());
  }

  /** Returns the array shapes in a text, which are separated by spaces. */
  public static Shape[] shapes(String text) {
    return Splitter.on(' ')
        .omitEmptyStrings()
        .splitToStream(text)
        .map(Shapes::shape)
        .toArray(Shape[]::new);
  }

  /** Returns the dimension numbers in a text, which are separated by spaces. */
  public static Dims dims(String text) {
    return Dims.copyOf(
        Splitter.on(' ').omitEmptyStrings().splitToStream(text).map(Long::valueOf).toList());
  }
}
