package org.hlo4j.pjrt;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import com.google.common.util.concurrent.UncheckedExecutionException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.engine.OutsideDeadline;
import org.hlo4j.pjrt.binding.HostArrays;
import org.hlo4j.pjrt.form.Shards;

/**
 * A module on some devices of a client: one compiled program, or, if it has bounds in place of
 * sizes, one for each of the last sets of sizes that its arguments had.
 */
final class ClientPrograms {
  private static final int MAX_SIZES = 16;

  private final PjrtClient client;
  private final EvaluatorOptions options;

  /** Static, or with bounds. It is not what a cache has as its weak key. */
  private final HloModule module;

  private final PjrtCompileOptions compileOptions;
  private final LoadingCache<ImmutableList<Shape>, ClientProgram> compiled =
      CacheBuilder.newBuilder().maximumSize(MAX_SIZES).build(CacheLoader.from(this::compiled));

  private ClientPrograms(
      PjrtClient client,
      EvaluatorOptions options,
      HloModule module,
      PjrtCompileOptions compileOptions) {
    this.client = client;
    this.options = options;
    this.module = module;
    this.compileOptions = compileOptions;
  }

  static ClientPrograms of(
      PjrtClient client, EvaluatorOptions options, HloModule given, DeviceGrid grid) {
    HloModule module = given.withText(given.attributes(), given.stackFrames());
    List<Integer> ids =
        client.devices().stream().limit(grid.deviceCount()).map(PjrtDevice::id).toList();
    ImmutableList<ImmutableList<Integer>> assignment =
        Lists.partition(grid.deviceCount() == 1 ? List.of() : ids, grid.partitions()).stream()
            .map(ImmutableList::copyOf)
            .collect(toImmutableList());
    return new ClientPrograms(
        client,
        options,
        module,
        PjrtCompileOptions.DEFAULT.withGrid(grid).withDeviceAssignment(assignment).of(module));
  }

  private boolean hasBounds() {
    return module.instructions().anyMatch(instruction -> instruction.shape().isDynamic());
  }

  /** Compiles the program now, if that does not take the sizes of arguments. */
  void prepare() {
    if (!hasBounds()) {
      at(module.entry().parameters().stream().map(each -> each.shape().withoutLayout()).toList());
    }
  }

  private ClientProgram compiled(ImmutableList<Shape> shapes) {
    HloModule sized = hasBounds() ? Interpreter.atSizes(module, shapes) : module;
    return OutsideDeadline.within(
        options.deadline(), () -> ClientProgram.of(client, sized, compileOptions));
  }

  /** Returns the program for arguments of these shapes. */
  ClientProgram at(List<Shape> shapes) {
    try {
      return compiled.getUnchecked(ImmutableList.copyOf(shapes));
    } catch (UncheckedExecutionException refusal) {
      throw refusal.getCause() instanceof HloException own ? own : refusal;
    }
  }

  /**
   * Returns the results of all devices.
   *
   * @param arguments for each device
   * @param kept for each array of the arguments the one that is on the device; empty if none is
   */
  ImmutableList<Literal> run(List<Literal[]> arguments, List<Optional<PjrtBuffer>> kept) {
    return OutsideDeadline.within(
        options.deadline(),
        () -> {
          ClientProgram program =
              at(Lists.transform(Arrays.asList(arguments.get(0)), Literal::shape));
          requireMemory(arguments, kept, program.result());
          return program.run(arguments, kept);
        });
  }

  /** Refuses arrays on the host beyond the limit. */
  private void requireMemory(
      List<Literal[]> arguments, List<Optional<PjrtBuffer>> kept, Shape result) {
    long bytes = bytes(result);
    for (Literal each : arguments.get(0)) {
      bytes += bytes(each.shape());
    }
    bytes *= arguments.size();
    for (Optional<PjrtBuffer> each : kept) {
      bytes -= each.map(there -> HostArrays.bytes(there.shape())).orElse(0L);
    }
    HloException.require(
        bytes <= options.maxBytes(),
        Kind.LIMIT,
        "run: arguments and results got %s bytes, want at most %s",
        bytes,
        options.maxBytes());
  }

  private static long bytes(Shape shape) {
    return Shards.arrays(shape).stream().mapToLong(HostArrays::bytes).sum();
  }

  PjrtClient client() {
    return client;
  }

  /** Returns the programs that are compiled, by the shapes of their arguments. */
  Map<ImmutableList<Shape>, ClientProgram> all() {
    return compiled.asMap();
  }
}
