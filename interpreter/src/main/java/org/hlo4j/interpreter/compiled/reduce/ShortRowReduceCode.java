package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Expressions;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * The code generator of a loop that reduces one short row. It computes the inputs of the reductions
 * and the values that follow from their results, without storing anything in between. Unless rows
 * are very short, a reduction in which no order matters, so no sum of floats, interleaves its
 * elements over {@value #INTERLEAVED} accumulators, so that additions do not wait for each other.
 * The first accumulator starts from the initial value.
 */
final class ShortRowReduceCode {
  private static final int INTERLEAVED = 4;
  private static final int FEW_ELEMENTS = 8;

  private final CodeEmitter emitter;
  private final ReduceLoopWriter writer;
  private final BlockPlan plan;
  private final BlockPassCode shared;
  private final RowReductions row;

  /** Creates a code generator for the only pass of a plan. */
  ShortRowReduceCode(CodeEmitter emitter, BlockPlan plan) {
    this.emitter = emitter;
    this.writer = new ReduceLoopWriter(emitter);
    this.plan = plan;
    this.shared = new BlockPassCode(writer, plan, 0, plan.types()::get);
    this.row = new RowReductions(emitter, this::rowValue);
  }

  void write() {
    emitter.body(() -> {
      plan.reductions.forEach(reduction -> row.begin(reduction, accumulators(reduction)));
      shared.writeInvariants(row::value);
      writer.start();
      writer.steps(INTERLEAVED, () -> writeIterations(INTERLEAVED));
      writer.steps(1, () -> writeIterations(1));
      row.markCarried();
      plan.reductions.forEach(row::finish);
      for (int i = 0; i < plan.roots.size(); i++) {
        LoopNode root = plan.roots.get(i);
        int number = plan.output(i);
        Value value = row.value(root);
        emitter.store(root.type(), shared.array(number), shared.position(number), value);
      }
      emitter.code().return_();
    });
  }

  private int accumulators(Reduction reduction) {
    boolean isAnyOrder = reduction.body().isUnordered() && !reduction.body().isSum();
    return isAnyOrder && plan.depth > FEW_ELEMENTS ? INTERLEAVED : 1;
  }

  private void writeIterations(int iterations) {
    row.markCarried();
    for (int k = 0; k < iterations; k++) {
      int mark = emitter.mark();
      int iteration = k;
      Expressions<LoopNode> values =
          new Expressions<>(
              emitter, node -> plan.elementTerm(node, 0), node -> element(node, iteration));
      for (Reduction reduction : plan.reductions) {
        row.step(reduction, k, reduction.inputs().stream().map(values::value).toList());
      }
      emitter.release(mark);
    }
  }

  private Value element(LoopNode node, int iteration) {
    return shared.element(
        node,
        number -> {
          throw new AssertionError("a saved value in the only pass: " + number);
        },
        row::value,
        leaf -> read(node, leaf, iteration));
  }

  private Value read(LoopNode node, BlockPlan.Leaf leaf, int iteration) {
    int position = shared.position(leaf.number());
    int index =
        leaf.elementStride() == 1
            ? writer.index(position, iteration)
            : writer.strided(position, iteration, leaf.elementStride());
    return emitter.load(node.type(), shared.array(leaf.number()), index);
  }

  private Value rowValue(LoopNode node) {
    int number = requireNonNull(plan.leaves.get(node)).number();
    return emitter.load(node.type(), shared.array(number), shared.position(number));
  }
}
