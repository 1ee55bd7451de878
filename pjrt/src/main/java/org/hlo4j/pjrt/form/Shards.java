package org.hlo4j.pjrt.form;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.ArraySharding;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.proto.HloProtos;

/**
 * How XLA has cut the arrays of a program for its partitions, as the optimized program says. Where
 * a size is not a multiple of the number of parts, the last ones are filled with zeros.
 *
 * @param partitions the number of partitions
 * @param parameters how each parameter is cut
 * @param results how each result is cut
 */
public record Shards(
    int partitions, ImmutableList<ArraySharding> parameters, ImmutableList<ArraySharding> results) {
  /**
   * Returns the cuts of a program.
   *
   * @param module the program of all partitions, whose entry takes and gives arrays
   * @param optimized what XLA made of it
   * @param partitions the number of partitions
   * @return the cuts
   * @throws HloException if the optimized program does not say them
   */
  public static Shards of(HloModule module, HloModule optimized, int partitions) {
    List<Shape.Array> given = taken(module);
    List<Shape.Array> taken = taken(optimized);
    List<Sharding.Placement> all = new ArrayList<>();
    HloProtos.spmdShardings(optimized).forEach(each -> placements(each, all));
    List<Shape.Array> wanted = arrays(module.entry().root().shape());
    List<Shape.Array> made = arrays(optimized.entry().root().shape());
    require(
        given.size() == taken.size()
            && wanted.size() == made.size()
            && all.size() == given.size() + wanted.size(),
        Kind.UNSUPPORTED,
        "pjrt: the optimized program has %s shardings, want those of %s parameters and %s results",
        all.size(),
        given.size(),
        wanted.size());
    return new Shards(
        partitions,
        cuts(given, taken, all, partitions),
        cuts(wanted, made, all.subList(given.size(), all.size()), partitions));
  }

  private static ImmutableList<ArraySharding> cuts(
      List<Shape.Array> wholes,
      List<Shape.Array> parts,
      List<Sharding.Placement> shardings,
      int partitions) {
    ImmutableList.Builder<ArraySharding> all = ImmutableList.builder();
    for (int i = 0; i < wholes.size(); i++) {
      all.add(cut(wholes.get(i), parts.get(i), shardings.get(i), partitions));
    }
    return all.build();
  }

  private static ArraySharding cut(
      Shape.Array whole, Shape.Array part, Sharding.Placement said, int partitions) {
    boolean isWhole = whole.sizes().equals(part.sizes());
    ArraySharding cut =
        new ArraySharding(whole, isWhole ? Sharding.Uniform.REPLICATED : said, 1, partitions);
    require(
        cut.sliceShape().equals(part),
        Kind.UNSUPPORTED,
        "pjrt: %s of %s got the sharding %s, want one that cuts it so",
        part,
        whole,
        said);
    return cut;
  }

  /**
   * Returns the arrays in a shape.
   *
   * @param shape the shape
   * @return its arrays without layouts, in order
   */
  public static ImmutableList<Shape.Array> arrays(Shape shape) {
    return Sharding.leaves(shape.withoutLayout()).stream()
        .filter(Shape.Array.class::isInstance)
        .map(Shape.Array.class::cast)
        .collect(toImmutableList());
  }

  private static ImmutableList<Shape.Array> taken(HloModule module) {
    return module.entry().parameters().stream()
        .flatMap(each -> arrays(each.shape()).stream())
        .collect(toImmutableList());
  }

  private static void placements(Sharding sharding, List<Sharding.Placement> into) {
    switch (sharding) {
      case Sharding.Single single -> into.add(single.placement());
      case Sharding.Tuple tuple -> tuple.parts().forEach(each -> into.add(each.placement()));
    }
  }

  /**
   * Returns what each device takes.
   *
   * @param arguments for each device the arrays, which are the same on all partitions of a replica
   * @return for each device its parts
   * @throws HloException if the arrays differ
   */
  public List<List<Literal>> cut(List<List<Literal>> arguments) {
    List<List<Literal>> all = new ArrayList<>();
    for (int device = 0; device < arguments.size(); device++) {
      int first = device / partitions * partitions;
      List<Literal> own = new ArrayList<>();
      for (int i = 0; i < parameters.size(); i++) {
        Literal array = arguments.get(device).get(i);
        Literal common = arguments.get(first).get(i);
        require(
            array.equals(common),
            Kind.UNSUPPORTED,
            "pjrt: argument %s of a partitioned program got other values on device %s than on %s,"
                + " want the whole array on each",
            i,
            device,
            first);
        own.add(parameters.get(i).slice(array, device % partitions));
      }
      all.add(own);
    }
    return all;
  }

  /**
   * Returns the whole results of each device.
   *
   * @param results for each device the parts
   * @return for each device the arrays, none of which is there twice
   */
  public List<List<Literal>> join(List<List<Literal>> results) {
    List<List<Literal>> all = new ArrayList<>();
    for (int device = 0; device < results.size(); device++) {
      int first = device / partitions * partitions;
      List<Literal> own = new ArrayList<>();
      for (int i = 0; i < this.results.size(); i++) {
        ArraySharding cut = this.results.get(i);
        int number = i;
        own.add(
            cut.isReplicated()
                ? results.get(device).get(i)
                : cut.join(
                    results.subList(first, first + partitions).stream()
                        .map(parts -> parts.get(number))
                        .toList()));
      }
      all.add(own);
    }
    return all;
  }
}
