package org.hlo4j.interpreter;

import static org.hlo4j.hlo.HloException.require;

/**
 * The virtual devices of a run: so many replicas, each of so many partitions. Device number {@code
 * replica * partitions + partition}.
 *
 * @param replicas how many replicas, 1 at least
 * @param partitions how many partitions each has, 1 at least
 */
public record DeviceGrid(int replicas, int partitions) {
  /** One device. */
  public static final DeviceGrid SINGLE = new DeviceGrid(1, 1);

  private static final int MAX_DEVICES = 4096;

  /**
   * Checks the numbers.
   *
   * @throws org.hlo4j.hlo.HloException if one is below 1, or there are more than 4096 devices
   */
  public DeviceGrid {
    require(
        replicas > 0 && partitions > 0 && (long) replicas * partitions <= MAX_DEVICES,
        "",
        "devices: got %s replicas of %s partitions, want 1 to %s devices",
        replicas,
        partitions,
        MAX_DEVICES);
  }

  /**
   * How many devices there are.
   *
   * @return replicas times partitions
   */
  public int deviceCount() {
    return replicas * partitions;
  }
}
