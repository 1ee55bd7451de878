package org.hlo4j.interpreter.compiled.scalars;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.compiled.lanes.HiddenClasses;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.engine.Kernel;

/**
 * A turn of a {@code while} as one generated method, which is called again and again: it has loops
 * of its own over the elements of arrays, and C2 compiles a method that is called better than one
 * that is entered within a loop.
 */
final class ScalarTurns {
  // Slots of the parameters of ScalarTurn.run.
  private static final int ARRAYS = 1;
  private static final int CONTEXT_SLOT = 2;

  /** Of loops within a turn, which has as many operations as a hundred turns of scalars or more. */
  private static final int ITERATIONS_BETWEEN_CHECKS = 1 << 7;

  private final HloInstruction loop;
  private final HloComputation body;
  private final Lanes lanes;
  private final ScalarArrays arrays;
  private final CodeBuilder code;
  private final int index;
  private final List<Boolean> areChanged = new ArrayList<>();

  private ScalarTurns(HloInstruction loop, CodeBuilder code) {
    this.loop = loop;
    this.body = loop.called().get(1);
    this.lanes = Lanes.scalar(code);
    this.arrays = new ScalarArrays(lanes, ARRAYS, true);
    this.code = code;
    this.index = lanes.newLocal(TypeKind.INT);
  }

  /** The kernel of a loop; refused if there is no code for all of it. */
  static Kernel kernel(HloInstruction loop, Style style, boolean observesNanBits) {
    TurnKernel.Plan[] plan = new TurnKernel.Plan[1];
    ScalarTurn iteration =
        HiddenClasses.instance(
            ScalarTurn.class,
            "Turn_" + loop.name(),
            code -> plan[0] = new ScalarTurns(loop, code).write(style, observesNanBits));
    return new TurnKernel(loop.shape(), iteration, plan[0]);
  }

  private TurnKernel.Plan write(Style style, boolean observesNanBits) {
    lanes.body(() -> {
      code.iconst_0().istore(index);
      TurnCheck check = new TurnCheck(lanes, CONTEXT_SLOT, ITERATIONS_BETWEEN_CHECKS);
      ScalarCode all = new ScalarCode(lanes, arrays, style, observesNanBits, check::write);
      Item state = state(all);
      Label end = code.newLabel();
      all.control().iteration(loop, state, end);
      store(all, state);
      code.iconst_1().ireturn();
      code.labelBinding(end).iconst_0().ireturn();
    });
    if (style.hasCalls() && !arrays.hasCalls()) {
      throw new UnsupportedOperationException("nothing to call");
    }
    return new TurnKernel.Plan(
        ImmutableList.copyOf(areChanged), ImmutableList.copyOf(arrays.given()));
  }

  /** What the turn begins with: read from the arrays of the state. */
  private Item state(ScalarCode all) {
    if (!(loop.shape() instanceof Shape.Tuple tuple)) {
      return item(all, loop.shape(), ControlCode.isChanged(body, 0), 0);
    }
    ImmutableList.Builder<Item> items = ImmutableList.builder();
    for (int i = 0; i < tuple.elements().size(); i++) {
      items.add(item(all, tuple.elements().get(i), ControlCode.isChanged(body, i), i));
    }
    return new Item.Group(items.build());
  }

  private Item item(ScalarCode all, Shape shape, boolean isChanged, int number) {
    if (shape instanceof Shape.Tuple tuple) {
      return new Item.Group(
          tuple.elements().stream()
              .map(each -> item(all, each, isChanged, number))
              .collect(ImmutableList.toImmutableList()));
    }
    areChanged.add(isChanged);
    Item.Leaf leaf = arrays.operand(Item.array(shape), index);
    return isChanged ? all.control().changing(leaf, body, number) : leaf;
  }

  /** Writes what is in local variables back to where it came from. */
  private void store(ScalarCode all, Item state) {
    List<Item.Leaf> leaves = state.leaves().toList();
    IntStream.range(0, leaves.size())
        .filter(areChanged::get)
        .forEach(i -> store(all, leaves.get(i), i));
  }

  private void store(ScalarCode all, Item.Leaf leaf, int number) {
    switch (leaf) {
      case Item.Scalar scalar ->
          lanes.store(scalar.type(), arrays.local(number), index, scalar.value());
      case Item.Elements elements ->
          all.arrays()
              .store(
                  elements,
                  elements.shape().sizes(),
                  new Item.Cells(elements.shape(), arrays.local(number), 0),
                  at -> at);
      case Item.Cells _, Item.Computed _ -> {}
    }
  }
}
