package org.hlo4j.interpreter.compiled.folds;

import static java.util.Objects.requireNonNull;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/**
 * Writes a loop over rows that lie side by side, a few vectors of them at a time, and in it loops
 * over their elements, one for each pass. Accumulators, and whatever else belongs to a row, stay in
 * registers.
 */
final class SideCode {
  /** A longer loop C2 would cut into strips. */
  static final int MOST_ELEMENTS = 960;

  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final MethodTypeDesc MIN =
      MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int, ConstantDescs.CD_int);

  private final Lanes lanes;
  private final CodeBuilder code;
  private final LoopWriter writer;
  private final SidePlan plan;
  private final int pitch;
  private final int[] arrays;
  private final int[] positions;
  private final int depth;
  private final int element;
  private int[] bases;

  /**
   * A writer.
   *
   * @param plan what to do
   * @param pitch how far elements are apart of what lies side by side because it was put so
   */
  SideCode(Lanes lanes, SidePlan plan, int pitch) {
    this.lanes = lanes;
    this.code = lanes.code();
    this.writer = new LoopWriter(lanes);
    this.plan = plan;
    this.pitch = pitch;
    this.arrays = new int[plan.arrays()];
    this.positions = new int[plan.arrays()];
    this.bases = positions;
    this.depth = lanes.newLocal(TypeKind.INT);
    this.element = lanes.newLocal(TypeKind.INT);
  }

  /** Writes the loop; so many vectors at a time as long as there are as many. */
  void write(int vectors) {
    lanes.body(() -> {
      for (int i = 0; i < arrays.length; i++) {
        arrays[i] = writer.array(i, plan.types().get(i));
        positions[i] = writer.position(i);
      }
      code.iload(writer.position(arrays.length)).loadConstant(MOST_ELEMENTS);
      code.invokestatic(MATH, "min", MIN).istore(depth);
      writer.start();
      if (vectors > 1) {
        writer.steps(vectors * lanes.width(), () -> writeRows(vectors));
      }
      writer.steps(lanes.width(), () -> writeRows(1));
      code.return_();
    });
  }

  private void writeRows(int vectors) {
    int mark = lanes.mark();
    bases = new int[arrays.length];
    for (int i = 0; i < arrays.length; i++) {
      bases[i] = writer.index(positions[i], 0);
    }
    List<SideRows> rows = new ArrayList<>();
    for (int k = 0; k < vectors; k++) {
      int behind = k * lanes.width();
      rows.add(new SideRows(lanes, node -> ofRow(node, behind)));
    }
    for (int pass = 0; pass < plan.passes; pass++) {
      writePass(pass, rows);
    }
    for (int i = 0; i < plan.roots.size(); i++) {
      Node root = plan.roots.get(i);
      for (int k = 0; k < vectors && !plan.isFull(root); k++) {
        int array = plan.output(i);
        int index = behind(bases[array], k * lanes.width());
        lanes.store(root.type(), arrays[array], index, rows.get(k).value(root));
      }
    }
    lanes.release(mark);
  }

  private Value ofRow(Node.Read read, int behind) {
    SidePlan.Leaf leaf = requireNonNull(plan.leaves.get(read));
    int number = leaf.number();
    return leaf.rowStride() == 0
        ? lanes.loadSplat(read.type(), arrays[number], positions[number])
        : lanes.load(read.type(), arrays[number], behind(bases[number], behind));
  }

  private int behind(int base, int behind) {
    int local = lanes.newLocal(TypeKind.INT);
    code.iload(base).loadConstant(behind).iadd().istore(local);
    return local;
  }

  private void writePass(int pass, List<SideRows> rows) {
    List<Fold> folds = plan.folds(pass);
    Set<Node> stored = plan.stored(pass);
    if (folds.isEmpty() && stored.isEmpty()) {
      return;
    }
    for (SideRows each : rows) {
      folds.forEach(each::begin);
      plan.elements(pass).forEach(node -> writeInvariants(node, pass, each));
    }
    Label again = code.newLabel();
    Label done = code.newLabel();
    code.iconst_0().istore(element);
    code.labelBinding(again).iload(element).iload(depth).if_icmpge(done);
    Map<Node, Value> same = new HashMap<>();
    int markAll = lanes.mark();
    for (int k = 0; k < rows.size(); k++) {
      writeTurn(pass, rows.get(k), k * lanes.width(), same);
    }
    lanes.release(markAll);
    code.iinc(element, 1).goto_(again).labelBinding(done);
    rows.forEach(each -> folds.forEach(each::finish));
  }

  private void writeTurn(int pass, SideRows rows, int behind, Map<Node, Value> same) {
    Elements elements = new Elements(pass, rows, behind, same);
    for (Fold fold : plan.folds(pass)) {
      List<Value> inputs = new ArrayList<>();
      fold.inputs().forEach(input -> inputs.add(elements.value(input)));
      rows.step(fold, inputs);
    }
    for (Node node : plan.stored(pass)) {
      Value value = elements.value(node);
      Integer slot = plan.saved.get(node);
      if (slot != null && plan.levels.pass(node) == pass) {
        store(node, slot, behind, value);
      }
      for (int i = 0; i < plan.roots.size(); i++) {
        if (plan.roots.get(i) == node && plan.isFull(node)) {
          store(node, plan.output(i), behind, value);
        }
      }
    }
  }

  private void store(Node node, int array, int behind, Value value) {
    lanes.store(node.type(), arrays[array], index(bases[array], pitch, behind), value);
  }

  /** Where the element is. */
  private int index(int base, int stride, int behind) {
    int local = lanes.newLocal(TypeKind.INT);
    code.iload(element).loadConstant(stride).imul().iload(base).iadd();
    code.loadConstant(behind).iadd().istore(local);
    return local;
  }

  /** Computes, before the loop, what is the same for all elements. */
  private void writeInvariants(Node node, int pass, SideRows rows) {
    if (isSaved(node, pass)) {
      return;
    }
    switch (node) {
      case Node.Spread spread -> rows.value(spread.kept);
      case Node.Immediate immediate -> rows.value(immediate);
      case Node.Read read -> {
        if (requireNonNull(plan.leaves.get(read)).isOfRow()) {
          rows.value(read);
        }
      }
      case Node.Apply apply ->
          apply.operands.forEach(operand -> writeInvariants(operand, pass, rows));
      case Node.Folded folded -> throw new AssertionError("a result of an element");
    }
  }

  private boolean isSaved(Node node, int pass) {
    return plan.saved.containsKey(node) && plan.levels.pass(node) < pass;
  }

  /** The values of one element of some rows. */
  private final class Elements {
    private final int pass;
    private final SideRows rows;
    private final int behind;
    private final Map<Node, Value> same;
    private final Map<Node, Value> values = new HashMap<>();

    Elements(int pass, SideRows rows, int behind, Map<Node, Value> same) {
      this.pass = pass;
      this.rows = rows;
      this.behind = behind;
      this.same = same;
    }

    Value value(Node node) {
      Map<Node, Value> known = isSame(node) ? same : values;
      Value value = known.get(node);
      if (value == null) {
        value = newValue(node);
        known.put(node, value);
      }
      return value;
    }

    private Value newValue(Node node) {
      if (isSaved(node, pass)) {
        int slot = requireNonNull(plan.saved.get(node));
        return lanes.load(node.type(), arrays[slot], index(bases[slot], pitch, behind));
      }
      return switch (node) {
        case Node.Spread spread -> rows.value(spread.kept);
        case Node.Immediate immediate -> rows.value(immediate);
        case Node.Read read -> read(read, requireNonNull(plan.leaves.get(read)));
        case Node.Apply apply ->
            SideRows.applied(lanes, apply, apply.operands.stream().map(this::value).toList());
        case Node.Folded folded -> throw new AssertionError("a result of an element");
      };
    }

    private Value read(Node.Read read, SidePlan.Leaf leaf) {
      int array = arrays[leaf.number()];
      if (leaf.isOfRow()) {
        return rows.value(read);
      } else if (leaf.rowStride() == 0) {
        int index = index(positions[leaf.number()], leaf.elementStride(), 0);
        return lanes.loadSplat(read.type(), array, index);
      }
      int stride = leaf.isTiled() ? pitch : leaf.elementStride();
      return lanes.load(read.type(), array, index(bases[leaf.number()], stride, behind));
    }

    /** Whether it is the same for all rows. */
    private boolean isSame(Node node) {
      return switch (node) {
        case Node.Spread spread -> false;
        case Node.Immediate immediate -> true;
        case Node.Read read -> {
          SidePlan.Leaf leaf = requireNonNull(plan.leaves.get(read));
          yield leaf.rowStride() == 0 && !leaf.isOfRow();
        }
        case Node.Apply apply -> apply.operands.stream().allMatch(this::isSame);
        case Node.Folded folded -> throw new AssertionError("a result of an element");
      };
    }
  }
}
