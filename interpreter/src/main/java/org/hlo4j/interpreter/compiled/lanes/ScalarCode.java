package org.hlo4j.interpreter.compiled.lanes;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.Label;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * Code of instructions on scalars and tuples of them. A called computation is written where it is
 * called; {@code while} becomes a loop of Java bytecode with its state in local variables.
 */
final class ScalarCode {
  /** More would not fit a method that is compiled, and calls may double at each level. */
  private static final int MOST_INSTRUCTIONS = 3000;

  private static final int MOST_NESTED_CALLS = 20;

  private final Lanes lanes;
  private final Runnable inEachTurn;
  private int instructions;
  private int nestedCalls;

  /**
   * A writer.
   *
   * @param lanes the scalar back end
   * @param inEachTurn writes what each turn of a loop does besides
   */
  ScalarCode(Lanes lanes, Runnable inEachTurn) {
    this.lanes = lanes;
    this.inEachTurn = inEachTurn;
  }

  /** The root of a computation. */
  Item write(HloComputation computation, List<Item> arguments) {
    instructions += computation.instructions().size();
    if (instructions > MOST_INSTRUCTIONS || nestedCalls == MOST_NESTED_CALLS) {
      throw new UnsupportedOperationException("too much for one method");
    }
    nestedCalls++;
    Map<HloInstruction, Item> items = new HashMap<>();
    for (HloInstruction instruction : computation.instructions()) {
      List<Item> operands = instruction.operands().stream().map(items::get).toList();
      Item item =
          instruction.op() instanceof Parameter parameter
              ? arguments.get(parameter.number())
              : write(instruction, operands);
      items.put(instruction, item);
    }
    nestedCalls--;
    return Objects.requireNonNull(items.get(computation.root()));
  }

  /** An instruction, given its operands. */
  Item write(HloInstruction instruction, List<Item> operands) {
    return switch (instruction.op()) {
      case Constant constant -> constant(constant.literal());
      case Tuple _ -> new Item.Group(ImmutableList.copyOf(operands));
      case GetTupleElement element -> ((Item.Group) operands.get(0)).items().get(element.index());
      case Copy _, OptBarrier _ -> operands.get(0);
      case Reshape _, Bitcast _, Broadcast _ -> sameScalar(instruction, operands.get(0));
      case Call _, Fusion _ -> write(instruction.called().get(0), operands);
      case While _ -> loop(instruction, operands.get(0));
      case Conditional op -> conditional(op, instruction, operands);
      default -> element(instruction, operands);
    };
  }

  private Item constant(Literal literal) {
    if (literal.shape() instanceof Shape.Tuple) {
      return new Item.Group(
          literal.elements().stream().map(this::constant).collect(toImmutableList()));
    }
    Item.requireScalars(literal.shape());
    return new Item.Scalar(literal.elementType(), lanes.constant(literal));
  }

  private static Item sameScalar(HloInstruction instruction, Item operand) {
    boolean same =
        operand instanceof Item.Scalar scalar
            && instruction.shape() instanceof Shape.Array array
            && array.isScalar()
            && array.elementType() == scalar.type();
    if (!same) {
      throw new UnsupportedOperationException("no scalar: " + instruction.shape());
    }
    return operand;
  }

  private Item element(HloInstruction instruction, List<Item> operands) {
    ElementType type = Item.scalars(instruction.shape()).findFirst().orElseThrow().elementType();
    List<Item.Scalar> scalars = operands.stream().flatMap(Item::scalars).toList();
    Value value =
        ElementFunctions.apply(
            lanes,
            instruction.op(),
            scalars.stream().map(Item.Scalar::type).toList(),
            type,
            scalars.stream().map(Item.Scalar::value).toList());
    return new Item.Scalar(type, value);
  }

  // ---- loops

  private Item loop(HloInstruction instruction, Item initial) {
    Item state = variables(initial);
    int mark = lanes.mark();
    Label end = lanes.code().newLabel();
    Label next = lanes.code().newBoundLabel();
    Item condition = write(instruction.called().get(0), ImmutableList.of(state));
    lanes.code().iload(local(condition)).ifeq(end);
    assign(state, write(instruction.called().get(1), ImmutableList.of(state)));
    inEachTurn.run();
    lanes.code().goto_(next).labelBinding(end);
    lanes.release(mark);
    return state;
  }

  private static int local(Item item) {
    return ((Item.Scalar) item).value().local();
  }

  private Item variables(Item item) {
    return switch (item) {
      case Item.Scalar scalar -> new Item.Scalar(scalar.type(), lanes.variable(scalar.value()));
      case Item.Group group ->
          new Item.Group(group.items().stream().map(this::variables).collect(toImmutableList()));
    };
  }

  /** All at once: what is still to be assigned is kept first. */
  private void assign(Item targets, Item sources) {
    Set<Integer> assigned = targets.scalars().map(ScalarCode::local).collect(Collectors.toSet());
    Iterator<Value> kept =
        sources
            .scalars()
            .map(source ->
                assigned.contains(local(source)) ? lanes.variable(source.value()) : source.value())
            .toList()
            .iterator();
    targets.scalars().forEach(target -> lanes.assign(target.value(), kept.next()));
  }

  // ---- branches

  private Item conditional(Conditional op, HloInstruction instruction, List<Item> operands) {
    Label end = lanes.code().newLabel();
    int index = local(operands.get(0));
    List<HloComputation> branches = instruction.called();
    Item result = null;
    for (int i = 0; i < branches.size(); i++) {
      Label otherwise = lanes.code().newLabel();
      if (i < branches.size() - 1) {
        writeUnlessChosen(op, index, i, otherwise);
      }
      int mark = lanes.mark();
      Item value = write(branches.get(i), ImmutableList.of(operands.get(i + 1)));
      if (result == null) {
        result = variables(value);
      } else {
        assign(result, value);
      }
      lanes.release(mark);
      lanes.code().goto_(end).labelBinding(otherwise);
    }
    lanes.code().labelBinding(end);
    return result == null ? new Item.Group(ImmutableList.of()) : result;
  }

  /** Jumps if a branch that is not the last is not the one the index means. */
  private void writeUnlessChosen(Conditional op, int index, int branch, Label otherwise) {
    if (op.indexType() == ElementType.PRED) {
      lanes.code().iload(index).ifeq(otherwise);
    } else {
      lanes.code().iload(index).loadConstant(branch).if_icmpne(otherwise);
    }
  }
}
