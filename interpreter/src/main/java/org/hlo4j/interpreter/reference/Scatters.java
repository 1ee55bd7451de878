package org.hlo4j.interpreter.reference;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;

/**
 * The scatter op, which combines windows of updates into an array at start indices that are data.
 */
final class Scatters {
  private final Scatter op;
  private final List<Literal> inputs;
  private final Literal indices;
  private final List<Literal> updates;
  private final HloComputation body;
  private final Execution execution;
  private final boolean isCalled;
  private final List<LiteralBuilder> results = new ArrayList<>();

  Scatters(Scatter op, List<Literal> in, HloComputation body, Execution execution) {
    int count = in.size() / 2;
    this.op = op;
    this.inputs = in.subList(0, count);
    this.indices = in.get(count);
    this.updates = in.subList(count + 1, in.size());
    this.body = body;
    this.execution = execution;
    this.isCalled = new Effects().containsEffect(body);
  }

  /**
   * {@code result[start[scatter] + window] = body(result[...], updates[scatter, window])} for all
   * windows within the result, in order
   */
  Literal scatter() {
    inputs.forEach(input -> results.add(Boxes.toBuilder(input)));
    if (updates.get(0).elementCount() > 0) {
      update();
    }
    List<Literal> literals = results.stream().map(LiteralBuilder::build).toList();
    return Reductions.result(literals, body.root().shape());
  }

  private void update() {
    Dims sizes = inputs.get(0).arrayShape().sizes();
    Dims updateSizes = updates.get(0).arrayShape().sizes();
    Dims windowSizes = op.windowSizes(sizes.count(), updateSizes);
    Dims places = sizes.minus(windowSizes).plus(Dims.filled(sizes.count(), 1));
    Dims strides = sizes.rowMajorStrides();
    IndexVectors starts = IndexVectors.of(op, indices, sizes.count());
    int[] scatters = Offsets.ofDimensions(op.updateScatterDims(updateSizes.count()), updateSizes);
    int[] windows = Offsets.ofDimensions(op.updateWindowDims(), updateSizes);
    int[] targets = Offsets.ofAllIndices(windowSizes, strides);
    for (int s = 0; s < scatters.length; s++) {
      execution.checkLimits();
      Dims start = starts.at(s);
      if (start.inBounds(places)) {
        int to = Offsets.ofIndex(start, strides);
        for (int w = 0; w < windows.length; w++) {
          Limits.checkAt(w);
          update(to + targets[w], scatters[s] + windows[w]);
        }
      }
    }
  }

  /** {@code result[to] = body(result[to], updates[from])} */
  private void update(int to, int from) {
    List<Literal> arguments = new ArrayList<>();
    results.forEach(result -> arguments.add(result.scalarAt(to)));
    arguments.addAll(Reductions.elements(updates, from));
    List<Literal> combined = Reductions.results(applyReducer(arguments));
    for (int i = 0; i < results.size(); i++) {
      results.get(i).copy(to, combined.get(i), 0);
    }
  }

  /**
   * Returns the result of the reducer. A reducer without an effect that returns a parameter, or
   * applies one element-wise op to parameters, is computed without a call.
   */
  private Literal applyReducer(List<Literal> arguments) {
    HloInstruction root = body.root();
    List<HloInstruction> operands = root.operands();
    if (isCalled) {
      return execution.call(body, arguments);
    }
    if (root.op() instanceof Parameter parameter) {
      return arguments.get(parameter.number());
    }
    if (root.op() instanceof Elementwise elementwise
        && operands.stream().allMatch(operand -> operand.op() instanceof Parameter)) {
      List<Literal> values =
          operands.stream()
              .map(operand -> arguments.get(((Parameter) operand.op()).number()))
              .toList();
      return Elements.map(elementwise.kind(), values, (Shape.Array) root.shape().withoutLayout());
    }
    return execution.call(body, arguments);
  }
}
