package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.BodyCode;

/**
 * The code writer of a {@link Reduce}, in row-major order. Sums of floats are accumulated in
 * double.
 *
 * @param emitter writes the code
 * @param arrays where the values are
 * @param code writes the code of operands
 * @param observesNanBits whether the bits of NaNs are observable
 */
record SmallReduceCode(
    CodeEmitter emitter, ScalarArrays arrays, ArrayCode code, boolean observesNanBits) {
  /** A reduction: its sizes, inputs, initial values and reducer. */
  private record Reduction(
      Dims sizes,
      Dims kept,
      Dims reduced,
      List<Operand.Leaf> inputs,
      List<Operand.Leaf> initial,
      BodyCode body) {
    Dims keptSizes() {
      return sizes.at(kept);
    }

    Dims reducedSizes() {
      return sizes.at(reduced);
    }

    /** Returns the approximate number of operations that it takes to reduce an element. */
    int cost() {
      return ArrayCode.cost(inputs) + body.operations();
    }

    Reduction indexed(ArrayCode code) {
      List<Operand.Leaf> indexed = inputs.stream().map(code::toIndexable).toList();
      return new Reduction(sizes, kept, reduced, indexed, initial, body);
    }

    ImmutableList<Value> index(List<Value> outer, List<Value> inner) {
      Value[] index = new Value[sizes.count()];
      IntStream.range(0, outer.size()).forEach(i -> index[kept.getInt(i)] = outer.get(i));
      IntStream.range(0, inner.size()).forEach(i -> index[reduced.getInt(i)] = inner.get(i));
      return ImmutableList.copyOf(index);
    }
  }

  /** Writes a reduction and returns its results, a tuple if there are several. */
  Operand write(HloInstruction instruction, List<Operand> operands) {
    Reduce op = (Reduce) instruction.op();
    Dims sizes = Operand.array(instruction.operands().get(0).shape()).sizes();
    int count = operands.size() / 2;
    BodyCode body =
        BodyCode.ofReduction(instruction.called().get(0))
            .map(code -> code.withObservableNaNs(observesNanBits))
            .orElseThrow(() -> new NoCodeException("no code: " + instruction));
    List<Operand.Leaf> leaves = operands.stream().map(Operand::leaf).toList();
    List<Operand.Leaf> inputs = leaves.subList(0, count);
    List<Operand.Leaf> initial = leaves.subList(count, 2 * count);
    Dims kept = op.kept(sizes.count());
    Dims reduced = Dims.range(0, sizes.count()).without(kept); // in order, unlike the attribute
    Reduction reduction = new Reduction(sizes, kept, reduced, inputs, initial, body);
    code.charge(sizes.product(), reduction.cost());
    List<Shape.Array> shapes = Operand.arrays(instruction.shape()).toList();
    List<Operand.Leaf> results = results(reduction, shapes);
    return instruction.shape() instanceof Shape.Tuple
        ? new Operand.Tuple(ImmutableList.copyOf(results))
        : results.get(0);
  }

  private List<Operand.Leaf> results(Reduction reduction, List<Shape.Array> shapes) {
    Shape.Array first = shapes.get(0);
    if (Operand.isScalar(first) || code.isUnrolled(first, reduction.cost())) {
      return inLocals(reduction, shapes);
    }
    code.requireFits(first);
    Reduction readable = reduction.indexed(code);
    List<Operand.InMemory> results = shapes.stream().map(arrays::workspace).toList();
    code.loop(
        reduction.keptSizes(),
        outer -> {
          List<Value> reduced = looped(readable, ImmutableList.of(outer)).get(0);
          for (int k = 0; k < results.size(); k++) {
            code.store(reduced.get(k), results.get(k), outer);
          }
        });
    return ImmutableList.copyOf(results);
  }

  private List<Operand.Leaf> inLocals(Reduction reduction, List<Shape.Array> shapes) {
    List<ImmutableList<Value>> places = code.indices().all(reduction.keptSizes());
    List<List<Value>> values =
        code.isUnrolled(reduction.sizes().product(), reduction.cost())
            ? places.stream().map(place -> unrolled(reduction, place)).toList()
            : looped(reduction.indexed(code), places);
    List<Operand.Leaf> results = new ArrayList<>();
    for (int k = 0; k < shapes.size(); k++) {
      int number = k;
      ImmutableList<Value> all =
          values.stream().map(each -> each.get(number)).collect(ImmutableList.toImmutableList());
      results.add(Operand.inLocals(shapes.get(k), all));
    }
    return results;
  }

  private List<Value> initialAccumulators(Reduction reduction) {
    return reduction.initial().stream()
        .map(each -> reduction.body().toAccumulatorType(emitter, each.scalar().value()))
        .toList();
  }

  private List<Value> elements(Reduction reduction, List<Value> outer, List<Value> inner) {
    ImmutableList<Value> index = reduction.index(outer, inner);
    return reduction.inputs().stream()
        .map(input -> reduction.body().toAccumulatorType(emitter, code.at(input, index)))
        .toList();
  }

  private List<Value> unrolled(Reduction reduction, List<Value> outer) {
    int mark = emitter.mark();
    List<Value> reduced = initialAccumulators(reduction);
    for (ImmutableList<Value> inner : code.indices().all(reduction.reducedSizes())) {
      reduced = reduction.body().write(emitter, reduced, elements(reduction, outer, inner));
    }
    List<Value> rounded = rounded(reduction, reduced);
    emitter.release(mark, rounded);
    return rounded;
  }

  /**
   * Computes several elements of the results in one loop, so that no accumulator waits for another.
   */
  private List<List<Value>> looped(Reduction reduction, List<ImmutableList<Value>> places) {
    List<List<Value>> reduced =
        places.stream()
            .map(place -> initialAccumulators(reduction).stream().map(emitter::variable).toList())
            .toList();
    code.loop(
        reduction.reducedSizes(),
        inner -> {
          for (int i = 0; i < places.size(); i++) {
            List<Value> next = elements(reduction, places.get(i), inner);
            reduction.body().reduce(emitter, reduced.get(i), next);
          }
        });
    return reduced.stream().map(each -> rounded(reduction, each)).toList();
  }

  private List<Value> rounded(Reduction reduction, List<Value> reduced) {
    return IntStream.range(0, reduced.size())
        .mapToObj(k -> reduction.body().fromAccumulatorType(emitter, k, reduced.get(k)))
        .toList();
  }
}
