package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.pjrt.form.DeviceProgram;
import org.hlo4j.pjrt.form.ProgramForm;

/**
 * How a program is compiled. They do not change.
 *
 * @param grid how many replicas and partitions run it
 * @param deviceAssignment for each replica the id of the device of each partition; empty for the
 *     plugin's choice
 * @param partitioner what cuts the program into that of a partition
 * @param flags values of XLA's flags by name, such as {@code xla_cpu_enable_fast_math}: each a
 *     String, Boolean, Long or Double. On XLA's CPUs {@code xla_cpu_enable_fast_min_max} is off
 *     unless it is among them, as in JAX: with it, maximum and minimum lose NaNs. Flags of the
 *     environment ({@code XLA_FLAGS}) are those of programs that do not name them
 */
public record PjrtCompileOptions(
    DeviceGrid grid,
    ImmutableList<ImmutableList<Integer>> deviceAssignment,
    Partitioner partitioner,
    ImmutableMap<String, Object> flags) {
  /** What makes of a program for all partitions that of one of them. */
  public enum Partitioner {
    /**
     * None if nothing in the program is for all partitions together, else Shardy if the program has
     * its annotations, else GSPMD.
     */
    OF_PROGRAM,
    /** GSPMD: annotations {@code sharding={…}}. */
    GSPMD,
    /** Shardy: annotations {@code sdy.sharding}, in HLO {@code xla.sdy.sharding}. */
    SHARDY,
    /** None: the program is that of one partition already, as XLA's optimized programs are. */
    NONE
  }

  private static final String FAST_MIN_MAX = "xla_cpu_enable_fast_min_max";

  /** How long devices wait for each other: read from the environment, whatever a program says. */
  private static final Pattern OF_PROCESS =
      Pattern.compile("xla_cpu_collective_\\w+|xla_gpu_first_collective_call_\\w+");

  /** One device. */
  public static final PjrtCompileOptions DEFAULT =
      new PjrtCompileOptions(
          DeviceGrid.SINGLE, ImmutableList.of(), Partitioner.OF_PROGRAM, ImmutableMap.of());

  /**
   * Checks them.
   *
   * @throws HloException if the assignment has another number of devices than the grid, or a flag a
   *     value of another type; if a flag is one of the whole process
   */
  public PjrtCompileOptions {
    HloException.require(grid != null, "", "grid is null, want the devices");
    for (String flag : flags.keySet()) {
      HloException.require(
          !OF_PROCESS.matcher(flag).matches(),
          HloException.Kind.UNSUPPORTED,
          "pjrt: the flag %s got a value for a program, want it in XLA_FLAGS, where XLA looks for"
              + " it",
          flag);
    }
    byte[] _ = toProto(grid, deviceAssignment, partitioner, flags); // refuses what is wrong
  }

  /**
   * Returns these options for other devices.
   *
   * @param devices how many replicas and partitions
   * @return the options, with the plugin's choice of devices
   */
  public PjrtCompileOptions withGrid(DeviceGrid devices) {
    return new PjrtCompileOptions(devices, ImmutableList.of(), partitioner, flags);
  }

  /**
   * Returns these options with the devices chosen.
   *
   * @param ids for each replica the id of the device of each partition
   * @return the options
   * @throws HloException if they are not as many as the grid has
   */
  public PjrtCompileOptions withDeviceAssignment(ImmutableList<ImmutableList<Integer>> ids) {
    return new PjrtCompileOptions(grid, ids, partitioner, flags);
  }

  /**
   * Returns these options with another partitioner.
   *
   * @param other the partitioner
   * @return the options
   */
  public PjrtCompileOptions withPartitioner(Partitioner other) {
    return new PjrtCompileOptions(grid, deviceAssignment, other, flags);
  }

  /**
   * Returns these options with a flag of XLA.
   *
   * @param name as {@code xla_cpu_enable_fast_math}; a plugin refuses one that it does not know
   * @param value a String, Boolean, Integer, Long or Double
   * @return the options
   * @throws HloException if the value has another type
   */
  public PjrtCompileOptions withFlag(String name, Object value) {
    Object kept = value instanceof Integer number ? (Object) number.longValue() : value;
    return new PjrtCompileOptions(
        grid,
        deviceAssignment,
        partitioner,
        ImmutableMap.<String, Object>builder().putAll(flags).put(name, kept).buildKeepingLast());
  }

  /** Returns whether the program is that of one of several partitions already. */
  boolean isOfPartition() {
    return partitioner == Partitioner.NONE && grid.partitions() > 1;
  }

  /** Returns whether a partitioner cuts the program. */
  boolean isCut() {
    return partitioner != Partitioner.NONE && grid.partitions() > 1;
  }

  /** Returns the options for a program, whose annotations choose the partitioner. */
  PjrtCompileOptions of(HloModule module) {
    if (partitioner != Partitioner.OF_PROGRAM) {
      return this;
    }
    Partitioner wanted = DeviceProgram.isOfShardy(module) ? Partitioner.SHARDY : Partitioner.GSPMD;
    return withPartitioner(module.devices().isGlobal() ? wanted : Partitioner.NONE);
  }

  /** Returns the options with those that a platform needs to compute right values. */
  PjrtCompileOptions on(String platform) {
    return platform.equals("cpu") && !flags.containsKey(FAST_MIN_MAX)
        ? withFlag(FAST_MIN_MAX, false)
        : this;
  }

  /**
   * Returns the program of one device, which a plugin that does not give its optimized programs
   * does not tell.
   *
   * @throws HloException of kind {@code UNSUPPORTED} if only a partitioner knows it
   */
  HloModule ofDevice(ProgramForm form) {
    return isCut() ? ProgramForm.untold() : form.read();
  }

  /** Returns a CompileOptionsProto. */
  byte[] toProto() {
    return toProto(grid, deviceAssignment, partitioner, flags);
  }

  private static byte[] toProto(
      DeviceGrid grid,
      ImmutableList<ImmutableList<Integer>> ids,
      Partitioner partitioner,
      ImmutableMap<String, Object> flags) {
    boolean isShardy = partitioner == Partitioner.SHARDY;
    return HloProtos.writeCompileOptions(grid.replicas(), grid.partitions(), ids, isShardy, flags);
  }
}
