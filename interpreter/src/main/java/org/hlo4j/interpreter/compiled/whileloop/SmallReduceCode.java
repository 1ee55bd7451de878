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
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.BodyCode;

/** The code of {@link Reduce}: in row-major order; sums of floats in double. */
final class SmallReduceCode {
  private final CodeEmitter emitter;
  private final ScalarArrays arrays;
  private final ArrayCode code;
  private final boolean observesNanBits;

  SmallReduceCode(
      CodeEmitter emitter, ScalarArrays arrays, ArrayCode code, boolean observesNanBits) {
    this.emitter = emitter;
    this.arrays = arrays;
    this.code = code;
    this.observesNanBits = observesNanBits;
  }

  /** One reduction: its inputs, where it begins, and what it does. */
  private record Fold(
      Dims sizes,
      Dims kept,
      Dims folded,
      List<Operand.Leaf> inputs,
      List<Operand.Leaf> initial,
      BodyCode body) {
    Dims keptSizes() {
      return sizes.at(kept);
    }

    Dims reducedSizes() {
      return sizes.at(folded);
    }

    /** About how many operations it takes to reduce an element. */
    int cost() {
      return ArrayCode.cost(inputs) + body.operations();
    }

    Fold indexed(ArrayCode code) {
      List<Operand.Leaf> indexed = inputs.stream().map(code::indexed).toList();
      return new Fold(sizes, kept, folded, indexed, initial, body);
    }

    ImmutableList<Value> index(List<Value> outer, List<Value> inner) {
      Value[] index = new Value[sizes.count()];
      IntStream.range(0, outer.size()).forEach(i -> index[kept.getInt(i)] = outer.get(i));
      IntStream.range(0, inner.size()).forEach(i -> index[folded.getInt(i)] = inner.get(i));
      return ImmutableList.copyOf(index);
    }
  }

  /** The results, a tuple if there are several. */
  Operand write(HloInstruction instruction, List<Operand> operands) {
    Reduce op = (Reduce) instruction.op();
    Dims sizes = Operand.array(instruction.operands().get(0).shape()).sizes();
    int count = operands.size() / 2;
    BodyCode body =
        BodyCode.ofReduction(instruction.called().get(0))
            .map(code -> code.seen(observesNanBits))
            .orElseThrow(() -> new UnsupportedOperationException("no code: " + instruction));
    List<Operand.Leaf> leaves = operands.stream().map(Operand::leaf).toList();
    List<Operand.Leaf> inputs = leaves.subList(0, count);
    Fold fold =
        new Fold(
            sizes,
            op.kept(sizes.count()),
            op.dimensions(),
            inputs,
            leaves.subList(count, 2 * count),
            body);
    code.charge(sizes.product(), fold.cost());
    List<Shape.Array> shapes = Operand.arrays(instruction.shape()).toList();
    List<Operand.Leaf> results = results(fold, shapes);
    return instruction.shape() instanceof Shape.Tuple
        ? new Operand.Group(ImmutableList.copyOf(results))
        : results.get(0);
  }

  private List<Operand.Leaf> results(Fold fold, List<Shape.Array> shapes) {
    Shape.Array first = shapes.get(0);
    if (Operand.isScalar(first) || code.isUnrolled(first, fold.cost())) {
      return inLocals(fold, shapes);
    }
    code.requireFits(first);
    Fold readable = fold.indexed(code);
    List<Operand.InMemory> results = shapes.stream().map(arrays::scratch).toList();
    code.nest()
        .write(
            fold.keptSizes(),
            outer -> {
              List<Value> reduced = looped(readable, ImmutableList.of(outer)).get(0);
              for (int k = 0; k < results.size(); k++) {
                code.store(reduced.get(k), results.get(k), outer);
              }
            });
    return ImmutableList.copyOf(results);
  }

  private List<Operand.Leaf> inLocals(Fold fold, List<Shape.Array> shapes) {
    List<ImmutableList<Value>> places = code.indices().all(fold.keptSizes());
    List<List<Value>> values =
        code.isUnrolled(fold.sizes().product(), fold.cost())
            ? places.stream().map(place -> unrolled(fold, place)).toList()
            : looped(fold.indexed(code), places);
    List<Operand.Leaf> results = new ArrayList<>();
    for (int k = 0; k < shapes.size(); k++) {
      int number = k;
      ImmutableList<Value> all =
          values.stream().map(each -> each.get(number)).collect(ImmutableList.toImmutableList());
      results.add(Operand.inLocals(shapes.get(k), all));
    }
    return results;
  }

  private List<Value> begun(Fold fold) {
    return fold.initial().stream()
        .map(each -> fold.body().widened(emitter, each.scalar().value()))
        .toList();
  }

  private List<Value> elements(Fold fold, List<Value> outer, List<Value> inner) {
    ImmutableList<Value> index = fold.index(outer, inner);
    return fold.inputs().stream()
        .map(input -> fold.body().widened(emitter, code.at(input, index)))
        .toList();
  }

  private List<Value> unrolled(Fold fold, List<Value> outer) {
    int mark = emitter.mark();
    List<Value> reduced = begun(fold);
    for (ImmutableList<Value> inner : code.indices().all(fold.reducedSizes())) {
      reduced = fold.body().write(emitter, reduced, elements(fold, outer, inner));
    }
    List<Value> rounded = rounded(fold, reduced);
    emitter.release(mark, rounded);
    return rounded;
  }

  /** The results at some places, all reduced in one loop: none waits for another. */
  private List<List<Value>> looped(Fold fold, List<ImmutableList<Value>> places) {
    List<List<Value>> reduced =
        places.stream().map(place -> begun(fold).stream().map(emitter::variable).toList()).toList();
    code.nest()
        .write(
            fold.reducedSizes(),
            inner -> {
              for (int i = 0; i < places.size(); i++) {
                List<Value> next = elements(fold, places.get(i), inner);
                fold.body().fold(emitter, reduced.get(i), next);
              }
            });
    return reduced.stream().map(each -> rounded(fold, each)).toList();
  }

  private List<Value> rounded(Fold fold, List<Value> reduced) {
    return IntStream.range(0, reduced.size())
        .mapToObj(k -> fold.body().rounded(emitter, k, reduced.get(k)))
        .toList();
  }
}
