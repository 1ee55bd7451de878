package org.hlo4j.interpreter.engine.sizes;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.StartBounds;

/**
 * Whether starts that are data are the same by sizes and by bounds. A clamped start is if it does
 * not go beyond the last one of either.
 */
final class StartChecks {
  private static final Elementwise AND = new Elementwise(Elementwise.Kind.AND);
  private static final Compare NOT_BEYOND = new Compare(Compare.Direction.LE, Optional.empty());

  private final Computations computations;
  private final ComputationBuilder body;
  private final List<HloInstruction> checks = new ArrayList<>();

  StartChecks(Computations computations, ComputationBuilder body) {
    this.computations = computations;
    this.body = body;
  }

  boolean isEmpty() {
    return checks.isEmpty();
  }

  /** Adds a pred that has to hold; one that is known is checked now. */
  void add(HloInstruction check) {
    Optional<Literal> known = known(check);
    require(known.isEmpty() || known.get().booleanAt(0), "", "a start is beyond the sizes");
    if (known.isEmpty()) {
      checks.add(check);
    }
  }

  private Optional<Literal> known(HloInstruction check) {
    try {
      return Optional.of(computations.known().of(check, body.written()));
    } catch (HloException dependsOnData) {
      Limits.checkCurrent();
      return Optional.empty();
    }
  }

  /** Returns whether all hold; true if there are none. */
  HloInstruction all() {
    if (isEmpty()) {
      return CheckedForms.yes(body);
    }
    HloInstruction all = checks.get(0);
    for (HloInstruction check : checks.subList(1, checks.size())) {
      all = body.add("in_place", AND, all, check);
    }
    return all;
  }

  /** Adds what has to hold for the starts of an instruction. */
  void addStarts(HloInstruction each, Op op, List<HloInstruction> operands) {
    List<Shape> shapes = operands.stream().map(operand -> operand.shape().withoutLayout()).toList();
    Optional<StartBounds> bounds = StartBounds.of(each, op, shapes);
    if (bounds.isEmpty()) {
      return;
    }
    Dims last = bounds.get().last();
    Dims limits =
        last.clamp(Dims.filled(last.count(), Long.MIN_VALUE), bounds.get().lastByBounds());
    int scalars = bounds.get().scalars();
    switch (op) {
      case Gather gather -> addVectors(gather, operands.get(1), limits, bounds.get());
      case Scatter _ ->
          require(bounds.get().areSingleElements(), "", "windows of several elements are data");
      default -> addEach(operands.subList(scalars, operands.size()), limits, bounds.get());
    }
  }

  private void addEach(List<HloInstruction> starts, Dims limits, StartBounds bounds) {
    require(starts.size() == limits.count(), "", "starts in one array are data");
    for (int i = 0; i < starts.size(); i++) {
      ElementType type = ((Shape.Array) starts.get(i).shape()).elementType();
      if (bounds.last().get(i) != bounds.lastByBounds().get(i)) {
        HloInstruction limit =
            body.constant("last", Literal.of(type, limit(type, i, limits, bounds)));
        add(body.add("in_place", NOT_BEYOND, starts.get(i), limit));
      }
    }
  }

  /** Returns what a start may be: anything where sizes and bounds agree. */
  private static long limit(ElementType type, int dimension, Dims limits, StartBounds bounds) {
    long most = greatest(type);
    boolean differ = bounds.last().get(dimension) != bounds.lastByBounds().get(dimension);
    return differ ? Math.min(limits.get(dimension), most) : most;
  }

  private static long greatest(ElementType type) {
    return type.bits() == 64 ? Long.MAX_VALUE : type.maxLong();
  }

  /** Adds that each number of each vector is at most the limit of the dimension that it indexes. */
  private void addVectors(Gather gather, HloInstruction indices, Dims limits, StartBounds bounds) {
    Shape.Array shape = (Shape.Array) indices.shape().withoutLayout();
    ElementType type = shape.elementType();
    Dims map = gather.startIndexMap();
    LiteralBuilder builder = LiteralBuilder.zeros(Shape.of(type, map.count()));
    for (int i = 0; i < map.count(); i++) {
      boolean isRead = !gather.operandBatchingDims().contains(map.get(i));
      builder.setLong(i, isRead ? limit(type, map.getInt(i), limits, bounds) : greatest(type));
    }
    boolean isImplied = gather.indexVectorDim() == shape.rank();
    Literal vector = builder.build();
    HloInstruction last =
        body.constant("last", isImplied ? vector.withShape(Shape.of(type)) : vector);
    Dims dimensions = isImplied ? Dims.of() : Dims.of(gather.indexVectorDim());
    HloInstruction everywhere = body.add("last", new Broadcast(shape, dimensions), last);
    HloInstruction inPlace = body.add("in_place", NOT_BEYOND, indices, everywhere);
    add(
        body.add(
            "in_place",
            new Reduce(Dims.range(0, shape.rank())),
            ImmutableList.of(inPlace, body.constant("yes", Literal.of(true))),
            ImmutableList.of(and())));
  }

  private HloComputation and() {
    ComputationBuilder builder = new ComputationBuilder(computations);
    Shape pred = Shape.of(ElementType.PRED);
    HloInstruction lhs = builder.add("lhs", new Parameter(0, pred));
    HloInstruction rhs = builder.add("rhs", new Parameter(1, pred));
    return builder.build("and", builder.add("both", AND, lhs, rhs));
  }
}
