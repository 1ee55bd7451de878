package org.hlo4j.pjrt;

import java.io.ByteArrayOutputStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.interpreter.DeviceGrid;

/**
 * How a program is compiled. They do not change.
 *
 * @param grid how many replicas and partitions run it
 */
public record PjrtCompileOptions(DeviceGrid grid) {
  /** One device. */
  public static final PjrtCompileOptions DEFAULT = new PjrtCompileOptions(DeviceGrid.SINGLE);

  /**
   * Returns these options for other devices.
   *
   * @param devices how many replicas and partitions
   * @return the options
   */
  public PjrtCompileOptions withGrid(DeviceGrid devices) {
    HloException.require(devices != null, "", "grid: got null, want the devices");
    return new PjrtCompileOptions(devices);
  }

  /** Returns a CompileOptionsProto. */
  byte[] toProto() {
    ByteArrayOutputStream build = new ByteArrayOutputStream();
    put(build, 4, grid.replicas());
    put(build, 5, grid.partitions());
    if (grid.partitions() > 1) {
      put(build, 6, 1);
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    put(all, 3, build.size(), 2);
    all.writeBytes(build.toByteArray());
    return all.toByteArray();
  }

  private static void put(ByteArrayOutputStream out, int field, int value) {
    put(out, field, value, 0);
  }

  private static void put(ByteArrayOutputStream out, int field, int value, int wire) {
    out.write(field << 3 | wire);
    int rest = value;
    for (; rest > 0x7f; rest >>>= 7) {
      out.write(rest & 0x7f | 0x80);
    }
    out.write(rest);
  }
}
