package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/** The HLO text of windows, and their drawings in messages. */
final class WindowText {
  private static final int WIDEST = 60;
  private static final int PLACES_DRAWN = 3;
  private static final ImmutableList<String> KEYS =
      ImmutableList.of("size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal");

  private WindowText() {}

  static String of(Window window) {
    Window plain = Window.of(window.sizes());
    List<String> parts = new ArrayList<>();
    for (String key : KEYS) {
      String value = value(key, window);
      if (key.equals("size") ? window.rank() > 0 : !value.equals(value(key, plain))) {
        parts.add(key + "=" + value);
      }
    }
    return "{" + String.join(" ", parts) + "}";
  }

  private static String value(String key, Window window) {
    return switch (key) {
      case "size" -> joined(window, i -> "" + window.sizes().get(i));
      case "stride" -> joined(window, i -> "" + window.strides().get(i));
      case "pad" ->
          joined(window, i -> window.paddingLow().get(i) + "_" + window.paddingHigh().get(i));
      case "lhs_dilate" -> joined(window, i -> "" + window.baseDilation().get(i));
      case "rhs_dilate" -> joined(window, i -> "" + window.windowDilation().get(i));
      case "rhs_reversal" -> joined(window, i -> window.reversal().get(i) ? "1" : "0");
      default -> throw new AssertionError(key);
    };
  }

  private static String joined(Window window, IntFunction<String> value) {
    return IntStream.range(0, window.rank()).mapToObj(value).collect(Collectors.joining("x"));
  }

  /**
   * Returns the Java code of the same window for a base of another rank: with batch and feature
   * dimensions added, or as {@link #moving}; an empty text if neither gives the rank.
   */
  static String ofRank(Window window, int rank) {
    int missing = rank - window.rank();
    boolean isImage = window.rank() == 2 && missing == 2;
    boolean isImageWithoutBatch = window.rank() == 2 && missing == 1;
    if (window.rank() == 0 || !(missing == 2 || isImageWithoutBatch)) {
      return moving(window, rank);
    }
    Dims spatial = Dims.range(0, window.rank());
    Dims one = Dims.of(-1);
    Dims batch = missing == 2 ? one : Dims.of();
    return java(window, batch.concat(spatial).concat(one))
        + (isImage ? " with the features last (NHWC), " : " with the features last, ")
        + java(window, batch.concat(one).concat(spatial))
        + (isImage ? " with the features first (NCHW)" : " with the features first");
  }

  /**
   * Returns the Java code of a window without the dimensions along which it is of size 1 and does
   * nothing; an empty text if that does not give the rank.
   */
  static String moving(Window window, int rank) {
    Dims moving =
        Dims.copyOf(
            IntStream.range(0, window.rank())
                .filter(i -> !isTrivial(window, i))
                .mapToObj(i -> (long) i)
                .toList());
    return moving.count() == rank && rank < window.rank() ? java(window, moving) : "";
  }

  private static boolean isTrivial(Window window, int i) {
    return part(window, Dims.of(i)).equals(Window.of(1));
  }

  /** Returns some dimensions of a window; -1 is one of size 1. */
  private static Window part(Window window, Dims dimensions) {
    return new Window(
        chosen(window.sizes(), dimensions, 1),
        chosen(window.strides(), dimensions, 1),
        chosen(window.paddingLow(), dimensions, 0),
        chosen(window.paddingHigh(), dimensions, 0),
        chosen(window.baseDilation(), dimensions, 1),
        chosen(window.windowDilation(), dimensions, 1),
        dimensions.stream()
            .mapToObj(i -> i >= 0 && window.reversal().get((int) i))
            .collect(ImmutableList.toImmutableList()));
  }

  private static Dims chosen(Dims values, Dims dimensions, long other) {
    return Dims.of(dimensions.stream().map(i -> i < 0 ? other : values.get((int) i)).toArray());
  }

  /** Returns the Java code of some dimensions of a window; -1 is one of size 1. */
  private static String java(Window window, Dims dimensions) {
    Window part = part(window, dimensions);
    Window plain = Window.of(part.sizes());
    StringBuilder java = new StringBuilder("Window.of" + part.sizes());
    if (!part.strides().equals(plain.strides())) {
      java.append(".withStrides").append(part.strides());
    }
    if (!part.paddingLow().equals(plain.paddingLow())
        || !part.paddingHigh().equals(plain.paddingHigh())) {
      java.append(".withPadding(Dims.of").append(part.paddingLow());
      java.append(", Dims.of").append(part.paddingHigh()).append(')');
    }
    if (!part.baseDilation().equals(plain.baseDilation())) {
      java.append(".withBaseDilation").append(part.baseDilation());
    }
    if (!part.windowDilation().equals(plain.windowDilation())) {
      java.append(".withWindowDilation").append(part.windowDilation());
    }
    return java.toString();
  }

  static Window parse(String text) {
    Map<String, String> values = new HashMap<>();
    String bare = text.strip().replaceAll("^\\{|\\}$", "");
    for (String part : Splitter.onPattern("[\\s,]+").omitEmptyStrings().split(bare)) {
      int equals = part.indexOf('=');
      require(
          equals > 0 && KEYS.contains(part.substring(0, equals)),
          "",
          "window: got %s, want one of %s followed by =",
          part,
          KEYS);
      String key = part.substring(0, equals);
      boolean isFirst = values.put(key, part.substring(equals + 1)) == null;
      require(isFirst, "", "window: got %s twice, want it once", key);
    }
    try {
      return of(values);
    } catch (NumberFormatException bad) {
      throw new HloException("", "window: got " + text + ", want numbers, such as size=3x3");
    }
  }

  private static Window of(Map<String, String> values) {
    Window plain = Window.of(numbers(values.getOrDefault("size", "")));
    String pad = values.getOrDefault("pad", value("pad", plain));
    Dims padding = numbers(pad.replaceAll("(?<=\\d)_", "x"));
    int half = padding.count() / 2;
    require(padding.count() % 2 == 0, "", "window: pad got %s, want low_high for each", pad);
    Dims even = Dims.copyOf(IntStream.range(0, half).mapToObj(i -> 2 * i).toList());
    Dims reversal = numbers(values.getOrDefault("rhs_reversal", value("rhs_reversal", plain)));
    require(
        reversal.stream().allMatch(flag -> flag == 0 || flag == 1),
        "",
        "window: rhs_reversal got %s, want 0 or 1 for each",
        reversal);
    return new Window(
        plain.sizes(),
        numbers(values.getOrDefault("stride", value("stride", plain))),
        padding.at(even),
        padding.without(even),
        numbers(values.getOrDefault("lhs_dilate", value("lhs_dilate", plain))),
        numbers(values.getOrDefault("rhs_dilate", value("rhs_dilate", plain))),
        reversal.stream().mapToObj(flag -> flag != 0).collect(ImmutableList.toImmutableList()));
  }

  private static Dims numbers(String value) {
    return value.isEmpty()
        ? Dims.of()
        : Dims.copyOf(Splitter.on('x').splitToStream(value).map(Long::valueOf).toList());
  }

  static String explain(Window window) {
    return IntStream.range(0, window.rank())
        .mapToObj(i -> inWords(window, i) + drawing(window, i))
        .collect(Collectors.joining("\n"));
  }

  private static String inWords(Window window, int i) {
    StringBuilder text = new StringBuilder("dimension " + i + ": ");
    text.append(window.sizes().get(i)).append(" elements, every ").append(window.strides().get(i));
    text.append(", padding ").append(window.paddingLow().get(i)).append(" before and ");
    text.append(window.paddingHigh().get(i)).append(" behind");
    if (window.baseDilation().get(i) != 1) {
      text.append(", base spread by ").append(window.baseDilation().get(i));
    }
    if (window.windowDilation().get(i) != 1) {
      text.append(", window spread by ").append(window.windowDilation().get(i));
    }
    return text.append(window.reversal().get(i) ? ", backwards\n" : "\n").toString();
  }

  /**
   * Draws the start of the base, and below it the first positions of the window; returns an empty
   * text if that is too wide.
   */
  private static String drawing(Window window, int i) {
    long low = window.paddingLow().get(i);
    long stride = window.strides().get(i);
    long spread = window.windowDilation().get(i);
    long size = window.sizes().get(i);
    for (long value : new long[] {Math.abs(low), stride, spread, size}) {
      if (value > WIDEST) {
        return "";
      }
    }
    long width = (PLACES_DRAWN - 1) * stride + (size - 1) * spread + 1;
    if (width > WIDEST
        || width < 1
        || stride < 1
        || spread < 1
        || window.baseDilation().get(i) < 1) {
      return "";
    }
    StringBuilder text = new StringBuilder(row(width, at -> base(window, i, at - low)));
    for (int place = 0; place < PLACES_DRAWN; place++) {
      long start = place * stride;
      text.append(
          row(
              width,
              at -> {
                long offset = at - start;
                boolean covers = offset >= 0 && offset % spread == 0 && offset / spread < size;
                return covers ? "^" : "";
              }));
    }
    return text.toString();
  }

  private static String base(Window window, int i, long at) {
    long dilation = window.baseDilation().get(i);
    return at < 0 ? "p" : at % dilation == 0 ? "" + at / dilation : ".";
  }

  private static String row(long width, IntFunction<String> cell) {
    StringBuilder row = new StringBuilder(" ");
    for (int at = 0; at < width; at++) {
      row.append(String.format("%3s", cell.apply(at)));
    }
    return row.toString().stripTrailing() + "\n";
  }
}
