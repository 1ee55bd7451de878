package org.hlo4j.interpreter;

import static org.hlo4j.hlo.ElementType.named;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/** Reads rows of resource files; what the rows mean stands at the top of each file. */
public final class Rows {
  private static final Pattern SHAPE = Pattern.compile("(\\w+)\\[(.*)]");

  private Rows() {}

  /** The lines of a file that are neither empty nor comments. */
  public static List<String> lines(String resource) {
    try {
      return Resources.readLines(
              Resources.getResource(Rows.class, resource), StandardCharsets.UTF_8)
          .stream()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** The columns of a row, between the bars. */
  public static List<String> columns(String line) {
    return Splitter.on('|').trimResults().splitToList(line);
  }

  /** A shape as HLO text writes it: {@code f32[2,<=3,?]}. */
  public static Shape.Array shape(String text) {
    Matcher matcher = SHAPE.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(text);
    }
    List<Long> sizes = new ArrayList<>();
    TreeSet<Integer> dynamic = new TreeSet<>();
    for (String size : Splitter.on(',').omitEmptyStrings().split(matcher.group(2))) {
      if (size.equals("?") || size.startsWith("<=")) {
        dynamic.add(sizes.size());
      }
      sizes.add(size.equals("?") ? Shape.UNBOUNDED : Long.parseLong(size.replace("<=", "")));
    }
    return new Shape.Array(
        named(matcher.group(1)).orElseThrow(),
        Dims.copyOf(sizes),
        ImmutableSortedSet.copyOf(dynamic),
        Optional.empty());
  }

  /** Dimension numbers between commas; {@code -} for none. */
  public static Dims dims(String text) {
    return text.equals("-")
        ? Dims.of()
        : Dims.copyOf(Splitter.on(',').splitToStream(text).map(Long::valueOf).toList());
  }
}
