package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * How an argument or result of a program lies on its devices: which slice of the whole array each
 * device holds. JAX calls it a sharding of an array and {@code devices_indices_map}.
 *
 * <p>An array of {@code f32[8,6]} that is tiled by {@code {devices=[4,2]<=[8]}}, or along the axes
 * of a mesh by {@code {mesh['x'=4,'y'=2], [{'x'}, {'y'}]}}, lies on 8 devices in slices of {@code
 * f32[2,3]}; device 3 holds rows 2 to 3 of columns 3 to 5. All slices have one shape: where a size
 * is not a multiple of the number of parts, the last ones are filled with zeros, as XLA does.
 *
 * <pre>{@code
 * ArraySharding x = module.devices().parameters().get(0);
 * List<Literal> slices = x.split(whole); // one for each device
 * Literal sameWhole = x.join(slices);
 * }</pre>
 *
 * @param shape the shape of the whole array without layout; or of a token, which is not cut
 * @param placement which partition holds what: replicated, tiles, or the axes of a mesh
 * @param replicas how often the devices of the placement are there; each replica holds all slices
 * @param partitions the number of devices of the placement
 */
public record ArraySharding(
    Shape shape, Sharding.Placement placement, int replicas, int partitions) {
  /**
   * Checks that a placement suits an array.
   *
   * @throws org.hlo4j.hlo.HloException if it cuts more or fewer dimensions than the array has
   */
  public ArraySharding {
    requireNonNull(shape, "shape");
    requireNonNull(placement, "placement");
    int got =
        switch (placement) {
          case Sharding.Tiled tiled -> tiled.rank();
          case Sharding.Named named when !named.dimensions().isEmpty() -> named.dimensions().size();
          case Sharding.Named _, Sharding.Maximal _, Sharding.Uniform _ -> rank(shape);
        };
    require(
        got == rank(shape),
        "",
        "sharding {%s} got %s dimensions, want the rank of %s",
        placement,
        got,
        shape);
  }

  private static int rank(Shape shape) {
    return shape instanceof Shape.Array array ? array.rank() : 0;
  }

  /**
   * Returns whether each device holds the whole array.
   *
   * @return whether no dimension is cut
   * @throws org.hlo4j.hlo.HloException as {@link #start}
   */
  public boolean isReplicated() {
    return parts(0).product() == 1;
  }

  /** Returns into how many parts each dimension is cut, for a device that has one of them. */
  private Dims parts(int device) {
    return dims(d -> part(device, d).count());
  }

  private Sharding.Part part(int device, int dimension) {
    return placement.part(device % partitions, dimension);
  }

  private Dims dims(IntToLongFunction size) {
    return Dims.of(IntStream.range(0, rank(shape)).mapToLong(size).toArray());
  }

  /**
   * Returns the shape of the slice that each device holds.
   *
   * @return the sizes of the whole array, each divided by the number of parts and rounded up
   * @throws org.hlo4j.hlo.HloException as {@link #start}
   */
  public Shape sliceShape() {
    if (!(shape instanceof Shape.Array array)) {
      return shape;
    }
    Dims parts = parts(0);
    return array.withSizes(dims(d -> Math.ceilDiv(array.size(d), parts.get(d))));
  }

  /**
   * Returns where the slice of a device begins.
   *
   * @param device the number of the device: {@code replica * partitions + partition}
   * @return the index of its first element in the whole array; beyond the array if it holds none
   * @throws org.hlo4j.hlo.HloException if there is no such device, it holds nothing of the array,
   *     or the placement does not say what it holds: manual, unreduced, or on one device only
   */
  public Dims start(int device) {
    require(
        device >= 0 && device < replicas * partitions,
        "",
        "sharding {%s} got device %s, want one of %s",
        placement,
        device,
        replicas * partitions);
    Shape slice = sliceShape();
    return dims(d -> part(device, d).index() * ((Shape.Array) slice).size(d));
  }

  /**
   * Returns the slice of an array that a device holds.
   *
   * @param whole the whole array
   * @param device the number of the device
   * @return {@code slice[i] = whole[start(device) + i]}; the array itself if it is not cut
   * @throws org.hlo4j.hlo.HloException if the array has another shape, or as {@link #start}
   */
  public Literal slice(Literal whole, int device) {
    requireShape(requireNonNull(whole, "whole"), shape, "array");
    Dims start = start(device);
    if (!(sliceShape() instanceof Shape.Array part) || part.equals(shape)) {
      return whole;
    }
    Object storage = LiteralBuilder.newStorage(part);
    new Box((Shape.Array) shape, part, start).copyOut(whole.unsafeStorage(), storage);
    return Literal.unsafeOf(part, storage);
  }

  /**
   * Returns the slices of an array that the devices hold.
   *
   * @param whole the whole array
   * @return the slice of each device, in the order of their numbers
   * @throws org.hlo4j.hlo.HloException if the array has another shape, or as {@link #start}
   */
  public ImmutableList<Literal> split(Literal whole) {
    requireNonNull(whole, "whole");
    return IntStream.range(0, replicas * partitions)
        .mapToObj(device -> slice(whole, device))
        .collect(toImmutableList());
  }

  /**
   * Returns the whole array. Where several devices hold the same slice, the first one's is taken,
   * as JAX does for an array that it reads.
   *
   * @param slices the slice of each device, in the order of their numbers
   * @return {@code whole[start(device) + i] = slice[i]}; the slice of device 0 if it is the whole
   * @throws org.hlo4j.hlo.HloException if there are more or fewer slices, or one has another shape,
   *     or as {@link #start}
   */
  public Literal join(List<Literal> slices) {
    requireNoNulls(slices, "slices");
    require(
        slices.size() == replicas * partitions,
        "",
        "sharding {%s} got %s slices, want one for each of %s devices",
        placement,
        slices.size(),
        replicas * partitions);
    Shape want = sliceShape();
    slices.forEach(slice -> requireShape(slice, want, "slice"));
    if (!(want instanceof Shape.Array part) || part.equals(shape)) {
      return slices.get(0);
    }
    Shape.Array whole = (Shape.Array) shape;
    Object storage = LiteralBuilder.newStorage(whole);
    Set<Dims> held = new HashSet<>();
    for (int device = 0; device < slices.size(); device++) {
      Dims start = start(device);
      if (held.add(start)) {
        new Box(whole, part, start).copyIn(slices.get(device).unsafeStorage(), storage);
      }
    }
    return Literal.unsafeOf(whole, storage);
  }

  private void requireShape(Literal got, Shape want, String what) {
    require(
        got.shape().equals(want),
        "",
        "sharding {%s}: %s got %s, want %s",
        placement,
        what,
        got.shape(),
        want);
  }

  /** Returns text such as {@code f32[8,6] {devices=[4,2]<=[8]}}. */
  @Override
  public String toString() {
    return shape + " {" + placement + "}";
  }
}
