package org.hlo4j.interpreter;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Map;
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
   * The result of a module's entry computation, its arguments given by name.
   *
   * @param module the module
   * @param arguments one literal for each parameter of the entry, by its name, of its shape
   * @return the value of the entry's root
   * @throws HloException as {@link #run(HloModule, Literal...)}
   */
  default Literal run(HloModule module, Map<String, Literal> arguments) {
    return compile(module).run(arguments);
  }

  /**
   * A module made ready to be run many times.
   *
   * @param module the module
   * @return what runs it; may be shared by threads
   * @throws HloException if the module breaks a rule
   */
  Executable compile(HloModule module);

  /**
   * The results of a module's entry computation run by several devices at once, which meet in its
   * collectives. Deterministic: what a device gets does not depend on who comes first. Each has its
   * own queues of {@link Transfers}.
   *
   * <p>A send and a recv with the frontend attribute {@code
   * _xla_send_recv_source_target_pairs={{0,1},{1,2}}} go from device to device: the source's n-th
   * value on the channel is the target's n-th, who waits for it. A device that is no source sends
   * nothing, and one that is no target gets zeros. The numbers are those of partitions of one
   * replica, or of replicas if there is one partition each. Without the attribute a device receives
   * what it has sent itself or the queues hold for it, and never waits.
   *
   * @param module the module
   * @param grid the devices
   * @param arguments for each device, in order of their numbers, its arguments
   * @return the result of each device
   * @throws HloException as {@link #run(HloModule, Literal...)}; also if devices wait in a
   *     collective or a recv for one that never comes, or groups or pairs do not suit the grid
   */
  ImmutableList<Literal> runOnDevices(
      HloModule module, DeviceGrid grid, List<List<Literal>> arguments);
}
