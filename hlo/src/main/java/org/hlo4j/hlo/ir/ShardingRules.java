package org.hlo4j.hlo.ir;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import java.util.Locale;
import java.util.OptionalLong;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.TileAssignment;

/**
 * The rules of a sharding that depend on the shape that it divides and on the number of devices.
 */
final class ShardingRules {
  private static final int MAX_SHOWN = 100;

  private final Sharding sharding;
  private final OptionalLong devices;

  private ShardingRules(Sharding sharding, OptionalLong devices) {
    this.sharding = sharding;
    this.devices = devices;
  }

  /**
   * Refuses a sharding that does not match a shape. The sharding of a token has no meaning and is
   * not checked.
   *
   * @param shape what it divides
   * @param devices the number of partitions, if the module specifies it
   */
  static void check(Sharding sharding, Shape shape, OptionalLong devices) {
    ShardingRules rules = new ShardingRules(sharding, devices);
    ImmutableList<Shape> leaves = Sharding.leaves(shape);
    switch (sharding) {
      case Sharding.Single single -> leaves.forEach(leaf -> rules.check(single, leaf));
      case Sharding.Tuple tuple when shape instanceof Shape.Token -> {}
      case Sharding.Tuple tuple -> rules.check(tuple, shape, leaves);
    }
  }

  /** Checks that there is one sharding for each leaf; an empty tuple may have one. */
  private void check(Sharding.Tuple tuple, Shape shape, ImmutableList<Shape> leaves) {
    int parts = tuple.parts().size();
    if (shape instanceof Shape.Tuple && leaves.isEmpty() && parts == 1) {
      return;
    }
    if (!(shape instanceof Shape.Tuple) || parts != leaves.size()) {
      throw refusal(
          "%s parts, want one for each of the %s arrays of %s",
          parts, leaves.size(), shape.withoutLayout());
    }
    for (int i = 0; i < parts; i++) {
      check(tuple.parts().get(i), leaves.get(i));
    }
  }

  private void check(Sharding.Single single, Shape shape) {
    switch (single.placement()) {
      case Sharding.Uniform _ -> {}
      case Sharding.Maximal(long device) -> checkDevice(device);
      case Sharding.Tiled tiled -> {
        if (tiled.tiles() instanceof TileAssignment.Listed listed) {
          checkDevices(listed);
        }
        checkCount(tiled.tiles().count());
        if (!isOneSubgroup(tiled)) {
          checkRank(tiled.rank(), "tile dimensions", shape);
        }
      }
      case Sharding.Named named -> checkNamed(named, shape);
    }
  }

  /**
   * Returns whether the trailing dimensions are all of one kind and of all devices: XLA takes such
   * tiles for {@code {manual}} or {@code {replicated}}, whatever the rank of the array is.
   */
  private static boolean isOneSubgroup(Sharding.Tiled tiled) {
    return tiled.lastTileDims().stream().distinct().count() == 1
        && tiled.tiles().tiles().subList(0, tiled.rank()).product() == 1;
  }

  private void checkNamed(Sharding.Named named, Shape shape) {
    if (named.mesh().isMaximal()) {
      checkDevice(named.mesh().devices().devices().get(0));
    } else if (!named.mesh().names().isEmpty()) {
      checkCount(named.mesh().devices().count());
    }
    if (!named.dimensions().isEmpty()) {
      checkRank(named.dimensions().size(), "dimensions", shape);
    }
  }

  private void checkDevices(TileAssignment.Listed tiles) {
    if (!tiles.devices().isDistinct()) {
      long[] ids = tiles.devices().stream().sorted().toArray();
      int twice = 1;
      while (ids[twice] != ids[twice - 1]) {
        twice++;
      }
      throw refusal("device %s twice, want each once", ids[twice]);
    }
    tiles.devices().stream().forEach(this::checkDevice);
  }

  private void checkDevice(long device) {
    if (device < 0 || device >= devices.orElse(Long.MAX_VALUE)) {
      throw devices.isPresent()
          ? refusal("device %s, want one of %s partitions", device, devices.getAsLong())
          : refusal("device %s, want at least 0", device);
    }
  }

  private void checkCount(long count) {
    if (devices.isPresent() && devices.getAsLong() != count) {
      throw refusal("%s devices, want all %s partitions", count, devices.getAsLong());
    }
  }

  private void checkRank(int got, String what, Shape shape) {
    int rank = shape.withoutBuffers() instanceof Shape.Array array ? array.rank() : 0;
    if (got != rank) {
      throw refusal("%s %s, want the rank of %s", got, what, shape.withoutLayout());
    }
  }

  @SuppressWarnings("AnnotateFormatMethod")
  private HloException refusal(String got, Object... arguments) {
    return new HloException(
        "",
        "sharding "
            + Ascii.truncate(sharding.toString(), MAX_SHOWN, "…")
            + " got "
            + String.format(Locale.ROOT, got, arguments));
  }
}
