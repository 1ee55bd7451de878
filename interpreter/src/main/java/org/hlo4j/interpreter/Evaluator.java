package org.hlo4j.interpreter;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;

/** Runs modules. */
public interface Evaluator {
  /**
   * The result of a module's entry computation.
   *
   * @param module the module
   * @param arguments one literal for each parameter of the entry, of its shape
   * @return the value of the entry's root
   * @throws HloException if the module breaks a rule, an argument does not suit its parameter, or
   *     the values do not fit on the heap
   */
  Literal run(HloModule module, Literal... arguments);

  /**
   * The results of a module's entry computation run by several devices at once, which meet in its
   * collectives. Deterministic: what a device gets does not depend on who comes first.
   *
   * @param module the module
   * @param grid the devices
   * @param arguments for each device, in order of their numbers, its arguments
   * @return the result of each device
   * @throws HloException as {@link #run}; also if devices wait in a collective for one that never
   *     comes, or its groups do not suit the grid
   */
  ImmutableList<Literal> runOnDevices(
      HloModule module, DeviceGrid grid, List<List<Literal>> arguments);
}
