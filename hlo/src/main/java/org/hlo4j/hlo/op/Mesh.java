package org.hlo4j.hlo.op;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Ordering;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;

/**
 * A grid of devices with named axes, {@code mesh['x'=2,'y'=4]}, used by named shardings and replica
 * groups. The devices are 0, 1, 2, … in row-major order, or permuted: {@code
 * device_ids=([4,2]T(1,0))}. Source of the rules: XLA's MeshProto.
 *
 * <p>A mesh without axes denotes a single device with an arbitrary id, {@code
 * maximal_mesh[device_id=3]}, or for a mesh that is not known yet, {@code mesh[]}.
 *
 * @param names the name of each axis, the slowest first
 * @param devices the sizes of the axes, and the device at each position
 */
public record Mesh(ImmutableList<String> names, TileAssignment devices) {
  /**
   * Checks names and ids; ids listed in order are no list.
   *
   * @throws org.hlo4j.hlo.HloException if there are more names than axes or fewer, two axes of the
   *     same name, or the ids are not the numbers from 0 on, each once
   */
  public Mesh {
    requireNonNull(names, "names");
    requireNonNull(devices, "devices");
    require(
        names.size() == devices.tiles().count(),
        "",
        "mesh got %s names, want one for each of %s axes",
        names.size(),
        devices.tiles().count());
    require(
        ImmutableSet.copyOf(names).size() == names.size(),
        "",
        "mesh got axes %s, want different names",
        shown(names.toString()));
    if (devices instanceof TileAssignment.Listed listed && !names.isEmpty()) {
      require(
          listed.devices().isPermutation(),
          "",
          "device_ids got %s, want each id from 0 to %s once",
          shown(listed.devicesText()),
          listed.count() - 1);
      boolean isInOrder = listed.devices().equals(Dims.range(0, listed.count()));
      devices = isInOrder ? TileAssignment.inOrder(listed.tiles()) : devices;
    }
  }

  /**
   * Returns a mesh of the devices 0, 1, 2, … in order.
   *
   * @param names the name of each axis, the slowest first
   * @param sizes the size of each
   * @return the mesh
   * @throws org.hlo4j.hlo.HloException if a size is below 1, or two axes have the same name
   */
  public static Mesh of(List<String> names, Dims sizes) {
    requireNonNull(sizes, "sizes");
    return new Mesh(requireNoNulls(names, "names"), TileAssignment.inOrder(sizes));
  }

  /**
   * Returns a mesh of one device.
   *
   * @param device its id
   * @return the mesh
   */
  public static Mesh maximal(long device) {
    return new Mesh(ImmutableList.of(), new TileAssignment.Listed(Dims.of(), Dims.of(device)));
  }

  /**
   * Returns the size of an axis, or of a part of one.
   *
   * @param axis an axis of this mesh
   * @return the size
   */
  public long size(AxisRef axis) {
    requireNonNull(axis, "axis");
    return axis.part().map(AxisRef.Part::size).orElseGet(() -> devices.tiles().get(axis.axis()));
  }

  /**
   * Checks axes that are used together.
   *
   * @param axes axes or parts of axes
   * @throws org.hlo4j.hlo.HloException if one is not of this mesh, or two overlap
   */
  public void check(List<AxisRef> axes) {
    requireNoNulls(axes, "axes");
    axes.forEach(this::check);
    List<AxisRef> seen = new ArrayList<>();
    for (AxisRef axis : axes) {
      for (AxisRef other : seen) {
        require(
            axis.isApartFrom(other),
            "",
            "axes got %s and %s, want axes that do not overlap",
            text(other),
            text(axis));
      }
      seen.add(axis);
    }
  }

  private void check(AxisRef axis) {
    int count = names.size();
    require(
        axis.axis() >= 0 && axis.axis() < count,
        "",
        "axis got %s, want one of the %s axes of %s",
        axis.axis(),
        count,
        shown(toString()));
    long size = devices.tiles().get(axis.axis());
    require(
        axis.part().isEmpty() || (size(axis) < size && size % (axis.preSize() * size(axis)) == 0),
        "",
        "axis got %s, want a part of its %s devices",
        text(axis),
        size);
  }

  /**
   * Refuses a list in which two neighbors form one part of an axis.
   *
   * @param axes axes of this mesh
   * @throws org.hlo4j.hlo.HloException if two parts could be merged to one
   */
  public void checkMerged(List<AxisRef> axes) {
    requireNoNulls(axes, "axes");
    for (int i = 1; i < axes.size(); i++) {
      require(
          !axes.get(i - 1).endsAt(axes.get(i)),
          "",
          "axes got %s and %s, want one for both",
          text(axes.get(i - 1)),
          text(axes.get(i)));
    }
  }

  /**
   * Refuses a list that is not in order.
   *
   * @param axes axes of this mesh
   * @throws org.hlo4j.hlo.HloException if they are not sorted by axis and position on it
   */
  public void checkSorted(List<AxisRef> axes) {
    requireNoNulls(axes, "axes");
    Comparator<AxisRef> order =
        Comparator.comparingInt(AxisRef::axis).thenComparingLong(AxisRef::preSize);
    require(
        Ordering.from(order).isOrdered(axes),
        "",
        "axes got %s, want them in the order of the mesh",
        shown(text(axes, ", ")));
  }

  /**
   * Returns all axes, whole and in order.
   *
   * @return the axes
   */
  public ImmutableList<AxisRef> axes() {
    return IntStream.range(0, names.size()).mapToObj(AxisRef::of).collect(toImmutableList());
  }

  /**
   * Returns whether this denotes a single device with an arbitrary id.
   *
   * @return whether it is so
   */
  public boolean isMaximal() {
    return names.isEmpty() && devices instanceof TileAssignment.Listed;
  }

  /**
   * Returns the groups of devices that differ only in their positions on some axes.
   *
   * @param axes axes of this mesh; the first is the slowest in a group
   * @return the ids of each group, the groups row-major in the other axes
   * @throws org.hlo4j.hlo.HloException if there are more than {@link TileAssignment#MAX_IDS} ids
   */
  public ImmutableList<Dims> groups(List<AxisRef> axes) {
    requireNoNulls(axes, "axes");
    long[] ids = devices.devices().toArray();
    long[] sizes = axes.stream().mapToLong(this::size).toArray();
    long[] strides = axes.stream().mapToLong(this::stride).toArray();
    int groupSize = (int) Arrays.stream(sizes).reduce(1, (a, b) -> a * b);
    Map<Long, long[]> groups = new LinkedHashMap<>();
    for (int position = 0; position < ids.length; position++) {
      long place = 0;
      long first = position; // of the group: where all of these axes are 0
      for (int i = 0; i < sizes.length; i++) {
        long coordinate = position / strides[i] % sizes[i];
        place = place * sizes[i] + coordinate;
        first -= coordinate * strides[i];
      }
      groups.computeIfAbsent(first, _ -> new long[groupSize])[(int) place] = ids[position];
    }
    return groups.values().stream().map(Dims::of).collect(toImmutableList());
  }

  /**
   * Returns where a position of the grid is on an axis.
   *
   * @param position the row-major position
   * @param axis an axis of this mesh
   * @return the coordinate, from 0 to below the size
   */
  public long coordinate(long position, AxisRef axis) {
    requireNonNull(axis, "axis");
    return position / stride(axis) % size(axis);
  }

  /**
   * Returns the difference of the positions of two devices whose coordinates on an axis differ by
   * 1.
   */
  private long stride(AxisRef axis) {
    Dims sizes = devices.tiles();
    long faster = sizes.subList(axis.axis() + 1, sizes.count()).product();
    long behind = sizes.get(axis.axis()) / axis.preSize() / size(axis);
    return faster * behind;
  }

  // Text.

  /**
   * Returns an axis as HLO text writes it: {@code 'x'} or {@code 'x':(2)4}.
   *
   * @param axis an axis of this mesh
   * @return the text
   */
  public String text(AxisRef axis) {
    requireNonNull(axis, "axis");
    String part = axis.part().map(p -> ":(" + p.preSize() + ")" + p.size()).orElse("");
    return quoted(names.get(axis.axis())) + part;
  }

  private static String quoted(String name) {
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'";
  }

  private static String shown(String text) {
    return Ascii.truncate(text, TileAssignment.MAX_SHOWN, "…");
  }

  /** Returns the HLO text. */
  @Override
  public String toString() {
    if (names.isEmpty()) {
      return isMaximal() ? "maximal_mesh[device_id=" + devices.devicesText() + "]" : "mesh[]";
    }
    StringBuilder axes = new StringBuilder();
    for (int i = 0; i < names.size(); i++) {
      axes.append(i == 0 ? "" : ",").append(quoted(names.get(i)));
      axes.append('=').append(devices.tiles().get(i));
    }
    boolean isInOrder = devices instanceof TileAssignment.Iota iota && iota.isInOrder();
    return "mesh[" + axes + "]" + (isInOrder ? "" : ", device_ids=(" + devices.devicesText() + ")");
  }

  /**
   * Returns a list of axes as HLO text writes it, without braces.
   *
   * @param axes axes of this mesh
   * @param separator the text between the axes
   * @return the text
   */
  public String text(List<AxisRef> axes, String separator) {
    requireNonNull(separator, "separator");
    requireNoNulls(axes, "axes");
    return axes.stream().map(this::text).collect(joining(separator));
  }
}
