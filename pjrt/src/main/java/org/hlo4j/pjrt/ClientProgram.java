package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.Arrays;
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

  /** Returns the result of one device, for arrays on it. */
  Literal run(List<PjrtBuffer> arguments) {
    List<PjrtBuffer> results = executable.execute(arguments);
    try {
      return Literal.ofArrays(result, read(results).iterator());
    } finally {
      results.forEach(PjrtBuffer::close);
    }
  }

  private static List<Literal> read(List<PjrtBuffer> buffers) {
    List<Literal> all = new ArrayList<>();
    buffers.forEach(each -> all.add(each.toLiteral()));
    return all;
  }

  /** Returns the results of all devices, for their arguments. */
  ImmutableList<Literal> runOnDevices(List<Literal[]> arguments) {
    List<List<Literal>> whole = new ArrayList<>();
    for (Literal[] own : arguments) {
      whole.add(Arrays.stream(own).flatMap(each -> each.arrays().stream()).toList());
    }
    List<List<Literal>> cut = shards.isPresent() ? shards.get().cut(whole) : whole;
    List<List<Literal>> results = execute(cut);
    List<List<Literal>> joined = shards.isPresent() ? shards.get().join(results) : results;
    ImmutableList.Builder<Literal> all = ImmutableList.builder();
    joined.forEach(arrays -> all.add(Literal.ofArrays(result, arrays.iterator())));
    return all.build();
  }

  private List<List<Literal>> execute(List<List<Literal>> arguments) {
    List<List<Literal>> all = new ArrayList<>();
    try (PjrtScope scope = new PjrtScope()) {
      List<List<PjrtBuffer>> buffers = new ArrayList<>();
      for (int i = 0; i < arguments.size(); i++) {
        List<PjrtBuffer> own = new ArrayList<>();
        for (Literal array : arguments.get(i)) {
          own.add(scope.add(client.buffer(array, executable.devices().get(i))));
        }
        buffers.add(own);
      }
      List<? extends List<PjrtBuffer>> results =
          executable.executeOnDevices(buffers, ImmutableSet.of());
      results.forEach(scope::addAll);
      results.forEach(own -> all.add(read(own)));
    }
    return all;
  }
}
