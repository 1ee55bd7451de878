package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * Programs of long chains in which each value is an operand twice, so that a recursion over
 * operands without a memo takes exponential time: in the entry, in a loop, and below a reduction.
 */
final class SharedPrograms {
  private static final List<ElementType> TYPES =
      List.of(ElementType.F32, ElementType.F64, ElementType.S32, ElementType.C64, ElementType.U8);

  private final Choices choices;
  private final ElementType type;
  private final int rows;
  private final int columns;

  private SharedPrograms(Choices choices) {
    this.choices = choices;
    this.type = choices.oneOf(TYPES);
    this.rows = 2 + choices.below(3);
    this.columns = choices.oneOf(List.of(2, 8, 300));
  }

  static Program of(long seed) {
    SharedPrograms program = new SharedPrograms(new Choices(seed, new Restrictions()));
    Block entry = Block.entry(new ProgramDraft(program.choices));
    HloInstruction root = program.root(entry);
    return new Program(
        HloModule.create("shared", entry.close(root)), ImmutableList.copyOf(entry.arguments));
  }

  private HloInstruction root(Block entry) {
    HloInstruction x = entry.parameter(choices.literal(Shape.of(type, rows, columns)));
    HloInstruction chained = choices.chance(3) ? looped(entry, x) : chain(entry, x);
    HloInstruction reduced =
        choices.chance(2)
            ? reduced(entry, chained)
            : entry.add(new Elementwise(Kind.NEGATE), chained);
    return entry.add(new Tuple(), List.of(chained, reduced), List.of());
  }

  private HloInstruction chain(Block block, HloInstruction x) {
    int length = 30 + choices.below(30);
    int mix = choices.below(5);
    HloInstruction value = x;
    for (int i = 0; i < length; i++) {
      value = link(block, value, mix < 4 ? mix : choices.below(4), x);
    }
    return value;
  }

  /** Returns one value of another that is an operand of it in two ways. */
  private HloInstruction link(Block block, HloInstruction x, int kind, HloInstruction first) {
    return switch (kind) {
      case 0 -> add(block, new Elementwise(combiner()), x, add(block, new Elementwise(unary()), x));
      case 1 ->
          block.add(
              new Concatenate(Dims.of(1)),
              List.of(half(block, x, columns / 2, columns), half(block, x, 0, columns / 2)),
              List.of());
      case 2 ->
          add(
              block,
              new Elementwise(combiner()),
              add(block, new Reverse(Dims.of(choices.below(2))), x),
              x);
      default -> {
        if (type.isComplex()) {
          yield add(block, new Elementwise(Kind.ADD), x, x);
        }
        HloInstruction more =
            add(block, new Compare(Compare.Direction.GT, Optional.empty()), x, first);
        yield add(block, new Select(), more, x, add(block, new Elementwise(combiner()), x, first));
      }
    };
  }

  private HloInstruction half(Block block, HloInstruction x, long from, long to) {
    return block.add(
        new Slice(new SliceRanges(Dims.of(0, from), Dims.of(rows, to), Dims.of(1, 1))), x);
  }

  private Kind combiner() {
    return type.isComplex()
        ? Kind.ADD
        : choices.oneOf(List.of(Kind.MAXIMUM, Kind.MINIMUM, Kind.ADD));
  }

  private Kind unary() {
    return type == ElementType.U8 || choices.chance(2)
        ? Kind.NEGATE
        : type.isComplex() ? Kind.NEGATE : Kind.ABS;
  }

  private HloInstruction reduced(Block block, HloInstruction x) {
    Kind kind = type.isComplex() ? Kind.ADD : Kind.MAXIMUM;
    HloInstruction initial = block.leaf(Shape.of(type));
    return block.add(
        new Reduce(Dims.of(type.isComplex() ? 0 : choices.below(2))),
        List.of(x, initial),
        List.of(ReduceSteps.body(block, kind, type)));
  }

  /** Runs the chain a few times in a loop, on real or complex state. */
  private HloInstruction looped(Block block, HloInstruction x) {
    HloInstruction start =
        block.add(new Tuple(), List.of(block.scalar(Literal.of(0)), x), List.of());
    Block condition = block.inner(Numbers.CALLED, List.of(start.shape()), 1);
    HloInstruction count = add(condition, new GetTupleElement(0), condition.instructions().get(0));
    HloComputation below =
        condition.close(
            add(
                condition,
                new Compare(Compare.Direction.LT, Optional.empty()),
                count,
                condition.scalar(Literal.of(3))));
    Block body = block.inner(Numbers.CALLED, List.of(start.shape()), 1);
    HloInstruction counter = add(body, new GetTupleElement(0), body.instructions().get(0));
    HloInstruction value = add(body, new GetTupleElement(1), body.instructions().get(0));
    HloInstruction next = add(body, new Elementwise(Kind.ADD), counter, body.scalar(Literal.of(1)));
    HloComputation step =
        body.close(body.add(new Tuple(), List.of(next, chain(body, value)), List.of()));
    HloInstruction result = block.add(new While(), List.of(start), List.of(below, step));
    return add(block, new GetTupleElement(1), result);
  }

  private static HloInstruction add(Block block, Op op, HloInstruction... operands) {
    return block.add(op, operands);
  }
}
