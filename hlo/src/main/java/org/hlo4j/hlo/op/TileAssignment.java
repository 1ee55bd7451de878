package org.hlo4j.hlo.op;

import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.base.Ascii;
import java.util.Arrays;
import org.hlo4j.hlo.Dims;

/**
 * A grid of tiles, each with the id of its device: a list of ids, {@code [2,2]0,2,1,3}, or the
 * numbers from 0, reshaped, transposed and laid out row-major, {@code [2,2]<=[2,2]T(1,0)}. XLA
 * calls them V1 and V2.
 *
 * <p>Tiled shardings, meshes and replica groups use it.
 */
public sealed interface TileAssignment {
  /** How many ids a list is made of at most. */
  int MAX_IDS = 1 << 20;

  /** How much of a list a message quotes. */
  int MAX_SHOWN = 60;

  /**
   * Returns the sizes of the grid.
   *
   * @return one size for each dimension, each at least 1
   */
  Dims tiles();

  /**
   * Returns the device of each tile, row-major.
   *
   * @return the ids
   * @throws org.hlo4j.hlo.HloException if there are more than {@link #MAX_IDS}
   */
  Dims devices();

  /**
   * Returns the ids as text, without the sizes of the grid: {@code 0,2,1,3} or {@code [2,2]T(1,0)}.
   *
   * @return the text
   */
  String devicesText();

  /**
   * Returns how many tiles there are.
   *
   * @return the product of the sizes, or the largest long if it is beyond
   */
  default long count() {
    return product(tiles());
  }

  /**
   * Returns the devices 0, 1, 2, … in order.
   *
   * @param tiles the sizes of the grid
   * @return the assignment
   * @throws org.hlo4j.hlo.HloException if a size is below 1
   */
  static TileAssignment inOrder(Dims tiles) {
    requireNonNull(tiles, "tiles");
    requireSizes(tiles);
    return new Iota(tiles, Dims.of(product(tiles)), Dims.of(0));
  }

  /**
   * An assignment as a list of ids.
   *
   * @param tiles the sizes of the grid
   * @param devices the id of each tile, row-major
   */
  record Listed(Dims tiles, Dims devices) implements TileAssignment {
    /**
     * Checks that there is one id for each tile.
     *
     * @throws org.hlo4j.hlo.HloException if a size is below 1, or there are more or fewer ids
     */
    public Listed {
      requireNonNull(devices, "devices");
      requireNonNull(tiles, "tiles");
      requireSizes(tiles);
      require(
          devices.count() == product(tiles),
          "",
          "%s%s got %s devices, want %s as its tiles",
          shown(tiles),
          beginning(devices),
          devices.count(),
          product(tiles));
    }

    @Override
    public String devicesText() {
      return joined(devices);
    }

    /** Returns the HLO text. */
    @Override
    public String toString() {
      return bracketed(tiles) + devicesText();
    }
  }

  /**
   * The numbers from 0, reshaped, transposed and laid out row-major. They are kept in XLA's
   * canonical form: without dimensions of size 1, and with those merged that stay neighbors.
   *
   * @param tiles the sizes of the grid
   * @param reshapeDims the sizes that the numbers are reshaped to
   * @param transposePerm the permutation of those dimensions
   */
  record Iota(Dims tiles, Dims reshapeDims, Dims transposePerm) implements TileAssignment {
    /**
     * Checks counts and permutation, and brings them to the canonical form.
     *
     * @throws org.hlo4j.hlo.HloException if a size is below 1, counts differ, or the permutation is
     *     none
     */
    public Iota {
      requireNonNull(reshapeDims, "reshapeDims");
      requireNonNull(tiles, "tiles");
      requireNonNull(transposePerm, "transposePerm");
      requireSizes(tiles);
      requireSizes(reshapeDims);
      require(
          transposePerm.count() == reshapeDims.count() && transposePerm.isPermutation(),
          "",
          "T got %s, want a permutation of the dimensions of %s",
          shown(transposePerm),
          shown(reshapeDims));
      require(
          product(tiles) == product(reshapeDims),
          "",
          "%s<=%s got %s devices, want %s as its tiles",
          shown(tiles),
          shown(reshapeDims),
          product(reshapeDims),
          product(tiles));
      int[] runs = runs(reshapeDims, transposePerm);
      transposePerm = order(runs, transposePerm);
      reshapeDims = products(runs, reshapeDims, transposePerm.count());
    }

    /**
     * Returns for each dimension the run of neighbors that it belongs to; -1 for those of size 1.
     */
    private static int[] runs(Dims sizes, Dims permutation) {
      int[] places = places(sizes, permutation);
      int[] runs = new int[places.length];
      int run = -1;
      int next = -1; // where a dimension must go to belong to the run
      for (int i = 0; i < runs.length; i++) {
        if (places[i] >= 0) {
          run += places[i] == next ? 0 : 1;
          next = places[i] + 1;
        }
        runs[i] = places[i] >= 0 ? run : -1;
      }
      return runs;
    }

    /**
     * Returns the position of each dimension among those that are not of size 1; -1 for the others.
     */
    private static int[] places(Dims sizes, Dims permutation) {
      int[] places = new int[sizes.count()];
      int next = 0;
      for (int i = 0; i < permutation.count(); i++) {
        int dimension = permutation.getInt(i);
        places[dimension] = sizes.get(dimension) == 1 ? -1 : next++;
      }
      return places;
    }

    private static Dims order(int[] runs, Dims permutation) {
      long[] order =
          permutation.stream()
              .map(dimension -> runs[(int) dimension])
              .filter(run -> run >= 0)
              .distinct()
              .toArray();
      return order.length == 0 ? Dims.of(0) : Dims.of(order);
    }

    private static Dims products(int[] runs, Dims sizes, int count) {
      long[] products = new long[count];
      Arrays.fill(products, 1);
      for (int i = 0; i < runs.length; i++) {
        products[Math.max(runs[i], 0)] *= sizes.get(i);
      }
      return Dims.of(products);
    }

    /**
     * Returns whether the devices are 0, 1, 2, … in order.
     *
     * @return whether it is so
     */
    public boolean isInOrder() {
      return reshapeDims.count() == 1;
    }

    @Override
    public Dims devices() {
      require(count() <= MAX_IDS, "", "%s got %s devices, want at most %s", this, count(), MAX_IDS);
      Dims sizes = reshapeDims.at(transposePerm);
      Dims strides = reshapeDims.rowMajorStrides().at(transposePerm);
      long[] ids = new long[(int) count()];
      for (int i = 0; i < ids.length; i++) {
        int rest = i;
        for (int d = sizes.count() - 1; d >= 0; d--) {
          ids[i] += rest % sizes.getInt(d) * strides.get(d);
          rest /= sizes.getInt(d);
        }
      }
      return Dims.of(ids);
    }

    @Override
    public String devicesText() {
      String sizes = bracketed(reshapeDims);
      return isInOrder() ? sizes : sizes + "T(" + joined(transposePerm) + ")";
    }

    /** Returns the HLO text. */
    @Override
    public String toString() {
      return bracketed(tiles) + "<=" + devicesText();
    }
  }

  private static void requireSizes(Dims sizes) {
    require(
        sizes.stream().allMatch(size -> size > 0) && product(sizes) < Long.MAX_VALUE,
        "",
        "sizes got %s, want each at least 1 and fewer than 2^63 devices",
        shown(sizes));
  }

  private static long product(Dims sizes) {
    long product = 1;
    for (long size : sizes.toArray()) {
      product = product > Long.MAX_VALUE / size ? Long.MAX_VALUE : product * size;
    }
    return product;
  }

  private static String shown(Dims dims) {
    return "[" + beginning(dims) + "]";
  }

  private static String beginning(Dims dims) {
    return Ascii.truncate(joined(dims), MAX_SHOWN, "…");
  }

  private static String bracketed(Dims dims) {
    return "[" + joined(dims) + "]";
  }

  private static String joined(Dims dims) {
    return dims.stream().mapToObj(Long::toString).collect(joining(","));
  }
}
