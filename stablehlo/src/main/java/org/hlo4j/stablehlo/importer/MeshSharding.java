package org.hlo4j.stablehlo.importer;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.TileAssignment;

/**
 * A sharding by the axes of a mesh, and its form as tiles. The grid of devices has a dimension for
 * each axis, or for each part of one that is used on its own. It is transposed so that the axes of
 * the array's dimensions come first, in order; then the axes of which the array is a sum, then all
 * others, on which it is replicated.
 *
 * @param mesh the mesh
 * @param dimensions the axes that each dimension of the array is split along
 * @param unreduced the axes along which the array is the sum of what the devices have
 */
record MeshSharding(
    Mesh mesh, ImmutableList<ImmutableList<AxisRef>> dimensions, ImmutableList<AxisRef> unreduced) {
  MeshSharding {
    mesh.check(ImmutableList.copyOf(Iterables.concat(Iterables.concat(dimensions), unreduced)));
  }

  Sharding.Single tiled() {
    if (mesh.isMaximal()) {
      return Sharding.of(new Sharding.Maximal(mesh.devices().devices().get(0)));
    }
    long devices = mesh.devices().count();
    List<Long> tiles = new ArrayList<>();
    dimensions.forEach(axes -> tiles.add(size(axes)));
    long split = tiles.stream().reduce(1L, (a, b) -> a * b);
    long summed = size(unreduced);
    if (split == 1 && (summed == 1 || summed == devices)) {
      return Sharding.of(summed == 1 ? Sharding.Uniform.REPLICATED : Sharding.Uniform.UNREDUCED);
    }
    ImmutableList.Builder<Sharding.Uniform> last = ImmutableList.builder();
    if (summed > 1) {
      tiles.add(summed);
      last.add(Sharding.Uniform.UNREDUCED);
    }
    if (split * summed < devices) {
      tiles.add(devices / split / summed);
      last.add(Sharding.Uniform.REPLICATED);
    }
    return Sharding.of(new Sharding.Tiled(assignment(Dims.copyOf(tiles)), last.build()));
  }

  private long size(List<AxisRef> axes) {
    return axes.stream().mapToLong(mesh::size).reduce(1, (a, b) -> a * b);
  }

  private TileAssignment assignment(Dims tiles) {
    ImmutableList<SubAxis> grid = grid();
    List<SubAxis> order = new ArrayList<>();
    for (AxisRef axis : Iterables.concat(Iterables.concat(dimensions), unreduced)) {
      grid.stream().filter(subAxis -> subAxis.isWithin(axis, mesh)).forEach(order::add);
    }
    grid.stream().filter(subAxis -> !order.contains(subAxis)).forEach(order::add);
    TileAssignment inOrder =
        new TileAssignment.Iota(
            tiles,
            Dims.copyOf(grid.stream().map(SubAxis::size).toList()),
            Dims.copyOf(order.stream().map(subAxis -> (long) grid.indexOf(subAxis)).toList()));
    return mesh.devices() instanceof TileAssignment.Listed listed
        ? new TileAssignment.Listed(tiles, listed.devices().at(inOrder.devices()))
        : inOrder;
  }

  /** Returns the dimensions of the grid in the order of the mesh. */
  private ImmutableList<SubAxis> grid() {
    ImmutableList.Builder<SubAxis> grid = ImmutableList.builder();
    for (int axis = 0; axis < mesh.names().size(); axis++) {
      TreeSet<Long> cuts = cuts(axis);
      for (long from : cuts) {
        Long to = cuts.higher(from);
        if (to != null) {
          grid.add(new SubAxis(axis, from, to / from));
        }
      }
    }
    return grid.build();
  }

  /** Returns the products of sizes at which an axis is split, from 1 to its size. */
  private TreeSet<Long> cuts(int axis) {
    TreeSet<Long> cuts = new TreeSet<>(List.of(1L, mesh.size(AxisRef.of(axis))));
    for (AxisRef used : Iterables.concat(Iterables.concat(dimensions), unreduced)) {
      if (used.axis() == axis) {
        used.part()
            .ifPresent(part -> {
              cuts.add(part.preSize());
              cuts.add(part.preSize() * part.size());
            });
      }
    }
    return cuts;
  }

  /** A sub-axis, which is a dimension of the grid. */
  private record SubAxis(int axis, long from, long size) {
    boolean isWithin(AxisRef used, Mesh mesh) {
      long start = used.part().map(AxisRef.Part::preSize).orElse(1L);
      return axis == used.axis() && from >= start && from * size <= start * mesh.size(used);
    }
  }
}
