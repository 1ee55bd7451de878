package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Profile;

/**
 * An executable that runs on any number of devices, by itself on one; with arguments bound it is
 * one as well.
 */
public interface DeviceExecutable extends Executable {
  /**
   * Returns the results of several devices; see {@link
   * org.hlo4j.interpreter.Evaluator#runOnDevices}.
   */
  ImmutableList<Literal> runOnDevices(DeviceGrid grid, List<List<Literal>> arguments);

  /** Measures the steps of device 0 in several runs on several devices. */
  Profile profileOnDevices(DeviceGrid grid, int runs, List<List<Literal>> arguments);

  /** Returns the parameters that are not bound. */
  Parameters parameters();
}
