package org.hlo4j.hlo.op;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.base.Ascii;
import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * The groups of devices that communicate in a collective: lists of ids, the iota form {@code
 * [2,4]<=[8]}, or axes of a mesh, {@code mesh['x'=2,'y'=4] {'y'}}.
 *
 * <p>Whether the ids denote replicas, partitions or devices depends on the op and its attributes.
 * An empty list of groups denotes one group of all.
 *
 * @param groups the ids of each group, in order
 * @param form how HLO text writes them
 */
public record ReplicaGroups(ImmutableList<Dims> groups, Form form) {
  /** How HLO text writes the groups. */
  public sealed interface Form {
    /** As lists of ids. */
    enum Lists implements Form {
      /** The only value. */
      LISTS
    }

    /**
     * The numbers from 0, reshaped, transposed, and split into rows.
     *
     * @param rows an array with one row for each group; the devices of a row are a group
     */
    record Iota(TileAssignment.Iota rows) implements Form {}

    /**
     * Axes of a mesh: devices that differ only in their positions on these axes are a group.
     *
     * @param mesh the mesh
     * @param axes axes of it; the first is the slowest in a group
     */
    record MeshAxes(Mesh mesh, ImmutableList<AxisRef> axes) implements Form {}
  }

  /**
   * Checks that the form is one of as many groups of as many ids.
   *
   * @throws HloException if it is not, or names axes that the mesh has not
   */
  public ReplicaGroups {
    requireNonNull(form, "form");
    switch (form) {
      case Form.Lists _ -> {}
      case Form.Iota(TileAssignment.Iota rows) -> requireRows(groups, rows);
      case Form.MeshAxes(Mesh mesh, ImmutableList<AxisRef> axes) -> mesh.check(axes);
    }
  }

  private static void requireRows(ImmutableList<Dims> groups, TileAssignment.Iota rows) {
    requireTwo(rows);
    long size = rows.tiles().get(1);
    require(
        groups.size() == rows.tiles().get(0)
            && groups.stream().allMatch(group -> group.count() == size),
        "",
        "replica_groups: %s got %s groups, want %s of %s ids",
        rows,
        groups.size(),
        rows.tiles().get(0),
        size);
  }

  private static void requireTwo(TileAssignment.Iota rows) {
    require(
        rows.tiles().count() == 2,
        "",
        "got %s dimensions, want 2: groups and their size",
        rows.tiles().count());
  }

  /**
   * Returns one group of everybody.
   *
   * @return the groups
   */
  public static ReplicaGroups all() {
    return of();
  }

  /**
   * Groups by lists of ids.
   *
   * @param groups the ids of each group
   * @return the groups
   */
  public static ReplicaGroups of(long[]... groups) {
    return of(requireNoNulls(groups, "groups").stream().map(Dims::of).collect(toImmutableList()));
  }

  /**
   * Groups by lists of ids.
   *
   * @param groups the ids of each group
   * @return the groups
   */
  public static ReplicaGroups of(List<Dims> groups) {
    return new ReplicaGroups(requireNoNulls(groups, "groups"), Form.Lists.LISTS);
  }

  /**
   * Groups of consecutive ids: {@code iota(2, 4)} is {0,1,2,3} and {4,5,6,7}.
   *
   * @param count the number of groups
   * @param size the size of each
   * @return the groups
   * @throws org.hlo4j.hlo.HloException if one is below 1
   */
  public static ReplicaGroups iota(long count, long size) {
    return located(() -> rows((TileAssignment.Iota) TileAssignment.inOrder(Dims.of(count, size))));
  }

  /**
   * Groups in the iota form {@code dims<=reshapeDims T(transposePerm)}.
   *
   * @param dims the number of groups and the size of each
   * @param reshapeDims the sizes that the numbers are reshaped to
   * @param transposePerm how those dimensions are permuted
   * @return the groups
   * @throws org.hlo4j.hlo.HloException if counts differ, or the permutation is none
   */
  public static ReplicaGroups iota(Dims dims, Dims reshapeDims, Dims transposePerm) {
    requireNonNull(dims, "dims");
    return located(() -> rows(new TileAssignment.Iota(dims, reshapeDims, transposePerm)));
  }

  /**
   * Returns how many ids the groups have together.
   *
   * @return the count
   */
  public long idCount() {
    return groups.stream().mapToLong(Dims::count).sum();
  }

  private static ReplicaGroups rows(TileAssignment.Iota rows) {
    requireTwo(rows);
    Dims ids = rows.devices();
    int size = rows.tiles().getInt(1);
    ImmutableList<Dims> groups =
        IntStream.range(0, rows.tiles().getInt(0))
            .mapToObj(row -> ids.subList(row * size, (row + 1) * size))
            .collect(toImmutableList());
    return new ReplicaGroups(groups, new Form.Iota(rows));
  }

  /**
   * Returns groups by axes of a mesh: devices that differ only in their positions on these axes are
   * a group.
   *
   * @param mesh the mesh
   * @param axes axes of it; the first is the slowest in a group
   * @return the groups
   * @throws org.hlo4j.hlo.HloException if there is no such axis, or two overlap
   */
  public static ReplicaGroups mesh(Mesh mesh, List<AxisRef> axes) {
    requireNonNull(mesh, "mesh");
    return located(() -> {
      mesh.check(axes);
      mesh.checkMerged(axes);
      return new ReplicaGroups(
          mesh.groups(axes), new Form.MeshAxes(mesh, ImmutableList.copyOf(axes)));
    });
  }

  private static ReplicaGroups located(Supplier<ReplicaGroups> make) {
    try {
      return make.get();
    } catch (HloException refusal) {
      throw refusal.prefixed("replica_groups: ");
    }
  }

  /**
   * Refuses groups that are empty, leave an id out, or name one twice or below 0.
   *
   * @param sameSize whether all groups must have the same size
   * @throws HloException if there is such a group
   */
  public void check(boolean sameSize) {
    Dims ids = checkedIds();
    if (sameSize && groups.stream().mapToInt(Dims::count).distinct().count() > 1) {
      throw refusal("groups of the same size");
    }
    if (!ids.isPermutation()) {
      throw refusal("each id from 0 to " + (ids.count() - 1) + " once");
    }
  }

  /**
   * Refuses groups that are empty, or name an id twice or one below 0.
   *
   * @throws HloException if there is such a group
   */
  public void checkIds() {
    Dims _ = checkedIds();
  }

  private Dims checkedIds() {
    if (groups.stream().anyMatch(Dims::isEmpty)) {
      throw refusal("no empty group");
    }
    Dims ids = Dims.of(groups.stream().flatMapToLong(Dims::stream).toArray());
    if (!ids.isDistinct() || ids.stream().anyMatch(id -> id < 0)) {
      throw refusal("each id once and none below 0");
    }
    return ids;
  }

  /**
   * Refuses a size that is not cut into as many parts as a group has members. A group of replicas
   * with all of their partitions has a multiple of its ids, which depends on the module.
   */
  void requireShards(String label, long parts, GroupMode mode) {
    boolean isMultiple = mode == GroupMode.CROSS_REPLICA_AND_PARTITION;
    if (groups.stream()
        .anyMatch(ids -> isMultiple ? parts % ids.count() != 0 : ids.count() != parts)) {
      String size = isMultiple ? "a divisor of " + parts : String.valueOf(parts);
      throw new HloException(
          label, refusal("groups of " + size + ", the number of parts").summary());
    }
  }

  private HloException refusal(String want) {
    return new HloException("", "replica_groups got " + shown() + ", want " + want);
  }

  /**
   * Returns the text, cut if it is too long for a message.
   *
   * @return the text or its beginning
   */
  public String shown() {
    return Ascii.truncate(toString(), TileAssignment.MAX_SHOWN, "…");
  }

  /** Returns the HLO text. */
  @Override
  public String toString() {
    return switch (form) {
      case Form.Lists _ ->
          groups.stream()
              .map(group -> "{" + Joiner.on(',').join(group.stream().iterator()) + "}")
              .collect(joining(",", "{", "}"));
      case Form.Iota(TileAssignment.Iota rows) -> rows.toString();
      case Form.MeshAxes(Mesh mesh, ImmutableList<AxisRef> axes) ->
          mesh + " {" + mesh.text(axes, ",") + "}";
    };
  }
}
