package org.hlo4j.pjrt.form;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.interpreter.DeviceGrid;

/**
 * A writer of CompileOptionsProto, the settings of a compilation. Replicas and partitions are
 * always written: a plugin that finds none ends the process.
 */
public final class CompileOptionsProto {
  // Fields of CompileOptionsProto.
  private static final int BUILD_OPTIONS = 3;
  private static final int FLAGS = 7;
  // Fields of ExecutableBuildOptionsProto.
  private static final int DEVICE_ORDINAL = 1;
  private static final int NUM_REPLICAS = 4;
  private static final int NUM_PARTITIONS = 5;
  private static final int USE_SPMD = 6;
  private static final int DEVICE_ASSIGNMENT = 9;
  private static final int USE_SHARDY = 19;

  private CompileOptionsProto() {}

  /**
   * Checks settings.
   *
   * @param grid the devices
   * @param ids the id of the device of each partition of each replica; empty for the plugin's
   *     choice
   * @param flags the values of flags
   * @throws HloException if there are more or fewer ids than devices, or a flag has a value of
   *     another type
   */
  public static void check(
      DeviceGrid grid, ImmutableList<ImmutableList<Integer>> ids, Map<String, Object> flags) {
    require(
        ids.isEmpty()
            || (ids.size() == grid.replicas()
                && ids.stream().allMatch(row -> row.size() == grid.partitions())),
        "",
        "pjrt: the device assignment got %s, want %s lists of %s ids",
        ids,
        grid.replicas(),
        grid.partitions());
    flags.forEach(CompileOptionsProto::override);
  }

  /**
   * Writes settings.
   *
   * @param grid the devices
   * @param ids the id of the device of each partition of each replica; empty for the plugin's
   *     choice
   * @param isShardy whether Shardy partitions the program, not GSPMD
   * @param flags the values of flags, each a String, Boolean, Long or Double
   * @return the serialized message
   */
  public static byte[] write(
      DeviceGrid grid,
      ImmutableList<ImmutableList<Integer>> ids,
      boolean isShardy,
      Map<String, Object> flags) {
    WireWriter build =
        new WireWriter()
            .number(DEVICE_ORDINAL, -1)
            .number(NUM_REPLICAS, grid.replicas())
            .number(NUM_PARTITIONS, grid.partitions())
            .flag(USE_SPMD, grid.partitions() > 1);
    if (!ids.isEmpty()) {
      build.message(DEVICE_ASSIGNMENT, assignment(grid, ids));
    }
    if (isShardy) {
      build.flag(USE_SHARDY, true);
    }
    WireWriter options = new WireWriter().message(BUILD_OPTIONS, build);
    flags.forEach((name, value) ->
        options.message(FLAGS, new WireWriter().text(1, name).message(2, override(name, value))));
    return options.toBytes();
  }

  /** Returns the DeviceAssignmentProto: the devices of all replicas for each partition. */
  private static WireWriter assignment(DeviceGrid grid, ImmutableList<ImmutableList<Integer>> ids) {
    WireWriter all = new WireWriter().number(1, grid.replicas()).number(2, grid.partitions());
    for (int partition = 0; partition < grid.partitions(); partition++) {
      WireWriter column = new WireWriter();
      for (ImmutableList<Integer> row : ids) {
        column.number(1, row.get(partition));
      }
      all.message(3, column);
    }
    return all;
  }

  @CanIgnoreReturnValue // for the check
  private static WireWriter override(String name, Object value) {
    WireWriter field = new WireWriter();
    return switch (value) {
      case String text -> field.text(1, text);
      case Boolean flag -> field.flag(2, flag);
      case Long number -> field.number(3, number);
      case Double number -> field.real(4, number);
      default ->
          throw new HloException(
              Kind.ARGUMENT,
              "pjrt: the flag "
                  + name
                  + " got "
                  + value
                  + " of "
                  + value.getClass().getSimpleName()
                  + ", want a String, Boolean, Long or Double");
    };
  }
}
