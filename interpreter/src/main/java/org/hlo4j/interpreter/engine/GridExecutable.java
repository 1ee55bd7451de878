package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.ArraySharding;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Profile;

/**
 * An executable over the devices of a grid. A global program takes whole arrays, which all devices
 * have, and gives whole arrays, of which each element is that of the first device whose slice has
 * it. One in which all devices do the same runs on one of them.
 */
public final class GridExecutable implements Executable {
  /** The custom calls that only say how a value lies on the devices. */
  private static final ImmutableSet<String> SHARDINGS =
      ImmutableSet.of("Sharding", "xla.sdy.FuncResultSharding", "xla.sdy.PropagationBarrier");

  private final DeviceExecutable program;
  private final DeviceGrid grid;

  /** Whether no device does anything else than the others. */
  private final boolean isAlike;

  private GridExecutable(DeviceExecutable program, DeviceGrid grid) {
    this(
        program,
        grid,
        program.module().devices().isGlobal()
            && program.module().instructions().allMatch(GridExecutable::isAlike));
  }

  private GridExecutable(DeviceExecutable program, DeviceGrid grid, boolean isAlike) {
    this.program = program;
    this.grid = grid;
    this.isAlike = isAlike;
  }

  private static boolean isAlike(HloInstruction instruction) {
    return switch (instruction.op()) {
      case PartitionId _, ReplicaId _ -> false;
      case CustomCall call -> SHARDINGS.contains(call.customCallTarget());
      default -> OpTraits.of(instruction.op()).family() != OpTraits.Family.EFFECT;
    };
  }

  /**
   * Returns a program on the devices that it is for.
   *
   * @param program the program
   */
  public static Executable of(DeviceExecutable program) {
    return of(program, DeviceGrid.of(program.module()));
  }

  /**
   * Returns a module on the devices that it is for, if they are several.
   *
   * @param evaluator runs it on them
   * @param module the module
   * @return the executable; empty for a module for one device
   */
  public static Optional<Executable> on(Evaluator evaluator, HloModule module) {
    return module.devices().count() == 1
        ? Optional.empty()
        : Optional.of(of(EvaluatorExecutable.of(evaluator, module)));
  }

  /**
   * Returns a program on given devices.
   *
   * @param program the program
   * @param grid the devices, whatever the program is for
   */
  public static Executable of(DeviceExecutable program, DeviceGrid grid) {
    require(grid != null, "", "compile: grid is null");
    return grid.deviceCount() == 1 ? program : new GridExecutable(program, grid);
  }

  @Override
  public HloModule module() {
    return program.module();
  }

  @Override
  public ProgramShape signature() {
    return program.signature();
  }

  @Override
  public ImmutableList<String> parameterNames() {
    return program.parameterNames();
  }

  @Override
  public DeviceGrid grid() {
    return grid;
  }

  @Override
  public Literal run(Literal... arguments) {
    return isAlike
        ? program.run(arguments)
        : whole(program.runOnDevices(grid, onAll("run", arguments)));
  }

  @Override
  public Literal run(Map<String, Literal> arguments) {
    return isAlike ? program.run(arguments) : run(program.parameters().orderAll(arguments, "run"));
  }

  @Override
  public ImmutableList<Literal> runOnDevices(List<List<Literal>> arguments) {
    return program.runOnDevices(grid, arguments);
  }

  @Override
  public Executable bind(Map<String, Literal> arguments) {
    return arguments != null && arguments.isEmpty()
        ? this
        : new GridExecutable((DeviceExecutable) program.bind(arguments), grid, isAlike);
  }

  @Override
  public Literal newResult() {
    return program.newResult();
  }

  @Override
  public void unsafeRunInto(Literal result, Literal... arguments) {
    if (isAlike) {
      program.unsafeRunInto(result, arguments);
      return;
    }
    List<List<Literal>> all = onAll("run", arguments);
    OwnArrays.requireWritable(result, signature().result(), arguments);
    OwnArrays.copy(whole(program.runOnDevices(grid, all)), result);
  }

  @Override
  public Profile profile(int runs, Literal... arguments) {
    return isAlike
        ? program.profile(runs, arguments)
        : program.profileOnDevices(grid, runs, onAll("profile", arguments));
  }

  @Override
  public Profile profileOnDevices(int runs, List<List<Literal>> arguments) {
    return program.profileOnDevices(grid, runs, arguments);
  }

  @Override
  public String explain() {
    String how = isAlike ? ", all alike: a run with whole arrays takes one" : "";
    return "on " + describe(grid) + how + ":\n" + program.explain();
  }

  @Override
  public String toString() {
    return program + " on " + describe(grid);
  }

  /** Returns the arguments of each device: the same whole arrays. */
  private List<List<Literal>> onAll(String call, Literal[] arguments) {
    if (!module().devices().isGlobal()) {
      throw new HloException(
          "",
          call
              + ": got one list of arguments for "
              + describe(grid)
              + ", each of which runs "
              + module().name()
              + " on arguments of its own, want "
              + call
              + "OnDevices with a list for each device, or a"
              + " compilation for a grid of one");
    }
    program.parameters().check(arguments, call);
    return Collections.nCopies(grid.deviceCount(), Arrays.asList(arguments));
  }

  private static String describe(DeviceGrid grid) {
    return grid.replicas() == 1
        ? grid.partitions() + " devices"
        : grid.deviceCount()
            + " devices ("
            + grid.replicas()
            + " replicas of "
            + grid.partitions()
            + (grid.partitions() == 1 ? " partition)" : " partitions)");
  }

  /** Returns the whole result, of which each device holds its slices. */
  private Literal whole(List<Literal> results) {
    return grid.equals(DeviceGrid.of(module()))
        ? whole(results, module().devices().results().iterator())
        : results.get(0);
  }

  private static Literal whole(List<Literal> ofAll, Iterator<ArraySharding> shardings) {
    Literal first = ofAll.get(0);
    if (first.shape() instanceof Shape.Tuple tuple) {
      return Literal.tuple(
          IntStream.range(0, tuple.elements().size())
              .mapToObj(i -> whole(ofAll.stream().map(each -> each.element(i)).toList(), shardings))
              .toList());
    }
    ArraySharding sharding = shardings.next();
    return isCut(sharding)
        ? sharding.join(
            IntStream.range(0, ofAll.size())
                .mapToObj(device -> sharding.slice(ofAll.get(device), device))
                .toList())
        : first;
  }

  private static boolean isCut(ArraySharding sharding) {
    return switch (sharding.placement()) {
      case Sharding.Tiled _, Sharding.Named _ -> !sharding.isReplicated();
      case Sharding.Maximal _, Sharding.Uniform _ -> false;
    };
  }
}
