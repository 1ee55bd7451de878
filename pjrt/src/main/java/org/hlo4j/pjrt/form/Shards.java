package org.hlo4j.pjrt.form;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.ArraySharding;
import org.hlo4j.hlo.ir.HloComputation;
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
    List<Shape.Array> wholes = arrays(module.entry());
    List<Shape.Array> parts = arrays(optimized.entry());
    List<Sharding.Placement> said =
        HloProtos.spmdShardings(optimized).stream()
            .flatMap(each -> each.placements().stream())
            .toList();
    int results = arrays(module.entry().root().shape()).size();
    int taken = wholes.size() - results;
    require(
        wholes.size() == parts.size() && wholes.size() == said.size(),
        Kind.UNSUPPORTED,
        "pjrt: the optimized program has %s shardings, want those of %s parameters and %s results",
        said.size(),
        taken,
        results);
    ImmutableList<ArraySharding> all =
        IntStream.range(0, wholes.size())
            .mapToObj(i -> cut(wholes.get(i), parts.get(i), said.get(i), partitions))
            .collect(toImmutableList());
    return new Shards(partitions, all.subList(0, taken), all.subList(taken, all.size()));
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

  /**
   * Returns the arrays in the parameters and in the result.
   *
   * @param entry the entry of a program
   * @return the arrays without layouts, in order
   */
  public static List<Shape.Array> arrays(HloComputation entry) {
    return Stream.concat(entry.parameters().stream(), Stream.of(entry.root()))
        .flatMap(each -> arrays(each.shape()).stream())
        .toList();
  }

  /**
   * Returns what each device takes.
   *
   * @param arguments for each device the arrays, which are the same on all partitions of a replica
   * @return for each device its parts
   * @throws HloException if the arrays differ
   */
  public List<ImmutableList<Literal>> cut(List<ImmutableList<Literal>> arguments) {
    return each(
        arguments.size(),
        parameters,
        (device, i) -> {
          int first = device / partitions * partitions;
          Literal array = arguments.get(device).get(i);
          require(
              array.equals(arguments.get(first).get(i)),
              Kind.UNSUPPORTED,
              "pjrt: argument %s of a partitioned program got other values on device %s than on %s,"
                  + " want the whole array on each",
              i,
              device,
              first);
          return parameters.get(i).slice(array, device % partitions);
        });
  }

  /** What a device has in the place of an array. */
  private interface OnDevice {
    Literal array(int device, int number);
  }

  private static List<ImmutableList<Literal>> each(
      int devices, ImmutableList<ArraySharding> arrays, OnDevice what) {
    return IntStream.range(0, devices)
        .mapToObj(device ->
            IntStream.range(0, arrays.size())
                .mapToObj(i -> what.array(device, i))
                .collect(toImmutableList()))
        .toList();
  }

  /**
   * Returns the whole results of each device.
   *
   * @param results for each device the parts
   * @return for each device the arrays, none of which is there twice
   */
  public List<ImmutableList<Literal>> join(List<ImmutableList<Literal>> results) {
    return each(
        results.size(),
        this.results,
        (device, i) -> {
          int first = device / partitions * partitions;
          ArraySharding cut = this.results.get(i);
          return cut.isReplicated()
              ? results.get(device).get(i)
              : cut.join(
                  Lists.transform(results.subList(first, first + partitions), own -> own.get(i)));
        });
  }
}
