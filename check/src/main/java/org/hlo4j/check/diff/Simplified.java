package org.hlo4j.check.diff;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
  private final Map<HloInstruction, View> views = new HashMap<>();

  /** Computations in which instructions are ordered by name. */
  private final ImmutableSet<HloComputation> ordered;

  private Simplified(HloModule module) {
    this.ordered =
        module.computations().stream()
            .filter(each ->
                each.instructions().stream().anyMatch(at -> !at.controlPredecessors().isEmpty()))
            .collect(toImmutableSet());
  }

  /** An array as another one, and where each dimension of that has gone, or -1 for size 1. */
  private record View(HloInstruction source, Dims to) {
    static View of(HloInstruction source) {
      Shape.Array shape = source.arrayShape();
      return new View(source, dims(shape.rank(), d -> shape.size(d) == 1 ? -1 : d));
    }
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

  private HloInstruction simple(HloInstruction at) {
    if (!isMoved(at.op()) || !isPlain(at) || !isPlain(at.operands().get(0))) {
      return at;
    }
    HloInstruction operand = at.operands().get(0);
    boolean isChain =
        operand.op().getClass() == at.op().getClass()
            && (at.op() instanceof Reshape || isWider(operand));
    return view(at, operand)
        .map(view -> viewed(at, view))
        .orElseGet(() -> put(at, at.op(), isChain ? operand.operands().get(0) : operand));
  }

  private static boolean isPlain(HloInstruction at) {
    return at.shape() instanceof Shape.Array array && !array.isDynamic() && at.sharding().isEmpty();
  }

  private static boolean isWider(HloInstruction convert) {
    return convert.op() instanceof Convert op
        && convert.operands().get(0).arrayShape().elementType().isWithin(op.newElementType());
  }

  /** Returns what an instruction shows of the source of its operand, if it only moves elements. */
  private Optional<View> view(HloInstruction at, HloInstruction operand) {
    View of = views.containsKey(operand) ? views.get(operand) : View.of(operand);
    return moved(at.op(), operand.arrayShape(), at.arrayShape())
        .map(to -> dims(of.to().count(), d -> of.to().get(d) < 0 ? -1 : to.get(of.to().getInt(d))))
        .or(() ->
            Optional.of(of.to())
                .filter(to -> at.op() instanceof Reshape)
                .filter(to -> to.stream().allMatch(each -> each < 0)))
        .map(to -> new View(of.source(), to));
  }

  /** Returns where the dimensions of an operand go that are not of size 1. */
  private static Optional<Dims> moved(Op op, Shape.Array from, Shape.Array to) {
    return switch (op) {
      case Broadcast broadcast -> Optional.of(broadcast.dimensions());
      case Transpose transpose -> Optional.of(transpose.dimensions().inverse());
      case Reshape _ ->
          Optional.of(wide(from))
              .filter(wide -> from.sizes().at(wide).equals(to.sizes().at(wide(to))))
              .map(wide ->
                  dims(from.rank(), d -> wide.contains(d) ? wide(to).get(wide.indexOf(d)) : -1));
      default -> Optional.empty();
    };
  }

  private static Dims wide(Shape.Array array) {
    return Dims.of(
        IntStream.range(0, array.rank()).filter(d -> array.size(d) != 1).asLongStream().toArray());
  }

  /** Returns the only instruction that a chain is, if there is one. */
  private HloInstruction viewed(HloInstruction at, View view) {
    Shape.Array from = view.source().arrayShape();
    Shape.Array to = at.arrayShape();
    boolean isWhole = from.elementCount() == to.elementCount();
    Op op;
    if (isWhole && view.to().at(wide(from)).isStrictlyIncreasing()) {
      op = new Reshape((Shape.Array) to.withoutLayout());
    } else if (from.sizes().contains(1)) {
      return at;
    } else if (isWhole && from.rank() == to.rank()) {
      op = new Transpose(view.to().inverse());
    } else {
      op = new Broadcast((Shape.Array) to.withoutLayout(), view.to());
    }
    HloInstruction one = put(at, op, view.source());
    views.put(one, one == view.source() ? View.of(one) : view);
    return one;
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
