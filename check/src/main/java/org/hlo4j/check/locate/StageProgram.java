package org.hlo4j.check.locate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.ArraySharding;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleDevices;

/**
 * The module that a pass left, as a program of the arguments of the first module. Behind a
 * partitioner, each device takes and gives slices.
 *
 * @param program the program
 * @param slices how arrays lie on the devices behind a partitioner; empty before it
 */
record StageProgram(Program program, Optional<ModuleDevices> slices) {
  /**
   * Returns the program of a module.
   *
   * @param modules the modules of all passes, in order
   * @param module one of them
   * @param arguments one literal for each parameter of the first
   */
  static StageProgram of(
      List<HloModule> modules, HloModule module, ImmutableList<Literal> arguments) {
    Optional<ModuleDevices> whole =
        modules.subList(0, modules.indexOf(module)).reversed().stream()
            .map(HloModule::devices)
            .filter(ModuleDevices::isGlobal)
            .findFirst();
    ModuleDevices devices = module.devices();
    return devices.isGlobal() || devices.count() == 1 || whole.isEmpty()
        ? new StageProgram(new Program(module, arguments), Optional.empty())
        : new StageProgram(
            Program.ofDevices(module, slices(whole.get(), arguments, devices.count())), whole);
  }

  /** Returns the slices of arrays that each device holds. */
  private static List<List<Literal>> slices(
      ModuleDevices whole, ImmutableList<Literal> arguments, int count) {
    List<List<Literal>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int device = i;
      Iterator<ArraySharding> shardings = whole.parameters().iterator();
      Function<List<Literal>, Literal> slice = of -> shardings.next().slice(of.get(0), device);
      all.add(arguments.stream().map(each -> zipped(List.of(each), slice)).toList());
    }
    return all;
  }

  /** Runs the program, and returns what the first module gives: whole arrays. */
  Literal run(Runner runner) {
    Literal result = runner.run(program);
    return slices
        .map(whole -> {
          Iterator<ArraySharding> shardings = whole.results().iterator();
          return zipped(result.elements(), of -> shardings.next().join(of));
        })
        .orElse(result);
  }

  /** Applies a function to the arrays at the same place in values of one shape, in order. */
  private static Literal zipped(List<Literal> all, Function<List<Literal>, Literal> function) {
    return all.get(0).shape() instanceof Shape.Tuple tuple
        ? Literal.tuple(
            IntStream.range(0, tuple.elements().size())
                .mapToObj(i -> zipped(all.stream().map(each -> each.element(i)).toList(), function))
                .toList())
        : function.apply(all);
  }
}
