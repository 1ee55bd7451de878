package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Shape;

/**
 * The value of {@code sharding}: which device has which part of a value. hlo4j computes whole
 * values and only checks that a sharding is one.
 */
final class ShardingText {
  private static final Pattern SPLIT =
      Pattern.compile(
          "devices=\\[(?<tile>[0-9,]+)](<=\\[(?<from>[0-9,]+)](T\\((?<order>[0-9,]+)\\))?"
              + "|(?<ids>[0-9]+(,[0-9]+)*))(?<last>.*)");
  private static final Pattern MAXIMAL = Pattern.compile("maximaldevice=(?<id>[0-9]+).*");
  private static final Pattern WHOLE = Pattern.compile("(replicated|manual|unknown|unreduced).*");
  private static final Pattern METADATA = Pattern.compile(",?metadata=\\{.*?}(?=[,}])");

  private final String text;
  private final OptionalLong devices;

  private ShardingText(String text, OptionalLong devices) {
    this.text = text;
    this.devices = devices;
  }

  /**
   * Refuses a sharding that is none, or not one of a shape.
   *
   * @param text as written
   * @param shape what it divides
   * @param devices the number of partitions, if the module tells it
   */
  static void check(String text, Shape shape, OptionalLong devices) {
    new ShardingText(text, devices).check(normal(text), shape);
  }

  /** The same for two shardings that say the same. */
  static String normal(String text) {
    String packed = CharMatcher.whitespace().removeFrom(text);
    return METADATA.matcher(packed).replaceAll("");
  }

  private void check(String sharding, Shape shape) {
    require(
        sharding.startsWith("{") && sharding.endsWith("}"), "", "sharding got %s, want {…}", text);
    String body = sharding.substring(1, sharding.length() - 1);
    if (body.isEmpty() || body.startsWith("{")) {
      checkTuple(parts(body), shape);
    } else if (shape instanceof Shape.Tuple tuple) {
      tuple.elements().forEach(element -> check(sharding, element));
    } else {
      checkPart(body, shape);
    }
  }

  /** One sharding for each leaf. */
  private void checkTuple(List<String> parts, Shape shape) {
    List<Shape> leaves = new ArrayList<>();
    addLeaves(shape, leaves);
    require(
        shape instanceof Shape.Tuple && parts.size() == leaves.size(),
        "",
        "sharding %s got %s parts, want one for each of the %s arrays of %s",
        text,
        parts.size(),
        leaves.size(),
        shape.withoutLayout());
    for (int i = 0; i < parts.size(); i++) {
      check(parts.get(i), leaves.get(i));
    }
  }

  private static void addLeaves(Shape shape, List<Shape> leaves) {
    if (shape instanceof Shape.Tuple tuple) {
      tuple.elements().forEach(element -> addLeaves(element, leaves));
    } else {
      leaves.add(shape);
    }
  }

  /** Splits at the commas outside of braces. */
  private static List<String> parts(String body) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int start = 0;
    for (int i = 0; i < body.length(); i++) {
      char c = body.charAt(i);
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (depth == 0 && c == '}') {
        parts.add(body.substring(start, i + 1));
        start = i + 2;
      }
    }
    return parts;
  }

  private void checkPart(String body, Shape shape) {
    Matcher maximal = MAXIMAL.matcher(body);
    Matcher split = SPLIT.matcher(body);
    if (maximal.matches()) {
      checkIds(ImmutableList.of(number(maximal.group("id"))));
    } else if (split.matches()) {
      checkSplit(split, shape);
    } else {
      require(
          WHOLE.matcher(body).matches(),
          "",
          "sharding got %s, want replicated, manual, unknown, unreduced, maximal device=n or"
              + " devices=[…]…",
          text);
    }
  }

  private void checkSplit(Matcher split, Shape shape) {
    ImmutableList<Long> tile = numbers(split.group("tile"));
    long count = tile.stream().reduce(1L, ShardingText::product);
    long ids =
        split.group("ids") == null
            ? numbers(split.group("from")).stream().reduce(1L, ShardingText::product)
            : numbers(split.group("ids")).size();
    require(ids == count, "", "sharding %s got %s devices, want %s as its tiles", text, ids, count);
    if (split.group("ids") != null) {
      checkIds(numbers(split.group("ids")));
    }
    require(
        devices.isEmpty() || devices.getAsLong() == count,
        "",
        "sharding %s got %s devices, want all %s partitions",
        text,
        count,
        devices.orElse(0));
    int more = groupDimensions(split.group("last"));
    int rank = shape instanceof Shape.Array array ? array.rank() : 0;
    require(
        tile.size() - more == rank,
        "",
        "sharding %s got %s tile dimensions, want the rank of %s",
        text,
        tile.size() - more,
        shape.withoutLayout());
  }

  /** How many of the last dimensions are not of the array. */
  private static int groupDimensions(String last) {
    Matcher kinds = Pattern.compile(",?last_tile_dims=\\{([^}]*)}.*").matcher(last);
    if (kinds.matches()) {
      return Splitter.on(',').omitEmptyStrings().splitToList(kinds.group(1)).size();
    }
    return last.contains("last_tile_dim_replicate") ? 1 : 0;
  }

  private void checkIds(List<Long> ids) {
    Set<Long> seen = new HashSet<>();
    for (Long id : ids) {
      require(
          id < devices.orElse(Long.MAX_VALUE),
          "",
          "sharding %s got device %s, want one of %s partitions",
          text,
          id,
          devices.orElse(0));
      require(seen.add(id), "", "sharding %s got device %s twice, want each once", text, id);
    }
  }

  /** The product, or one that no module has as many devices as. */
  private static long product(long a, long b) {
    return Math.multiplyHigh(a, b) == 0 && a * b >= 0 ? a * b : Long.MAX_VALUE;
  }

  private ImmutableList<Long> numbers(String list) {
    return Splitter.on(',').splitToStream(list).map(this::number).collect(toImmutableList());
  }

  private long number(String digits) {
    require(
        digits.length() <= 18, "", "sharding %s got %s, want a number of 64 bits", text, digits);
    return Long.parseLong(digits);
  }
}
