package org.hlo4j.pjrt;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.engine.GridExecutable;
import org.hlo4j.interpreter.engine.Parameters;

/** The evaluator of the devices of a client; it keeps the programs of modules that are in use. */
final class ClientEvaluator implements Evaluator {
  private final PjrtClient client;
  private final EvaluatorOptions options;

  /** The programs of each module by the devices that it is for. */
  private final Map<HloModule, Map<DeviceGrid, ClientPrograms>> programs =
      Collections.synchronizedMap(new WeakHashMap<>());

  ClientEvaluator(PjrtClient client, EvaluatorOptions options) {
    this.client = client;
    this.options = options;
    requireNone(options.maxSteps() == Long.MAX_VALUE, "maxSteps", "a plugin does not count steps");
    requireNone(!options.checksBounds(), "checkBounds", "a plugin does not check indices");
    requireNone(options.valueListener().isEmpty(), "valueListener", "a plugin shows no values");
    requireNone(
        options.customCalls().isEmpty(),
        "customCall",
        "a plugin calls what PjrtCustomCalls.register gave it");
  }

  private static void requireNone(boolean isNone, String option, String reason) {
    require(isNone, Kind.UNSUPPORTED, "pjrt: %s got a value, want none: %s", option, reason);
  }

  @Override
  public Literal run(HloModule module, Literal... arguments) {
    return compile(module).run(arguments);
  }

  @Override
  public Executable compile(HloModule module) {
    require(module != null, "", "run: module is null");
    return GridExecutable.on(this, module).orElseGet(() -> onFirstDevice(module));
  }

  private Executable onFirstDevice(HloModule module) {
    ClientPrograms own = programs(module, DeviceGrid.SINGLE);
    own.prepare();
    return ClientExecutable.of(module, own);
  }

  private ClientPrograms programs(HloModule module, DeviceGrid grid) {
    requireDevices(grid.deviceCount());
    require(
        options.seed() == 0 || !isRandom(module),
        Kind.UNSUPPORTED,
        "pjrt: got the seed %s for an rng, want none: a plugin has its own",
        options.seed());
    return programs
        .computeIfAbsent(module, any -> new ConcurrentHashMap<>())
        .computeIfAbsent(grid, any -> ClientPrograms.of(client, options, module, grid));
  }

  private void requireDevices(int count) {
    int most = client.devices().size();
    if (count > most) {
      HloException refusal =
          new HloException(
              Kind.UNSUPPORTED,
              "pjrt: got a program for %s devices, want at most the %s of %s"
                  .formatted(count, most, client.platform()));
      throw client.platform().equals("cpu")
          ? refusal.with("fits", "fits: the client's option cpu_device_count=" + count)
          : refusal;
    }
  }

  private static boolean isRandom(HloModule module) {
    return module.instructions().anyMatch(instruction -> instruction.op() instanceof Rng);
  }

  @Override
  public ImmutableList<Literal> runOnDevices(
      HloModule module, DeviceGrid grid, List<List<Literal>> arguments) {
    require(module != null, "", "run: module is null");
    List<Literal[]> checked = Parameters.of(module).checkOnDevices(grid, arguments, "run");
    return programs(module, grid).run(checked, ImmutableList.of());
  }

  /** Returns {@code pjrt cpu}. */
  @Override
  public String toString() {
    return "pjrt " + client.platform();
  }
}
