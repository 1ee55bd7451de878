package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Sends values from device to device. A device that is no target gets zeros.
 *
 * <p>With slice sizes it works in place. Its operands are the input, the output, and for each of
 * them a tuple of start indices, or, for several slices, a tuple of such tuples. The k-th pair of a
 * source sends the k-th slice of its input; the target stores it at its k-th start indices in the
 * output. The result is the output. Input and output may be tuples of as many arrays; then so are
 * both tuples of start indices, and there are as many slices of each array, those of the first
 * before those of the next.
 *
 * @param channelId the channel, if the ids number partitions
 * @param sourceTargetPairs pairs of ids; no source and no target occurs twice, or more often than
 *     there are slices of an array
 * @param sliceSizes the sizes of each slice, if it works in place, else empty
 */
public record CollectivePermute(
    Optional<Long> channelId, ImmutableList<Dims> sourceTargetPairs, ImmutableList<Dims> sliceSizes)
    implements Collective {
  /**
   * Sends whole arrays.
   *
   * @param channelId the channel, if the ids number partitions
   * @param sourceTargetPairs pairs of ids, no source and no target twice
   */
  public CollectivePermute(Optional<Long> channelId, ImmutableList<Dims> sourceTargetPairs) {
    this(channelId, sourceTargetPairs, ImmutableList.of());
  }

  /**
   * Returns whether slices of an input are written into an output.
   *
   * @return whether there are slice sizes
   */
  public boolean isInPlace() {
    return !sliceSizes.isEmpty();
  }

  @Override
  public String opcode() {
    return "collective-permute";
  }

  @Override
  public Shape resultShape(Operands in) {
    for (Dims pair : sourceTargetPairs) {
      require(
          pair.count() == 2 && pair.get(0) >= 0 && pair.get(1) >= 0,
          "collective_permute C4",
          "source_target_pairs got %s, want a source and a target, at least 0",
          pair);
    }
    int most = isInPlace() && !in.shapes().isEmpty() ? slices(in.shapes().get(0)) : 1;
    checkOften("sources", "collective_permute C2", ends(0), most);
    checkOften("targets", "collective_permute C3", ends(1), most);
    return isInPlace() ? outputShape(in) : Collectives.ofOperands(in);
  }

  private Dims ends(int end) {
    return Dims.of(sourceTargetPairs.stream().mapToLong(pair -> pair.get(end)).toArray());
  }

  private static void checkOften(String name, String label, Dims ids, int most) {
    require(
        ImmutableMultiset.copyOf(ids.stream().iterator()).entrySet().stream()
            .allMatch(id -> id.getCount() <= most),
        label,
        "%s got %s, want none %s",
        name,
        ids,
        most == 1 ? "twice" : "more than " + most + " times");
  }

  // In place.

  /**
   * Returns how many slices there are of each array.
   *
   * @param input the shape of the input, an array or a tuple of arrays
   * @return the number
   */
  public int slices(Shape input) {
    return Math.max(1, sliceSizes.size() / Math.max(1, arrays(input).size()));
  }

  private static List<Shape> arrays(Shape shape) {
    return shape instanceof Shape.Tuple tuple ? tuple.elements() : List.of(shape);
  }

  private Shape outputShape(Operands in) {
    require(
        in.shapes().size() == 4,
        "",
        "operand count got %s, want 4 for slice_sizes: input, output and start indices of both",
        in.shapes().size());
    boolean isTuple = in.shapes().get(0) instanceof Shape.Tuple;
    List<List<Shape>> each = new ArrayList<>();
    for (Shape operand : in.shapes()) {
      each.add(isTuple ? arrays(operand) : List.of(operand));
    }
    int count = each.get(0).size();
    require(
        count > 0
            && sliceSizes.size() % count == 0
            && each.stream().allMatch(parts -> parts.size() == count)
            && isTuple == in.shapes().get(1) instanceof Shape.Tuple,
        "",
        "input got %s, output %s, start indices %s and %s, and %s slices, want as many of each",
        in.shapes().get(0).withoutLayout(),
        in.shapes().get(1).withoutLayout(),
        in.shapes().get(2).withoutLayout(),
        in.shapes().get(3).withoutLayout(),
        sliceSizes.size());
    int slices = slices(in.shapes().get(0));
    for (int i = 0; i < count; i++) {
      check(i, each, sliceSizes.subList(i * slices, (i + 1) * slices), isTuple ? " " + i : "");
    }
    return in.shapes().get(1).withoutLayout();
  }

  private static void check(int i, List<List<Shape>> each, List<Dims> sizes, String number) {
    Shape.Array input = Operands.requireArray(each.get(0).get(i), "input" + number);
    Shape.Array output = Operands.requireArray(each.get(1).get(i), "output" + number);
    require(
        input.elementType() == output.elementType() && input.rank() == output.rank(),
        "",
        "output%s got %s, want the element type and rank of input %s",
        number,
        output,
        input);
    checkIndices("input" + number, each.get(2).get(i), input, sizes.size());
    checkIndices("output" + number, each.get(3).get(i), output, sizes.size());
    sizes.forEach(size -> checkSizes(size, input, output));
  }

  private static void checkIndices(String name, Shape indices, Shape.Array array, int slices) {
    List<Shape> vectors =
        indices instanceof Shape.Tuple tuple
                && !tuple.elements().isEmpty()
                && tuple.elements().stream().allMatch(Shape.Tuple.class::isInstance)
            ? tuple.elements()
            : List.of(indices);
    require(
        vectors.size() == slices
            && vectors.stream().allMatch(vector -> isIndex(vector, array.rank())),
        "",
        "start indices of the %s got %s, want %s integer scalars for each of %s slices of %s",
        name,
        indices.withoutLayout(),
        array.rank(),
        slices,
        array);
  }

  private static boolean isIndex(Shape vector, int rank) {
    return vector instanceof Shape.Tuple tuple
        && tuple.elements().size() == rank
        && tuple.elements().stream()
            .allMatch(index ->
                index instanceof Shape.Array array
                    && array.isScalar()
                    && array.elementType().isIntegral());
  }

  private static void checkSizes(Dims sizes, Shape.Array input, Shape.Array output) {
    require(
        sizes.count() == input.rank()
            && IntStream.range(0, sizes.count())
                .allMatch(i -> fits(sizes.get(i), input, i) && fits(sizes.get(i), output, i)),
        "",
        "slice_sizes got %s, want a box within %s and %s",
        sizes,
        input,
        output);
  }

  private static boolean fits(long size, Shape.Array array, int dimension) {
    return size >= 0 && (array.isUnbounded(dimension) || size <= array.size(dimension));
  }
}
