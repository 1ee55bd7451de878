package org.hlo4j.pjrt.form;

import com.google.common.collect.ImmutableList;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.CustomCall;

/** What a program says of the devices that it is for. */
public final class DeviceProgram {
  private static final String SHARDY = "xla.sdy.";

  private static final Sharding.Single MANUAL =
      new Sharding.Single(Sharding.Uniform.MANUAL, Optional.empty(), ImmutableList.of());

  private DeviceProgram() {}

  /**
   * Returns whether a program has annotations of Shardy, which GSPMD refuses.
   *
   * @param module the program
   * @return whether it has
   */
  public static boolean isOfShardy(HloModule module) {
    return hasShardy(module.attributes())
        || module.instructions().anyMatch(DeviceProgram::isOfShardy);
  }

  private static boolean isOfShardy(HloInstruction instruction) {
    return hasShardy(instruction.attributes())
        || (instruction.op() instanceof CustomCall call
            && call.customCallTarget().contains(SHARDY));
  }

  private static boolean hasShardy(Map<String, String> attributes) {
    return attributes.getOrDefault("frontend_attributes", "").contains(SHARDY);
  }

  /**
   * Returns a program of one partition in the form in which partitioners leave it as it is: all of
   * it is manual. XLA compiles nothing for several partitions without a partitioner.
   *
   * @param module the program of one partition
   * @return the program for all of them
   */
  static HloModule asManual(HloModule module) {
    return ModuleCopy.map(
        module, each -> each.withSharding(Optional.of(MANUAL.forShape(each.shape()))));
  }
}
