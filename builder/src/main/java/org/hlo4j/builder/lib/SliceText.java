package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import com.google.common.base.Splitter;
import com.google.common.math.LongMath;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/** The ranges between the brackets of a slice in NumPy's notation, applied to an array. */
final class SliceText {
  private static final Pattern INDEX = Pattern.compile("[+-]?\\d{1,18}");
  private static final Pattern RANGE =
      Pattern.compile("([+-]?\\d{1,18})?\\s*:\\s*([+-]?\\d{1,18})?\\s*(?::\\s*([+-]?\\d{1,18})?)?");

  private final Shape.Array shape;
  private final String text;
  private final List<Long> starts = new ArrayList<>();
  private final List<Long> limits = new ArrayList<>();
  private final List<Long> strides = new ArrayList<>();
  private final List<Long> reversed = new ArrayList<>();

  /** The sizes of the result: without the indexed dimensions, and with the new ones. */
  private final List<Long> sizes = new ArrayList<>();

  private SliceText(Shape.Array shape, String text) {
    this.shape = shape;
    this.text = text;
  }

  static SliceText parse(Shape.Array shape, String text) {
    require(text != null, "", "slice: ranges are null, want such as \"1:3, :\"");
    SliceText slice = new SliceText(shape, text);
    // The last range may have a comma after it, as in Python.
    String ranges = text.strip().replaceFirst(",$", "");
    List<String> parts = new ArrayList<>();
    if (!ranges.isEmpty()) {
      parts.addAll(Splitter.on(',').trimResults().splitToList(ranges));
    }
    if (!parts.contains("...")) {
      parts.add("...");
    }
    long given = parts.stream().filter(part -> !isNew(part) && !part.equals("...")).count();
    require(
        given <= shape.rank() && parts.indexOf("...") == parts.lastIndexOf("..."),
        "",
        "slice: ranges got \"%s\", want at most %s, one for each dimension of %s, and ... once",
        text,
        shape.rank(),
        shape);
    parts.forEach(part -> slice.add(part, (int) (shape.rank() - given)));
    return slice;
  }

  private static boolean isNew(String part) {
    return part.equals("None") || part.equals("newaxis");
  }

  private void add(String part, int others) {
    Matcher range = RANGE.matcher(part);
    if (isNew(part)) {
      sizes.add(1L);
    } else if (part.equals("...")) {
      for (int i = 0; i < others; i++) {
        addRange(null, null, 1);
      }
    } else if (INDEX.matcher(part).matches()) {
      addIndex(Long.parseLong(part));
    } else {
      require(
          range.matches(),
          "",
          "slice: range got \"%s\" in \"%s\", want such as 1:3, ::2, -1, : or ...",
          part,
          text);
      String step = range.group(3);
      addRange(range.group(1), range.group(2), step == null ? 1 : Long.parseLong(step));
    }
  }

  private void addIndex(long index) {
    int dimension = starts.size();
    long size = shape.size(dimension);
    require(
        index >= -size && index < size,
        "",
        "slice: index got %s in \"%s\", want from %s to %s, for dimension %s of %s",
        index,
        text,
        -size,
        size - 1,
        dimension,
        shape);
    long start = index < 0 ? index + size : index;
    box(start, start + 1, 1);
  }

  /** Adds a range, whose bounds are those of Python's {@code slice.indices}. */
  private void addRange(@Nullable String from, @Nullable String to, long step) {
    require(step != 0, "", "slice: step got 0 in \"%s\", want another number", text);
    long size = shape.size(starts.size());
    boolean isForward = step > 0;
    long low = isForward ? 0 : -1;
    long high = isForward ? size : size - 1;
    long start = from == null ? (isForward ? low : high) : bound(from, size, low, high);
    long stop = to == null ? (isForward ? high : low) : bound(to, size, low, high);
    long distance = Math.max(0, isForward ? stop - start : start - stop);
    long stride = Math.abs(step);
    long count = LongMath.divide(distance, stride, RoundingMode.CEILING);
    sizes.add(count);
    if (count == 0) {
      box(0, 0, 1);
    } else if (isForward) {
      box(start, start + (count - 1) * stride + 1, stride);
    } else {
      reversed.add((long) starts.size());
      box(start - (count - 1) * stride, start + 1, stride);
    }
  }

  private static long bound(String text, long size, long low, long high) {
    long given = Long.parseLong(text);
    return Math.clamp(given < 0 ? given + size : given, low, high);
  }

  private void box(long start, long limit, long stride) {
    starts.add(start);
    limits.add(limit);
    strides.add(stride);
  }

  /** Returns the part of an array of the shape. */
  XlaOp of(XlaOp x) {
    Dims from = Dims.copyOf(starts);
    Dims to = Dims.copyOf(limits);
    Dims by = Dims.copyOf(strides);
    boolean isWhole =
        from.stream().allMatch(start -> start == 0)
            && to.equals(shape.sizes())
            && by.stream().allMatch(stride -> stride == 1);
    XlaOp part = isWhole ? x : x.slice(from, to, by);
    XlaOp ordered = reversed.isEmpty() ? part : part.rev(Dims.copyOf(reversed).toArray());
    Dims result = Dims.copyOf(sizes);
    return result.equals(ordered.arrayShape().sizes()) ? ordered : ordered.reshape(result);
  }
}
