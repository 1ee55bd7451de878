package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Executable;

/** An executable that also runs on several devices. */
public interface DeviceExecutable extends Executable {
  /**
   * Returns the results of several devices; see {@link
   * org.hlo4j.interpreter.Evaluator#runOnDevices}.
   */
  ImmutableList<Literal> runOnDevices(DeviceGrid grid, List<List<Literal>> arguments);
}
