package org.hlo4j.pjrt.form;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
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
public record Shards(int partitions, ImmutableList<Cut> parameters, ImmutableList<Cut> results) {
  /**
   * How an array is cut.
   *
   * @param whole the array
   * @param part what each device has
   * @param sharding which part that is
   */
  record Cut(Shape.Array whole, Shape.Array part, Sharding.Placement sharding) {
    boolean isWhole() {
      return whole.sizes().equals(part.sizes());
    }

    /** Returns where the part of a partition begins. */
    Dims start(int partition) {
      if (!(sharding instanceof Sharding.Tiled tiled)) {
        throw new HloException(
            Kind.UNSUPPORTED,
            "pjrt: " + part + " of " + whole + " got the sharding " + sharding + ", want tiles");
      }
      Dims tiles = tiled.tiles().tiles();
      long at = tiled.tiles().devices().indexOf(partition);
      long[] start = new long[whole.rank()];
      for (int d = 0; d < start.length; d++) {
        start[d] = at / tiles.rowMajorStrides().get(d) % tiles.get(d) * part.size(d);
      }
      return Dims.of(start);
    }
  }

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
        cuts(given, taken, all),
        cuts(wanted, made, all.subList(given.size(), all.size())));
  }

  private static ImmutableList<Cut> cuts(
      List<Shape.Array> wholes, List<Shape.Array> parts, List<Sharding.Placement> shardings) {
    ImmutableList.Builder<Cut> all = ImmutableList.builder();
    for (int i = 0; i < wholes.size(); i++) {
      all.add(new Cut(wholes.get(i), parts.get(i), shardings.get(i)));
    }
    return all.build();
  }

  /**
   * Returns the arrays in a shape.
   *
   * @param shape the shape
   * @return its arrays without layouts, in order
   */
  public static ImmutableList<Shape.Array> arrays(Shape shape) {
    ImmutableList.Builder<Shape.Array> all = ImmutableList.builder();
    Shape _ =
        shape.mapArrays(array -> {
          all.add(array.withLayout(null));
          return array;
        });
    return all.build();
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
        own.add(part(array, parameters.get(i), device % partitions));
      }
      all.add(own);
    }
    return all;
  }

  private static Literal part(Literal array, Cut cut, int partition) {
    if (cut.isWhole()) {
      return array;
    }
    Object storage = LiteralBuilder.newStorage(cut.part());
    new Box(cut, cut.start(partition))
        .copy(LiteralBuilder.segment(array.unsafeStorage()), LiteralBuilder.segment(storage), true);
    return Literal.unsafeOf(cut.part(), storage);
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
        Cut cut = this.results.get(i);
        own.add(
            cut.isWhole()
                ? results.get(device).get(i)
                : whole(cut, i, results.subList(first, first + partitions)));
      }
      all.add(own);
    }
    return all;
  }

  private static Literal whole(Cut cut, int number, List<List<Literal>> parts) {
    Object storage = LiteralBuilder.newStorage(cut.whole());
    for (int partition = 0; partition < parts.size(); partition++) {
      Object part = parts.get(partition).get(number).unsafeStorage();
      new Box(cut, cut.start(partition))
          .copy(LiteralBuilder.segment(storage), LiteralBuilder.segment(part), false);
    }
    return Literal.unsafeOf(cut.whole(), storage);
  }

  /** The elements of a part in the whole array, from where it begins. */
  private record Box(Cut cut, Dims start) {
    /** Copies the part out of the whole array, or into it. */
    void copy(MemorySegment whole, MemorySegment part, boolean isOut) {
      long width =
          cut.whole().elementCount() == 0 ? 0 : whole.byteSize() / cut.whole().elementCount();
      rows(
          0,
          0,
          0,
          (inWhole, inPart, count) -> {
            MemorySegment from = isOut ? whole : part;
            MemorySegment to = isOut ? part : whole;
            MemorySegment.copy(
                from,
                (isOut ? inWhole : inPart) * width,
                to,
                (isOut ? inPart : inWhole) * width,
                count * width);
          });
    }

    private interface Row {
      void at(long inWhole, long inPart, long count);
    }

    private void rows(int dimension, long inWhole, long inPart, Row row) {
      if (dimension == start.count()) {
        row.at(inWhole, inPart, 1);
        return;
      }
      long first = start.get(dimension);
      long whole = inWhole * cut.whole().size(dimension) + first;
      long part = inPart * cut.part().size(dimension);
      long count = Math.min(cut.part().size(dimension), cut.whole().size(dimension) - first);
      if (dimension == start.count() - 1) {
        if (count > 0) {
          row.at(whole, part, count);
        }
        return;
      }
      for (long i = 0; i < count; i++) {
        rows(dimension + 1, whole + i, part + i, row);
      }
    }
  }
}
