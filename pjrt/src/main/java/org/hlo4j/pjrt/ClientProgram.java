package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.pjrt.PjrtCompileOptions.Partitioner;
import org.hlo4j.pjrt.form.Shards;

/**
 * A compiled program that takes and gives literals.
 *
 * @param client where it runs
 * @param executable the program, which takes and gives the arrays
 * @param result the shape of its result
 * @param shards how the arrays are cut for the devices; empty if they are not
 */
record ClientProgram(
    PjrtClient client, PjrtExecutable executable, Shape result, Optional<Shards> shards) {
  static ClientProgram of(PjrtClient client, HloModule module, PjrtCompileOptions options) {
    PjrtExecutable executable = client.compile(module, options);
    List<Shape.Array> wanted = Shards.arrays(module.entry().root().shape());
    boolean isCut = options.partitioner() != Partitioner.NONE && options.grid().partitions() > 1;
    if (!isCut && !wanted.equals(executable.results())) {
      executable.close();
      throw new HloException(
          Kind.UNSUPPORTED,
          "pjrt: the plugin's program gives " + executable.results() + ", want " + wanted);
    }
    return new ClientProgram(
        client,
        executable,
        module.entry().root().shape().withoutLayout(),
        isCut
            ? Optional.of(
                Shards.of(module, executable.optimizedProgram(), options.grid().partitions()))
            : Optional.empty());
  }

  /**
   * Returns the results of all devices.
   *
   * @param arguments for each device
   * @param kept for each array of the arguments the one that is on the device; empty if none is
   */
  ImmutableList<Literal> run(List<Literal[]> arguments, List<Optional<PjrtBuffer>> kept) {
    List<List<Literal>> whole = new ArrayList<>();
    for (Literal[] own : arguments) {
      List<Literal> arrays = new ArrayList<>();
      for (Literal argument : own) {
        arrays.addAll(argument.arrays());
      }
      whole.add(arrays);
    }
    List<List<Literal>> results = execute(shards.map(all -> all.cut(whole)).orElse(whole), kept);
    ImmutableList.Builder<Literal> all = ImmutableList.builder();
    for (List<Literal> arrays : shards.map(cuts -> cuts.join(results)).orElse(results)) {
      all.add(Literal.ofArrays(result, arrays.iterator()));
    }
    return all.build();
  }

  private List<List<Literal>> execute(
      List<List<Literal>> arguments, List<Optional<PjrtBuffer>> kept) {
    List<List<Literal>> all = new ArrayList<>();
    try (PjrtScope scope = new PjrtScope()) {
      List<List<PjrtBuffer>> buffers = new ArrayList<>();
      for (int i = 0; i < arguments.size(); i++) {
        PjrtDevice device = executable.devices().get(i);
        List<PjrtBuffer> own = new ArrayList<>();
        for (Literal array : arguments.get(i)) {
          Optional<PjrtBuffer> there = kept.isEmpty() ? Optional.empty() : kept.get(own.size());
          own.add(there.orElseGet(() -> scope.add(client.buffer(array, device))));
        }
        buffers.add(own);
      }
      List<? extends List<PjrtBuffer>> results =
          executable.executeOnDevices(buffers, ImmutableSet.of());
      results.forEach(scope::addAll);
      for (List<PjrtBuffer> own : results) {
        List<Literal> read = new ArrayList<>();
        own.forEach(each -> read.add(each.toLiteral()));
        all.add(read);
      }
    }
    return all;
  }
}
