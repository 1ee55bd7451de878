package org.hlo4j.hlo.ir;

import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.TileAssignment;

/**
 * A sharding, XLA's OpSharding: which device holds which part of a value. hlo4j computes whole
 * values; it only reads, checks and writes shardings.
 *
 * <p>A sharding is one for an array, {@link Single}, or one for each array of a tuple, {@link
 * Tuple}. {@code toString} returns HLO text, as XLA prints it; {@link
 * org.hlo4j.hlo.text.Parser#parseSharding} reads it.
 */
public sealed interface Sharding {
  /**
   * One sharding for each array of a tuple, nested tuples flattened.
   *
   * @param parts the shardings, in order
   */
  record Tuple(ImmutableList<Single> parts) implements Sharding {
    @Override
    public Sharding withoutMetadata() {
      return new Tuple(
          parts.stream().map(Single::withoutMetadata).collect(ImmutableList.toImmutableList()));
    }

    /** Returns the HLO text, every fifth part numbered. */
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder("{");
      for (int i = 0; i < parts.size(); i++) {
        text.append(i == 0 ? "" : ", ");
        text.append(i > 0 && i % 5 == 0 ? "/*index=" + i + "*/" : "").append(parts.get(i));
      }
      return text.append('}').toString();
    }
  }

  /**
   * The sharding of one array, or of every array of a tuple.
   *
   * @param placement which device holds what
   * @param group the group of shardings that it has to agree with; always empty for a {@link Named}
   *     placement
   * @param metadata the source it comes from
   */
  record Single(Placement placement, Optional<ShardGroup> group, ImmutableList<Metadata> metadata)
      implements Sharding {
    /**
     * Checks that HLO has a form for it.
     *
     * @throws HloException if a named placement has a shard group
     */
    public Single {
      require(
          group.isEmpty() || !(placement instanceof Named),
          "",
          "sharding by a mesh got%s, want no shard group",
          group.map(ShardGroup::toString).orElse(""));
    }

    @Override
    public Single withoutMetadata() {
      return new Single(placement, group, ImmutableList.of());
    }

    /** Returns the HLO text. */
    @Override
    public String toString() {
      return "{" + placement + group.map(ShardGroup::toString).orElse("") + metadataText() + "}";
    }

    private String metadataText() {
      if (metadata.isEmpty()) {
        return "";
      }
      String texts = metadata.stream().map(Metadata::toString).collect(joining(", "));
      boolean named = placement instanceof Named;
      boolean list = named || metadata.size() > 1;
      return (named ? "," : "") + " metadata=" + (list ? "{" + texts + "}" : texts);
    }
  }

  /**
   * A group of shardings that have to be equal, or similar.
   *
   * @param id the number of the group
   * @param kind how the shardings agree
   */
  record ShardGroup(long id, Kind kind) {
    /** How the shardings of a group agree. */
    public enum Kind {
      /** They are the same. */
      AS,
      /** They are alike as far as shapes allow. */
      LIKE
    }

    /** Returns the HLO text that follows a placement. */
    @Override
    public String toString() {
      return (kind == Kind.AS ? " shard_as " : " shard_like ") + id;
    }
  }

  /**
   * A part of a dimension that is cut into equal parts.
   *
   * @param index the number of the part, from 0
   * @param count the number of parts
   */
  record Part(long index, long count) {
    /** The only part of a dimension that is not cut. */
    public static final Part WHOLE = new Part(0, 1);
  }

  /** The assignment of the parts of an array to devices. */
  sealed interface Placement {
    /**
     * Returns which part of a dimension a device has.
     *
     * @param device the id of the device
     * @param dimension a dimension of the array
     * @return the part
     * @throws HloException if the device has none, or the placement does not say
     */
    Part part(long device, int dimension);
  }

  /** A placement that is the same on all devices. */
  enum Uniform implements Placement {
    /** Every device has the whole. */
    REPLICATED,
    /** The shapes are those of the parts already. */
    MANUAL,
    /** Not known yet: it may be replaced by any other sharding. */
    UNKNOWN,
    /** The whole is the sum of what the devices have. */
    UNREDUCED;

    @Override
    public Part part(long device, int dimension) {
      require(
          this != MANUAL && this != UNREDUCED,
          HloException.Kind.UNSUPPORTED,
          "sharding got %s, want one that says which slice of an array a device has",
          this);
      return Part.WHOLE;
    }

    /** Returns the HLO text. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A placement of the whole array on one device.
   *
   * @param device its id
   */
  record Maximal(long device) implements Placement {
    @Override
    public Part part(long asked, int dimension) {
      require(
          asked == device,
          HloException.Kind.UNSUPPORTED,
          "sharding {%s} got device %s, which has no part of the array",
          this,
          asked);
      return Part.WHOLE;
    }

    /** Returns the HLO text. */
    @Override
    public String toString() {
      return "maximal device=" + device;
    }
  }

  /**
   * A placement of one tile on each device.
   *
   * @param tiles the number of tiles along each dimension, and the device of each tile
   * @param lastTileDims the meaning of the trailing tile dimensions that are not dimensions of the
   *     array: replicated, manual or unreduced; empty if there are none
   */
  record Tiled(TileAssignment tiles, ImmutableList<Uniform> lastTileDims) implements Placement {
    /**
     * Checks that the tiles have the last dimensions.
     *
     * @throws HloException if there are more than the tiles have, or one is unknown
     */
    public Tiled {
      requireNonNull(lastTileDims, "lastTileDims");
      requireNonNull(tiles, "tiles");
      require(
          lastTileDims.size() <= tiles.tiles().count(),
          "",
          "last_tile_dims got %s dimensions, want at most the %s of the tiles",
          lastTileDims.size(),
          tiles.tiles().count());
      require(
          !lastTileDims.contains(Uniform.UNKNOWN),
          "",
          "last_tile_dims got unknown, want replicated, manual or unreduced");
    }

    /** Returns the number of dimensions of the array that are split. */
    int rank() {
      return tiles.tiles().count() - lastTileDims.size();
    }

    @Override
    public Part part(long device, int dimension) {
      int at = tiles.devices().indexOf(device);
      requireHeld(at, device, this);
      Dims grid = tiles.tiles();
      return new Part(
          at / grid.rowMajorStrides().get(dimension) % grid.get(dimension), grid.get(dimension));
    }

    /** Returns the HLO text. */
    @Override
    public String toString() {
      return "devices=" + tiles + lastText();
    }

    private String lastText() {
      if (lastTileDims.isEmpty()) {
        return "";
      }
      return lastTileDims.equals(ImmutableList.of(Uniform.REPLICATED))
          ? " last_tile_dim_replicate"
          : lastTileDims.stream()
              .map(Uniform::toString)
              .collect(joining(", ", " last_tile_dims={", "}"));
    }
  }

  /**
   * A placement that splits dimensions along the axes of a mesh. The value is replicated along an
   * axis that is not used.
   *
   * @param mesh the mesh
   * @param dimensions the axes along which each dimension is split; empty if none is
   * @param replicated the axes along which it has to stay replicated
   * @param unreduced the axes along which the value is the sum of the devices' values
   * @param manual the axes along which shapes are already those of the parts
   */
  record Named(
      Mesh mesh,
      ImmutableList<Dimension> dimensions,
      ImmutableList<AxisRef> replicated,
      ImmutableList<AxisRef> unreduced,
      ImmutableList<AxisRef> manual)
      implements Placement {
    /**
     * The axes along which one dimension is split.
     *
     * @param axes the axes, the slowest first
     * @param isClosed whether no other axis may be added
     */
    public record Dimension(ImmutableList<AxisRef> axes, boolean isClosed) {}

    /**
     * Checks the axes.
     *
     * @throws HloException if an axis is not of the mesh or used twice, if two parts could be
     *     merged to one, or if the axes of no dimension are not in order
     */
    public Named {
      requireNonNull(dimensions, "dimensions");
      requireNonNull(manual, "manual");
      requireNonNull(replicated, "replicated");
      requireNonNull(unreduced, "unreduced");
      requireNonNull(mesh, "mesh");
      List<ImmutableList<AxisRef>> lists = new ArrayList<>();
      dimensions.forEach(dimension -> lists.add(dimension.axes()));
      List<ImmutableList<AxisRef>> others = ImmutableList.of(replicated, unreduced, manual);
      lists.addAll(others);
      mesh.check(lists.stream().flatMap(List::stream).toList());
      lists.forEach(mesh::checkMerged);
      others.forEach(mesh::checkSorted);
    }

    /** Returns the HLO text. */
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(mesh.toString());
      Optional<Uniform> uniform = uniform();
      if (uniform.isPresent()) {
        return mesh.isMaximal() ? text.toString() : text + ", " + uniform.get();
      }
      text.append(dimensions.stream().map(this::text).collect(joining(", ", ", [", "]")));
      append(text, "replicated", replicated);
      append(text, "unreduced", unreduced);
      append(text, "manual", manual);
      return text.toString();
    }

    @Override
    public Part part(long device, int dimension) {
      int at = mesh.devices().devices().indexOf(device);
      requireHeld(at, device, this);
      long index = 0;
      long count = 1;
      List<AxisRef> axes =
          dimensions.isEmpty() ? ImmutableList.of() : dimensions.get(dimension).axes();
      for (AxisRef axis : axes) {
        index = index * mesh.size(axis) + mesh.coordinate(at, axis);
        count *= mesh.size(axis);
      }
      return new Part(index, count);
    }

    /** Returns the uniform placement, if no dimension is split and all axes are alike. */
    private Optional<Uniform> uniform() {
      boolean noOther = dimensions.isEmpty() && replicated.isEmpty();
      if (noOther && unreduced.isEmpty() && manual.isEmpty()) {
        return Optional.of(Uniform.REPLICATED);
      }
      if (noOther && manual.isEmpty() && unreduced.equals(mesh.axes())) {
        return Optional.of(Uniform.UNREDUCED);
      }
      return noOther && unreduced.isEmpty() && manual.equals(mesh.axes())
          ? Optional.of(Uniform.MANUAL)
          : Optional.empty();
    }

    private String text(Dimension dimension) {
      String axes = mesh.text(dimension.axes(), ", ");
      String open = dimension.isClosed() ? "" : dimension.axes().isEmpty() ? "?" : ", ?";
      return "{" + axes + open + "}";
    }

    private void append(StringBuilder text, String kind, List<AxisRef> axes) {
      if (!axes.isEmpty()) {
        text.append(", ").append(kind).append("={").append(mesh.text(axes, ", ")).append('}');
      }
    }
  }

  private static void requireHeld(int at, long device, Placement placement) {
    require(at >= 0, "", "sharding {%s} got device %s, want one of its devices", placement, device);
  }

  /**
   * Returns a sharding without group and metadata.
   *
   * @param placement which device holds what
   * @return the sharding
   */
  static Single of(Placement placement) {
    return new Single(placement, Optional.empty(), ImmutableList.of());
  }

  /**
   * Tiles that are all of the array's dimensions.
   *
   * @param tiles into how many tiles each dimension is cut
   * @return the sharding, the devices in order
   * @throws HloException if a size is below 1
   */
  static Single tiled(long... tiles) {
    requireNonNull(tiles, "tiles");
    return of(new Tiled(TileAssignment.inOrder(Dims.of(tiles)), ImmutableList.of()));
  }

  /**
   * Returns the same sharding without metadata.
   *
   * @return the sharding
   */
  Sharding withoutMetadata();

  /**
   * Returns the sharding as it is written for a shape: a single one of a tuple is that of each of
   * its arrays, and of the one part that an empty tuple may have.
   *
   * @param shape what it divides
   * @return the sharding
   */
  default Sharding forShape(Shape shape) {
    if (!(this instanceof Single single && shape instanceof Shape.Tuple)) {
      return this;
    }
    int leaves = Math.max(1, leaves(shape).size());
    return new Tuple(ImmutableList.copyOf(Collections.nCopies(leaves, single)));
  }

  /**
   * Returns the shardings of arrays.
   *
   * @return itself if it is a single one, or each part of a tuple
   */
  default ImmutableList<Single> singles() {
    return switch (this) {
      case Single single -> ImmutableList.of(single);
      case Tuple tuple -> tuple.parts();
    };
  }

  /**
   * Returns which device holds what.
   *
   * @return the placement of a single sharding, or that of each part of a tuple
   */
  default ImmutableList<Placement> placements() {
    return singles().stream().map(Single::placement).collect(ImmutableList.toImmutableList());
  }

  /**
   * Returns the leaves of a shape: its arrays, tokens and all others that are not tuples, including
   * those of nested tuples.
   *
   * @param shape any shape
   * @return the shapes that are not tuples, in order
   */
  static ImmutableList<Shape> leaves(Shape shape) {
    requireNonNull(shape, "shape");
    ImmutableList.Builder<Shape> leaves = ImmutableList.builder();
    addLeaves(shape, leaves);
    return leaves.build();
  }

  private static void addLeaves(Shape shape, ImmutableList.Builder<Shape> leaves) {
    if (shape instanceof Shape.Tuple tuple) {
      tuple.elements().forEach(element -> addLeaves(element, leaves));
    } else {
      leaves.add(shape);
    }
  }
}
