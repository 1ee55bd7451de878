package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;

/** Numbers, shapes and arrays that steps draw. */
final class Numbers {
  /** A computation that is called as it is. */
  static final Place CALLED = new Place("call", 0);

  private Numbers() {}

  /** Returns a shape: of few elements, or at times enough to be split among threads. */
  static Shape.Array shape(Choices choices) {
    return Shape.of(
        choices.type(),
        choices.chance(60)
            ? Dims.of(20_000 + choices.below(50_000))
            : choices.sizes(choices.below(4), 4_000));
  }

  /** Returns a random subset of the dimensions, in order. */
  static Dims subset(Choices choices, int rank) {
    return Dims.of(LongStream.range(0, rank).filter(i -> choices.chance(2)).toArray());
  }

  /** Returns an array of a shape: an existing one or a new one. */
  static HloInstruction like(Block block, Shape.Array shape) {
    return block.value(shape);
  }

  static HloInstruction like(Block block, ElementType type, Dims sizes) {
    return like(block, Shape.of(type, sizes));
  }

  static HloInstruction any(Block block) {
    return any(block, shape -> true);
  }

  /** Returns an existing array whose shape matches, preferably a recent one, or a new one. */
  static HloInstruction any(Block block, Predicate<Shape.Array> suits) {
    return block.any(type -> true, suits);
  }

  /** Returns the computation of a root without dead instructions, if it uses all parameters. */
  static HloComputation tight(Block block, HloInstruction root) {
    Set<HloInstruction> live = HloComputation.live(block.instructions(), root::equals);
    List<HloInstruction> kept =
        block.instructions().stream()
            .filter(each -> live.contains(each) || each.op() instanceof Parameter)
            .toList();
    require(live.containsAll(kept), "", "a parameter has no use");
    return HloComputation.create("c" + block.draft.nextName(), kept, root);
  }

  /** Returns a small whole number as a scalar of any type that is not complex. */
  static Literal scalar(ElementType type, int value) {
    return Literal.ofBits(
        Shape.of(type),
        i ->
            type.isFloating()
                ? type.encode(value)
                : type.bits() == 64 ? value : Math.min(value, type.maxLong()));
  }
}
