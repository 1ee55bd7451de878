package org.hlo4j.check.diff;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
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
  private final Set<HloComputation> ordered = new HashSet<>();

  private Simplified() {}

  /** An array as another one, and the dimension of that for each of its own, or -1. */
  private record View(HloInstruction source, Dims from) {
    static View of(HloInstruction source) {
      Shape.Array shape = (Shape.Array) source.shape();
      return new View(source, dims(shape.rank(), d -> shape.size(d) == 1 ? -1 : d));
    }
  }

  private static Dims dims(int count, IntToLongFunction each) {
    return Dims.of(IntStream.range(0, count).mapToLong(each).toArray());
  }

  static HloModule of(HloModule module) {
    Simplified simplified = new Simplified();
    for (HloComputation computation : module.computations()) {
      computation.instructions().stream()
          .filter(each -> !each.controlPredecessors().isEmpty())
          .forEach(each -> simplified.ordered.add(computation));
    }
    return simplified.copy(module);
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
    Set<HloInstruction> live =
        HloComputation.live(
            to, each -> each == root || !before.contains(each.name()) || !isMoved(each.op()));
    to.retainAll(live);
    return root;
  }

  private static boolean isMoved(Op op) {
    return op instanceof Broadcast
        || op instanceof Transpose
        || op instanceof Reshape
        || op instanceof Convert;
  }

  private HloInstruction simple(HloInstruction at) {
    HloInstruction operand = at.operands().isEmpty() ? at : at.operands().get(0);
    if (!isMoved(at.op()) || !isPlain(at) || !isPlain(operand)) {
      return at;
    }
    boolean isChain =
        operand.op().getClass() == at.op().getClass()
            && (at.op() instanceof Reshape || isWider(operand));
    HloInstruction source = isChain ? operand.operands().get(0) : operand;
    return view(at, operand)
        .map(view -> viewed(at, view))
        .orElseGet(() ->
            at.op() instanceof Reshape || at.op() instanceof Convert
                ? put(at, at.op(), source)
                : at);
  }

  private static boolean isPlain(HloInstruction at) {
    return at.shape() instanceof Shape.Array array && !array.isDynamic() && at.sharding().isEmpty();
  }

  private static boolean isWider(HloInstruction convert) {
    return convert.op() instanceof Convert op
        && type(convert.operands().get(0)).isWithin(op.newElementType());
  }

  private static ElementType type(HloInstruction at) {
    return ((Shape.Array) at.shape()).elementType();
  }

  /** Returns what an instruction shows of the source of its operand, if it only moves elements. */
  private Optional<View> view(HloInstruction at, HloInstruction operand) {
    View of = views.containsKey(operand) ? views.get(operand) : View.of(operand);
    int rank = ((Shape.Array) at.shape()).rank();
    return switch (at.op()) {
      case Broadcast op ->
          Optional.of(
              new View(
                  of.source(),
                  dims(
                      rank,
                      d ->
                          op.dimensions().contains(d)
                              ? of.from().get(op.dimensions().indexOf(d))
                              : -1)));
      case Transpose op ->
          Optional.of(
              new View(of.source(), dims(rank, d -> of.from().get(op.dimensions().getInt(d)))));
      case Reshape _ -> reshaped(of, (Shape.Array) operand.shape(), (Shape.Array) at.shape());
      default -> Optional.empty();
    };
  }

  private static Optional<View> reshaped(View of, Shape.Array from, Shape.Array to) {
    int[] old = IntStream.range(0, from.rank()).filter(d -> from.size(d) != 1).toArray();
    int[] now = IntStream.range(0, to.rank()).filter(d -> to.size(d) != 1).toArray();
    boolean isSplat = of.from().stream().allMatch(each -> each == -1);
    boolean isKept =
        old.length == now.length
            && IntStream.range(0, old.length).allMatch(i -> from.size(old[i]) == to.size(now[i]));
    long[] dims = new long[to.rank()];
    Arrays.fill(dims, -1);
    for (int i = 0; i < now.length && isKept; i++) {
      dims[now[i]] = of.from().get(old[i]);
    }
    return isKept || isSplat ? Optional.of(new View(of.source(), Dims.of(dims))) : Optional.empty();
  }

  /** Returns the only instruction that a chain is, if there is one. */
  private HloInstruction viewed(HloInstruction at, View view) {
    Shape.Array from = (Shape.Array) view.source().shape();
    Shape.Array to = (Shape.Array) at.shape();
    long[] kept = view.from().stream().filter(each -> each >= 0).toArray();
    boolean isWhole = from.elementCount() == to.elementCount();
    Shape.Array shape = (Shape.Array) to.withoutLayout();
    Op op;
    if (isWhole && Arrays.equals(kept, Arrays.stream(kept).sorted().toArray())) {
      op = new Reshape(shape);
    } else if (from.sizes().contains(1)) {
      return at;
    } else if (isWhole && from.rank() == to.rank()) {
      op = new Transpose(view.from());
    } else {
      op = new Broadcast(shape, dims(from.rank(), d -> view.from().indexOf(d)));
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
