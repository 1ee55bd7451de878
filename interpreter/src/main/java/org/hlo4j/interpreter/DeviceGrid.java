package org.hlo4j.interpreter;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleDevices;

/**
 * The virtual devices of a run: a number of replicas, each with the same number of partitions. The
 * number of a device is {@code replica * partitions + partition}.
 *
 * @param replicas the number of replicas, at least 1
 * @param partitions the number of partitions of each replica, at least 1
 */
public record DeviceGrid(int replicas, int partitions) {
  /** A single device. */
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
   * Returns the devices that a module is for.
   *
   * @param module the module
   * @return the numbers of {@link HloModule#devices}
   * @throws org.hlo4j.hlo.HloException if there are more than 4096 devices
   */
  public static DeviceGrid of(HloModule module) {
    ModuleDevices devices = module.devices();
    return new DeviceGrid(devices.replicas(), devices.partitions());
  }

  /**
   * Returns the number of devices.
   *
   * @return replicas times partitions
   */
  public int deviceCount() {
    return replicas * partitions;
  }
}
