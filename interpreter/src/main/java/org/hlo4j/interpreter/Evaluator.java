package org.hlo4j.interpreter;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.engine.EvaluatorExecutable;
import org.hlo4j.interpreter.engine.GridExecutable;

/** An evaluator of modules: compiles them, and runs them on one or several virtual devices. */
public interface Evaluator {
  /**
   * Runs a module's entry computation, on all devices that the module is for. If they are several,
   * it has to be a global program, whose arguments and result are whole arrays; see {@link
   * Executable#run(Literal...)}.
   *
   * @param module the module
   * @param arguments one literal for each parameter of the entry, of its shape
   * @return the value of the entry's root, as {@link Executable#run(Literal...)} returns it
   * @throws HloException if the module breaks a rule, an argument does not suit its parameter, or
   *     the values do not fit on the heap
   */
  default Literal run(HloModule module, Literal... arguments) {
    return compile(module).run(arguments);
  }

  /**
   * Runs a module's entry computation with arguments given by name.
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
   * Compiles a module, which can then be run many times, on all devices that the module is for:
   * {@link HloModule#devices}.
   *
   * @param module the module
   * @return the executable; threads may share it
   * @throws HloException if the module breaks a rule
   */
  Executable compile(HloModule module);

  /**
   * Compiles a module for certain devices, whatever its header says.
   *
   * @param module the module
   * @param grid the devices; {@link DeviceGrid#SINGLE} for one
   * @return the executable; threads may share it
   * @throws HloException if the module breaks a rule
   */
  default Executable compile(HloModule module, DeviceGrid grid) {
    return GridExecutable.of(EvaluatorExecutable.of(this, module), grid);
  }

  /**
   * Runs a module's entry computation on several devices at once, which exchange values in its
   * collectives. The results are deterministic: they do not depend on which device is faster. Each
   * device has its own queues of {@link Transfers}.
   *
   * <p>A send and a recv with the frontend attribute {@code
   * _xla_send_recv_source_target_pairs={{0,1},{1,2}}} transfer values between devices: the n-th
   * value that the source sends on a channel is the n-th that the target receives, and the target
   * waits for it. A device that is no source sends nothing, and a device that is no target receives
   * zeros. The numbers are partitions of one replica, or replicas if each has one partition.
   * Without the attribute, a device receives what it has sent itself or what its queues hold, and
   * never waits.
   *
   * @param module the module
   * @param grid the devices
   * @param arguments the arguments of each device, in the order of the device numbers
   * @return the result of each device; no two of them share an array
   * @throws HloException as {@link #run(HloModule, Literal...)}; also if devices wait in a
   *     collective or a recv for one that never arrives, or if groups or pairs do not suit the grid
   */
  ImmutableList<Literal> runOnDevices(
      HloModule module, DeviceGrid grid, List<List<Literal>> arguments);
}
