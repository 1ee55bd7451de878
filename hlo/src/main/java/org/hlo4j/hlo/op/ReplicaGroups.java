package org.hlo4j.hlo.op;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;

/**
 * Which devices take part together in a collective: lists of ids, or the iota form {@code
 * [2,4]<=[8]} that stands for them.
 *
 * <p>What the ids number (replicas, partitions or devices) depends on the op and its attributes. No
 * groups at all stand for one group of everybody.
 *
 * @param groups the ids of each group, in order
 * @param iota how the text writes them, if not as lists
 */
public record ReplicaGroups(ImmutableList<Dims> groups, Optional<Iota> iota) {
  private static final long MOST_IDS = 1 << 20;

  /**
   * The numbers from 0 on, reshaped, transposed, and cut into rows.
   *
   * @param dims the number of groups and the size of each
   * @param reshapeDims the sizes that the numbers are reshaped to
   * @param transposePerm how those dimensions are permuted
   */
  public record Iota(Dims dims, Dims reshapeDims, Dims transposePerm) {}

  /**
   * One group of everybody.
   *
   * @return the groups
   */
  public static ReplicaGroups all() {
    return new ReplicaGroups(ImmutableList.of(), Optional.empty());
  }

  /**
   * Groups by lists of ids.
   *
   * @param groups the ids of each group
   * @return the groups
   */
  public static ReplicaGroups of(long[]... groups) {
    return new ReplicaGroups(
        Arrays.stream(groups).map(Dims::of).collect(toImmutableList()), Optional.empty());
  }

  /**
   * Groups of consecutive ids: {@code iota(2, 4)} is {0,1,2,3} and {4,5,6,7}.
   *
   * @param count the number of groups
   * @param size the size of each
   * @return the groups
   */
  public static ReplicaGroups iota(long count, long size) {
    Dims dims = Dims.of(count, size);
    long ids = positive(dims) ? boundedProduct(dims) : 0;
    return iota(dims, Dims.of(ids), Dims.of(0));
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
    require(
        dims.count() == 2 && positive(dims) && positive(reshapeDims),
        "",
        "replica_groups: iota form got %s<=%s, want two positive sizes from positive sizes",
        dims,
        reshapeDims);
    require(
        transposePerm.count() == reshapeDims.count() && transposePerm.isPermutation(),
        "",
        "replica_groups: iota form got T%s, want a permutation of the dimensions of %s",
        transposePerm,
        reshapeDims);
    long count = boundedProduct(dims);
    require(
        boundedProduct(reshapeDims) == count,
        "",
        "replica_groups: iota form got %s<=%s, want as many ids on both sides",
        dims,
        reshapeDims);
    return new ReplicaGroups(
        rows(dims, reshapeDims, transposePerm),
        Optional.of(new Iota(dims, reshapeDims, transposePerm)));
  }

  private static boolean positive(Dims sizes) {
    return sizes.stream().allMatch(size -> size > 0);
  }

  private static long boundedProduct(Dims sizes) {
    long product = 1;
    for (long size : sizes.toArray()) {
      require(
          size <= MOST_IDS / product,
          "",
          "replica_groups: iota form got sizes %s, want at most %s ids",
          sizes,
          MOST_IDS);
      product *= size;
    }
    return product;
  }

  private static ImmutableList<Dims> rows(Dims dims, Dims reshapeDims, Dims transposePerm) {
    long[] strides = new long[reshapeDims.count()];
    long stride = 1;
    for (int i = strides.length - 1; i >= 0; i--) {
      strides[i] = stride;
      stride *= reshapeDims.get(i);
    }
    Dims sizes = reshapeDims.at(transposePerm);
    Dims steps = Dims.of(strides).at(transposePerm);
    int size = dims.getInt(1);
    return IntStream.range(0, dims.getInt(0))
        .mapToObj(row ->
            Dims.of(
                IntStream.range(0, size)
                    .mapToLong(i -> idAt((long) row * size + i, sizes, steps))
                    .toArray()))
        .collect(toImmutableList());
  }

  private static long idAt(long position, Dims sizes, Dims steps) {
    long id = 0;
    long rest = position;
    for (int i = sizes.count() - 1; i >= 0; i--) {
      id += rest % sizes.get(i) * steps.get(i);
      rest /= sizes.get(i);
    }
    return id;
  }

  /**
   * Refuses groups that are empty, leave an id out, or name one twice or below 0.
   *
   * @param sameSize whether all groups must have the same size
   */
  void check(boolean sameSize) {
    Dims ids = checkIds();
    for (Dims group : groups) {
      require(
          !sameSize || group.count() == groups.get(0).count(),
          "",
          "replica_groups got %s, want groups of the same size",
          this);
    }
    require(
        ids.stream().allMatch(id -> id < ids.count()),
        "",
        "replica_groups got %s, want each id from 0 to %s once",
        this,
        ids.count() - 1);
  }

  /** Refuses groups that are empty, or name an id twice or one below 0; all ids. */
  Dims checkIds() {
    for (Dims group : groups) {
      require(!group.isEmpty(), "", "replica_groups got %s, want no empty group", this);
    }
    Dims ids = Dims.copyOf(groups.stream().flatMap(group -> group.stream().boxed()).toList());
    require(
        ids.isDistinct() && ids.stream().allMatch(id -> id >= 0),
        "",
        "replica_groups got %s, want each id once and none below 0",
        this);
    return ids;
  }

  /** Refuses a size that is not cut into as many parts as a group has members. */
  void requireShards(String label, long parts) {
    for (Dims group : groups) {
      require(
          parts == group.count(),
          label,
          "replica_groups got %s, want groups of %s, the number of parts",
          this,
          parts);
    }
  }

  /** As HLO text writes it. */
  @Override
  public String toString() {
    return iota.map(
            form -> {
              boolean plain =
                  form.transposePerm().equals(Dims.range(0, form.reshapeDims().count()));
              return bracketed(form.dims())
                  + "<="
                  + bracketed(form.reshapeDims())
                  + (plain ? "" : "T" + form.transposePerm().toString().replace(" ", ""));
            })
        .orElse(
            groups.stream()
                .map(group -> bracketed(group).replace('[', '{').replace(']', '}'))
                .collect(Collectors.joining(",", "{", "}")));
  }

  private static String bracketed(Dims dims) {
    return dims.stream().mapToObj(Long::toString).collect(Collectors.joining(",", "[", "]"));
  }
}
