package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;

/**
 * Devices in a grid whose axes have names, as Shardy writes it: {@code mesh<["x"=2, "y"=4]>}.
 *
 * @param sizes how long each axis is, the slowest first
 * @param devices which device is where, row-major
 */
record DeviceMesh(ImmutableMap<String, Integer> sizes, ImmutableList<Integer> devices) {
  private static final Pattern AXIS = Pattern.compile("\"([^\"]*)\"\\s*=\\s*(\\d{1,9})");
  private static final Pattern DEVICES = Pattern.compile("device_ids\\s*=\\s*\\[([^\\]]*)\\]");
  private static final Pattern USE =
      Pattern.compile("\"([^\"]*)\"(?::\\((\\d{1,9})\\)(\\d{1,9}))?");

  /**
   * An axis, or a part of one: seen as {@code before * size * rest}, the part in the middle.
   *
   * @param name which one
   * @param before how many parts are slower
   * @param size how long it is
   */
  record Axis(String name, int before, int size) {
    /** The axes named in a text such as {@code "x", "y":(1)2}. */
    static List<Axis> all(String text, DeviceMesh mesh) {
      return USE.matcher(text).results().map(found -> of(found, mesh)).toList();
    }

    private static Axis of(MatchResult found, DeviceMesh mesh) {
      int whole = mesh.size(found.group(1));
      int before = Optional.ofNullable(found.group(2)).map(Integer::parseInt).orElse(1);
      int size = Optional.ofNullable(found.group(3)).map(Integer::parseInt).orElse(whole);
      require(
          before > 0 && size > 0 && whole % before == 0 && whole / before % size == 0,
          "",
          "custom-call: axis got %s of %s devices, want a part of it",
          found.group(),
          whole);
      return new Axis(found.group(1), before, size);
    }

    /** Where a device is on this axis. */
    int coordinate(DeviceMesh mesh, int device) {
      return mesh.coordinate(name, device) / (mesh.size(name) / before / size) % size;
    }
  }

  /** The mesh of a text, which must be of all the devices there are. */
  static DeviceMesh parse(String text, int deviceCount) {
    ImmutableMap.Builder<String, Integer> sizes = ImmutableMap.builder();
    AXIS.matcher(text)
        .results()
        .forEach(axis -> sizes.put(axis.group(1), Integer.parseInt(axis.group(2))));
    ImmutableMap<String, Integer> axes = sizes.buildKeepingLast();
    long count = axes.values().stream().mapToLong(size -> size).reduce(1, (a, b) -> a * b);
    require(
        count == deviceCount,
        "",
        "custom-call: %s is of %s devices, want as many as run the program: %s",
        text,
        count,
        deviceCount);
    return new DeviceMesh(axes, order(text, deviceCount));
  }

  private static ImmutableList<Integer> order(String text, int deviceCount) {
    List<Integer> inOrder = IntStream.range(0, deviceCount).boxed().toList();
    Matcher written = DEVICES.matcher(text);
    if (!written.find()) {
      return ImmutableList.copyOf(inOrder);
    }
    List<String> names = inOrder.stream().map(String::valueOf).toList();
    List<String> ids = List.of(written.group(1).split("\\s*,\\s*"));
    require(
        ids.stream().sorted().toList().equals(names.stream().sorted().toList()),
        "",
        "custom-call: device_ids got %s, want each device below %s once",
        ids,
        deviceCount);
    return ids.stream().map(Integer::valueOf).collect(ImmutableList.toImmutableList());
  }

  private int size(String axis) {
    return Optional.ofNullable(sizes.get(axis))
        .orElseThrow(() ->
            new HloException(
                "", "custom-call: axis got " + axis + ", want one of " + sizes.keySet()));
  }

  private int coordinate(String axis, int device) {
    int faster =
        sizes.values().asList().stream()
            .skip(sizes.keySet().asList().indexOf(axis) + 1L)
            .reduce(1, (a, b) -> a * b);
    return devices.indexOf(device) / faster % size(axis);
  }
}
