package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.pjrt.form.Shards;

/**
 * A compiled program that takes and gives literals.
 *
 * @param executable the program, which takes and gives the arrays
 * @param result the shape of its result
 * @param shards how the arrays are cut for the devices; empty if they are not
 */
record ClientProgram(PjrtExecutable executable, Shape result, Optional<Shards> shards) {
  static ClientProgram of(PjrtClient client, HloModule module, PjrtCompileOptions options) {
    PjrtExecutable executable = client.compile(module, options);
    Shape result = module.entry().root().shape().withoutLayout();
    if (options.isCut()) {
      int partitions = options.grid().partitions();
      Shards shards = Shards.of(module, executable.optimizedProgram(), partitions);
      return new ClientProgram(executable, result, Optional.of(shards));
    }
    if (!Shards.arrays(result).equals(executable.results())) {
      executable.close();
      String gives = "pjrt: the plugin's program gives " + executable.results();
      throw new HloException(Kind.UNSUPPORTED, gives + ", want " + Shards.arrays(result));
    }
    return new ClientProgram(executable, result, Optional.empty());
  }

  /**
   * Returns the results of all devices.
   *
   * @param arguments for each device
   * @param kept for each array of the arguments the one that is on the device; empty if none is
   */
  ImmutableList<Literal> run(List<Literal[]> arguments, List<Optional<PjrtBuffer>> kept) {
    List<ImmutableList<Literal>> whole = new ArrayList<>();
    for (Literal[] own : arguments) {
      ImmutableList.Builder<Literal> arrays = ImmutableList.builder();
      for (Literal argument : own) {
        arrays.addAll(argument.arrays());
      }
      whole.add(arrays.build());
    }
    List<ImmutableList<Literal>> given = shards.map(cuts -> cuts.cut(whole)).orElse(whole);
    List<ImmutableList<Literal>> results = executable.run(given, kept);
    ImmutableList.Builder<Literal> all = ImmutableList.builder();
    for (ImmutableList<Literal> arrays : shards.map(cuts -> cuts.join(results)).orElse(results)) {
      all.add(Literal.ofArrays(result, arrays.iterator()));
    }
    return all.build();
  }
}
