package org.hlo4j.interpreter.compiled.lanes;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.Label;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
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
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * Code of instructions on scalars, single elements of arrays, and tuples of these. A called
 * computation is written where it is called; {@code while} becomes a loop of Java bytecode with its
 * state in local variables.
 */
final class ScalarCode {
  /** More would not fit a method that is compiled, and calls may double at each level. */
  private static final int MOST_INSTRUCTIONS = 3000;

  private static final int MOST_NESTED_CALLS = 20;

  private final Lanes lanes;
  private final ScalarArrays arrays;
  private final boolean areBitsSeen;
  private final Runnable inEachTurn;
  private int nestedLoops;
  private int instructions;
  private int nestedCalls;

  /**
   * A writer.
   *
   * @param lanes the scalar back end
   * @param arrays the arrays of the program
   * @param areBitsSeen whether one NaN may be told from another
   * @param inEachTurn writes what each turn of a loop does besides
   */
  ScalarCode(Lanes lanes, ScalarArrays arrays, boolean areBitsSeen, Runnable inEachTurn) {
    this.lanes = lanes;
    this.arrays = arrays;
    this.areBitsSeen = areBitsSeen;
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
      case Bitcast _, Broadcast _, Reverse _, Transpose _ ->
          scalar(instruction, operands.get(0).scalar());
      case Iota _ -> firstNumber(instruction);
      case Reshape _ -> reshaped(instruction, operands.get(0));
      case Slice slice -> read(instruction, operands.get(0), starts(slice));
      case DynamicSlice _ ->
          read(instruction, operands.get(0), operands.subList(1, operands.size()));
      case DynamicUpdateSlice _ -> update(operands);
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
    return arrays.constant(literal);
  }

  /** The same number as the one element of another shape. */
  private static Item.Scalar scalar(HloInstruction instruction, Item.Scalar operand) {
    boolean same =
        instruction.shape() instanceof Shape.Array array
            && Item.isScalar(array)
            && array.elementType() == operand.type();
    if (!same) {
      throw new UnsupportedOperationException("no scalar: " + instruction.shape());
    }
    return operand;
  }

  private Item firstNumber(HloInstruction iota) {
    ElementType type = Item.arrays(iota.shape()).findFirst().orElseThrow().elementType();
    return scalar(iota, new Item.Scalar(type, lanes.constant(Lane.of(type), 0)));
  }

  private Item element(HloInstruction instruction, List<Item> operands) {
    Shape.Array shape = Item.arrays(instruction.shape()).findFirst().orElseThrow();
    List<Item.Scalar> scalars = operands.stream().map(Item::scalar).toList();
    if (scalars.isEmpty() || !Item.isScalar(shape)) {
      throw new UnsupportedOperationException("not from scalars to a scalar: " + instruction);
    }
    Value value =
        ElementFunctions.apply(
            lanes,
            instruction.op(),
            scalars.stream().map(Item.Scalar::type).toList(),
            shape.elementType(),
            scalars.stream().map(Item.Scalar::value).toList());
    boolean isQuiet = areBitsSeen && QuietNaN.isNeededBy(instruction.op(), shape.elementType());
    return new Item.Scalar(shape.elementType(), isQuiet ? QuietNaN.instead(lanes, value) : value);
  }

  // ---- arrays

  private Item reshaped(HloInstruction instruction, Item operand) {
    return operand instanceof Item.Cells cells
        ? new Item.Cells((Shape.Array) instruction.shape(), cells.local(), cells.version())
        : scalar(instruction, operand.scalar());
  }

  private List<Item> starts(Slice slice) {
    return slice.slice().startIndices().stream()
        .<Item>mapToObj(start -> new Item.Scalar(ElementType.S64, lanes.constant(Lane.I64, start)))
        .toList();
  }

  private Item read(HloInstruction instruction, Item operand, List<Item> starts) {
    if (operand instanceof Item.Scalar scalar) {
      return scalar(instruction, scalar);
    }
    Item.Scalar element = arrays.read((Item.Cells) operand, starts);
    return scalar(instruction, element);
  }

  private Item update(List<Item> operands) {
    Item.Scalar update = operands.get(1).scalar();
    return operands.get(0) instanceof Item.Cells cells
        ? arrays.write(cells, update, operands.subList(2, operands.size()), nestedLoops == 0)
        : update;
  }

  // ---- loops

  private Item loop(HloInstruction instruction, Item initial) {
    HloComputation body = instruction.called().get(1);
    Item state = variables(initial, body.root());
    int mark = lanes.mark();
    Label end = lanes.code().newLabel();
    Label next = lanes.code().newBoundLabel();
    nestedLoops++;
    Item condition = write(instruction.called().get(0), ImmutableList.of(state));
    lanes.code().iload(local(condition)).ifeq(end);
    assign(state, write(body, ImmutableList.of(state)));
    inEachTurn.run();
    nestedLoops--;
    lanes.code().goto_(next).labelBinding(end);
    lanes.release(mark);
    return now(state);
  }

  private static int local(Item item) {
    return item.scalar().value().local();
  }

  /** What a loop begins with; what it hands on from turn to turn need not be written to. */
  private Item variables(Item initial, HloInstruction next) {
    if (next.op() instanceof Parameter) {
      return initial;
    }
    if (!(initial instanceof Item.Group group && next.op() instanceof Tuple)) {
      return variables(initial);
    }
    ImmutableList.Builder<Item> items = ImmutableList.builder();
    for (int i = 0; i < group.items().size(); i++) {
      Item item = group.items().get(i);
      items.add(isHandedOn(next.operands().get(i), i) ? item : variables(item));
    }
    return new Item.Group(items.build());
  }

  private static boolean isHandedOn(HloInstruction next, int index) {
    return next.op() instanceof GetTupleElement element
        && element.index() == index
        && next.operands().get(0).op() instanceof Parameter;
  }

  private Item variables(Item item) {
    return item.map(this::variable, cells -> arrays.writable(cells, nestedLoops == 0));
  }

  private Item.Scalar variable(Item.Scalar scalar) {
    return new Item.Scalar(scalar.type(), lanes.variable(scalar.value()));
  }

  /** The items behind code that may have overwritten them. */
  private Item now(Item item) {
    return item.map(UnaryOperator.identity(), arrays::now);
  }

  /** All at once: what is still to be assigned is kept first. Arrays have to be where they were. */
  private void assign(Item targets, Item sources) {
    List<Item.Leaf> places = targets.leaves().toList();
    List<Item.Leaf> leaves = sources.leaves().toList();
    Map<Value, Value> moves = new LinkedHashMap<>();
    for (int i = 0; i < places.size(); i++) {
      switch (leaves.get(i)) {
        case Item.Scalar scalar -> moves.put(places.get(i).scalar().value(), scalar.value());
        case Item.Cells cells -> arrays.requireIn(places.get(i), cells);
      }
    }
    moves.entrySet().removeIf(move -> move.getKey().equals(move.getValue()));
    Set<Value> assigned = moves.keySet();
    moves.replaceAll((to, from) -> assigned.contains(from) ? lanes.variable(from) : from);
    moves.forEach(lanes::assign);
  }

  // ---- branches

  private Item conditional(Conditional op, HloInstruction instruction, List<Item> operands) {
    Label end = lanes.code().newLabel();
    int index = local(operands.get(0));
    List<HloComputation> branches = instruction.called();
    Item result = null;
    Map<Integer, Integer> before = arrays.versions();
    List<Map<Integer, Integer>> ends = new ArrayList<>();
    for (int i = 0; i < branches.size(); i++) {
      arrays.restore(before);
      Label otherwise = lanes.code().newLabel();
      if (i < branches.size() - 1) {
        writeUnlessChosen(op, index, i, otherwise);
      }
      int mark = lanes.mark();
      Item value = write(branches.get(i), ImmutableList.of(operands.get(i + 1)));
      if (result == null) {
        result = value.map(this::variable, arrays::there);
      } else {
        assign(result, value);
      }
      ends.add(arrays.versions());
      lanes.release(mark);
      lanes.code().goto_(end).labelBinding(otherwise);
    }
    lanes.code().labelBinding(end);
    arrays.join(ends);
    return result == null ? new Item.Group(ImmutableList.of()) : now(result);
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
