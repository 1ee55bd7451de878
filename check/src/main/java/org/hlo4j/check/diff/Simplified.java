package org.hlo4j.check.diff;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Transpose;

/**
 * A module in which a chain of broadcasts, transposes and reshapes that add or remove dimensions of
 * size 1 is one instruction, the last one, as are reshapes in a row and a conversion to a wider
 * type and back. What then has no user is left out.
 */
final class Simplified extends ModuleCopy {
  /** Computations in which instructions are ordered by name. */
  private final ImmutableSet<HloComputation> ordered;

  private Simplified(HloModule module) {
    this.ordered =
        module.computations().stream()
            .filter(each ->
                each.instructions().stream().anyMatch(at -> !at.controlPredecessors().isEmpty()))
            .collect(toImmutableSet());
  }

  private static Dims dims(int count, IntToLongFunction each) {
    return Dims.of(IntStream.range(0, count).mapToLong(each).toArray());
  }

  static HloModule of(HloModule module) {
    return new Simplified(module).copy(module);
  }

  @Override
  protected void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
    HloInstruction updated = updated(instruction);
    HloInstruction simple = ordered.contains(computation) ? updated : simple(updated);
    if (simple.name().equals(instruction.name())) {
      to.add(simple);
    }
    put(instruction, simple);
  }

  /** Leaves out what lost its users here. */
  @Override
  protected HloInstruction root(HloComputation computation, List<HloInstruction> to) {
    HloInstruction root = copy(computation.root());
    Set<String> before = new HashSet<>(Set.of(computation.root().name()));
    computation
        .instructions()
        .forEach(each -> each.operands().forEach(operand -> before.add(operand.name())));
    to.retainAll(
        HloComputation.live(
            to, each -> each == root || !before.contains(each.name()) || !isMoved(each.op())));
    return root;
  }

  private static boolean isMoved(Op op) {
    return switch (op) {
      case Broadcast _, Transpose _, Reshape _, Convert _ -> true;
      default -> false;
    };
  }

  private static HloInstruction simple(HloInstruction at) {
    if (!isMoved(at.op()) || !isPlain(at) || !isPlain(at.operands().get(0))) {
      return at;
    }
    HloInstruction operand = at.operands().get(0);
    HloInstruction source = isMoved(operand.op()) ? operand.operands().get(0) : operand;
    boolean isChain =
        operand.op().getClass() == at.op().getClass()
            && (at.op() instanceof Reshape || isWider(operand));
    return places(operand)
        .filter(_ -> isPlain(source))
        .flatMap(first -> places(at, first))
        .flatMap(to -> one(at, source, to))
        .or(() -> places(at).flatMap(to -> one(at, operand, to)))
        .orElseGet(() -> put(at, at.op(), isChain ? source : operand));
  }

  private static boolean isPlain(HloInstruction at) {
    return at.shape() instanceof Shape.Array array && !array.isDynamic() && at.sharding().isEmpty();
  }

  private static boolean isWider(HloInstruction convert) {
    return convert.op() instanceof Convert op
        && convert.operands().get(0).arrayShape().elementType().isWithin(op.newElementType());
  }

  /** Returns where the dimensions of an operand go that are not of size 1; -1 for those. */
  private static Optional<Dims> places(HloInstruction at) {
    return switch (at.op()) {
      case Broadcast broadcast -> Optional.of(wide(at, broadcast.dimensions()));
      case Transpose transpose -> Optional.of(wide(at, transpose.dimensions().inverse()));
      case Reshape _ -> {
        Shape.Array from = at.operands().get(0).arrayShape();
        Dims wide = wide(from);
        Dims to = wide(at.arrayShape());
        yield Optional.of(wide)
            .filter(_ -> from.sizes().at(wide).equals(at.arrayShape().sizes().at(to)))
            .map(_ -> dims(from.rank(), d -> wide.contains(d) ? to.get(wide.indexOf(d)) : -1));
      }
      default -> Optional.empty();
    };
  }

  private static Dims wide(HloInstruction at, Dims places) {
    Dims sizes = at.operands().get(0).arrayShape().sizes();
    return dims(places.count(), d -> sizes.get(d) == 1 ? -1 : places.get(d));
  }

  /** Returns where the places of dimensions go; nowhere if all elements are the same. */
  private static Optional<Dims> places(HloInstruction at, Dims first) {
    return at.op() instanceof Reshape && first.stream().allMatch(each -> each < 0)
        ? Optional.of(first)
        : places(at)
            .map(to -> dims(first.count(), d -> first.get(d) < 0 ? -1 : to.get(first.getInt(d))));
  }

  private static Dims wide(Shape.Array array) {
    return Dims.of(
        IntStream.range(0, array.rank()).filter(d -> array.size(d) != 1).asLongStream().toArray());
  }

  /** Returns the only instruction that puts dimensions of a source in places, if there is one. */
  private static Optional<HloInstruction> one(HloInstruction at, HloInstruction source, Dims to) {
    Shape.Array from = source.arrayShape();
    Shape.Array shape = (Shape.Array) at.arrayShape().withoutLayout();
    boolean isWhole = from.elementCount() == shape.elementCount();
    if (isWhole && to.at(wide(from)).isStrictlyIncreasing()) {
      return Optional.of(put(at, new Reshape(shape), source));
    } else if (from.sizes().contains(1)) {
      return Optional.empty();
    }
    boolean isTransposed = isWhole && from.rank() == shape.rank();
    return Optional.of(
        put(at, isTransposed ? new Transpose(to.inverse()) : new Broadcast(shape, to), source));
  }

  /** Returns the instruction with another op and operand; the operand if it changes nothing. */
  private static HloInstruction put(HloInstruction at, Op op, HloInstruction operand) {
    if (!(op instanceof Transpose) && at.shape().toString().equals(operand.shape().toString())) {
      return operand;
    }
    return operand == at.operands().get(0) && op.getClass() == at.op().getClass()
        ? at
        : HloInstruction.create(
            at.name(), op, List.of(operand), List.of(), at.shape(), at.metadata(), at.attributes());
  }
}
