package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.interpreter.DeviceGrid;

/** Which device has which shard of one array. */
interface ShardPlaces {
  /**
   * Returns which shard of each dimension a device has, and how many shards there are.
   *
   * @param device the number of the device
   * @param dimension a dimension of the array
   */
  Place place(int device, int dimension);

  /** Returns the dimensions of the array that it knows of. */
  int rank();

  /** Returns the devices that have the shards of one array with a device, itself among them. */
  List<Integer> group(int device);

  /**
   * A shard along a dimension.
   *
   * @param index its number
   * @param count how many there are
   */
  record Place(long index, long count) {}

  /** Returns the start of the shard of a device in the global array. */
  default Dims start(int device, Shape.Array local, Shape.Array global) {
    require(
        rank() == local.rank() && local.rank() == global.rank(),
        "",
        "custom-call: %s as shard of %s got a sharding of %s dimensions, want %s",
        local,
        global,
        rank(),
        global.rank());
    long[] start = new long[rank()];
    for (int d = 0; d < start.length; d++) {
      Place place = place(device, d);
      require(
          local.size(d) * place.count() == global.size(d),
          "",
          "custom-call: dimension %s of %s got size %s, want %s shards of %s",
          d,
          global,
          global.size(d),
          place.count(),
          local.size(d));
      start[d] = place.index() * local.size(d);
    }
    return Dims.of(start);
  }

  /** The sharding of one array over axes of a mesh: the axes of each dimension. */
  record OfMesh(Mesh mesh, List<List<AxisRef>> axes) implements ShardPlaces {
    @Override
    public int rank() {
      return axes.size();
    }

    @Override
    public List<Integer> group(int device) {
      List<AxisRef> all = axes.stream().flatMap(List::stream).toList();
      return mesh.groups(all).stream()
          .filter(group -> group.contains(device))
          .findFirst()
          .orElseThrow()
          .stream()
          .mapToObj(member -> (int) member)
          .toList();
    }

    @Override
    public Place place(int device, int dimension) {
      long position = mesh.devices().devices().indexOf(device);
      long index = 0;
      long count = 1;
      for (AxisRef axis : axes.get(dimension)) {
        index = index * mesh.size(axis) + mesh.coordinate(position, axis);
        count *= mesh.size(axis);
      }
      return new Place(index, count);
    }
  }

  /**
   * The sharding of one array over the tiles of a grid of partitions, each replica by itself.
   *
   * @param rank the rank of the array; the dimensions of the grid behind it do not cut it
   * @param tiles the sizes of the grid
   * @param ids the partition of each tile, row-major
   * @param grid the devices
   */
  record OfTiles(int rank, Dims tiles, Dims ids, DeviceGrid grid) implements ShardPlaces {
    /**
     * Returns the places of a sharding in HLO.
     *
     * @param sharding the sharding of one array
     * @param rank the rank of the array
     * @param grid the devices
     */
    static ShardPlaces of(Sharding sharding, int rank, DeviceGrid grid) {
      return switch (sharding instanceof Sharding.Single single ? single.placement() : null) {
        case Sharding.Tiled tiled when tiled.tiles().count() == grid.partitions() ->
            new OfTiles(
                tiled.tiles().tiles().count() - tiled.lastTileDims().size(),
                tiled.tiles().tiles(),
                tiled.tiles().devices(),
                grid);
        case Sharding.Uniform whole when whole != Sharding.Uniform.UNREDUCED ->
            new OfTiles(
                rank,
                Dims.filled(rank, 1).concat(Dims.of(grid.partitions())),
                Dims.range(0, grid.partitions()),
                grid);
        case null, default ->
            throw new HloException(
                Kind.UNSUPPORTED,
                "custom-call: sharding got "
                    + sharding
                    + ", want tiles on "
                    + grid.partitions()
                    + " partitions, or replicated");
      };
    }

    @Override
    public Place place(int device, int dimension) {
      int at = ids.indexOf(device % grid.partitions());
      return new Place(
          at / tiles.rowMajorStrides().get(dimension) % tiles.get(dimension), tiles.get(dimension));
    }

    /** The devices of the same replica whose tiles differ in the dimensions of the array only. */
    @Override
    public List<Integer> group(int device) {
      int replica = device / grid.partitions() * grid.partitions();
      long behind = tiles.subList(rank, tiles.count()).product();
      long same = ids.indexOf(device % grid.partitions()) % behind;
      return IntStream.range(0, ids.count())
          .filter(at -> at % behind == same)
          .mapToObj(at -> replica + ids.getInt(at))
          .toList();
    }
  }
}
