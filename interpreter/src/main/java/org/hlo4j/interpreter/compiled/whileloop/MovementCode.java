package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Movement.Source;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.index.AffineAlgebra;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.hlo4j.interpreter.compiled.index.DynamicStart;
import org.hlo4j.interpreter.compiled.index.IterationSpace;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * The code writer of movement ops. If one formula gives the index of the source of every element,
 * as for a slice, elements are read where they are needed. Otherwise, as for a concatenation, the
 * result consists of parts with a formula each, which are stored one after another.
 *
 * @param emitter writes the code
 * @param arrays where the values are
 * @param code writes the code of operands
 */
record MovementCode(CodeEmitter emitter, ScalarArrays arrays, ArrayCode code) {
  private static final int MAX_PARTS = 100;

  /**
   * A part of the result with one formula.
   *
   * @param index the index of an element of the result, as a function of the counters
   * @param starts the start indices, by the numbers of the operands that hold them
   */
  private record Part(
      IterationSpace space,
      ImmutableList<AffineIndex> index,
      Source<AffineIndex> source,
      ImmutableList<DynamicStart<Integer>> starts) {
    /** Returns whether the source is an element of an operand. */
    boolean isOf(int number) {
      return source instanceof Source.Element<AffineIndex> element && element.operand() == number;
    }
  }

  /** An op, with the values of its operands. */
  private record Operation(
      Movement op, List<Shape.Array> shapes, Shape.Array shape, List<Operand.Leaf> operands) {
    Operation mapOperands(IntFunction<Operand.Leaf> each) {
      return new Operation(
          op, shapes, shape, IntStream.range(0, operands.size()).mapToObj(each).toList());
    }
  }

  /**
   * Returns the result of an op.
   *
   * @param instruction the op
   * @param operands the values of its operands
   * @param isShared whether the result is read more than once
   */
  Operand.Leaf write(HloInstruction instruction, List<Operand.Leaf> operands, boolean isShared) {
    Operation operation =
        new Operation(
            (Movement) instruction.op(),
            Operand.operandShapes(instruction),
            Operand.array(instruction.shape()),
            operands);
    List<Part> parts =
        IterationSpace.of(operation.shape().sizes())
            .parts(MAX_PARTS, space -> part(space, operation))
            .orElseThrow(
                () -> new NoCodeException("no code for the parts of " + instruction.op().opcode()));
    return parts.size() == 1
        ? computed(operation, parts.get(0), isShared)
        : assembled(operation, parts);
  }

  private static Part part(IterationSpace space, Operation of) {
    AffineAlgebra<Integer> x =
        new AffineAlgebra<Integer>(space).withElements((operand, at) -> operand);
    ImmutableList<AffineIndex> index = x.index(space.position(), of.shape.sizes());
    Source<AffineIndex> source = of.op.source(x, of.shapes, of.shape, index);
    return new Part(space, index, source, x.starts());
  }

  /** Returns a result whose elements are computed where they are read. */
  private Operand.Leaf computed(Operation of, Part whole, boolean isShared) {
    Map<Integer, Value> starts = new HashMap<>();
    int cost = 1;
    for (DynamicStart<Integer> start : whole.starts) {
      if (of.operands.get(start.value()) instanceof Operand.Scalar scalar) {
        starts.put(start.value(), code.indices().clamped(scalar, start.maxStart()));
      } else {
        cost += 2 + ArrayCode.cost(of.operands.get(start.value()));
      }
    }
    Operation cheap = of.mapOperands(number -> cheap(of, number, whole));
    int total = cost + ArrayCode.cost(cheap.operands);
    List<Operand.Leaf> readable = code.readable(of.shape, total, cheap.operands);
    return code.compute(
        of.shape, total, readable, isShared, formula(of.mapOperands(readable::get), starts));
  }

  /** Returns an operand, stored if it is read often, or at indices that are data. */
  private Operand.Leaf cheap(Operation of, int number, Part whole) {
    Operand.Leaf operand = of.operands.get(number);
    if (!whole.isOf(number)) {
      return code.materializeIfExpensive(operand);
    } else if (!whole.starts.isEmpty()) {
      return code.toIndexable(operand);
    }
    boolean isRepeated = of.shapes.get(number).elementCount() < of.shape.elementCount();
    return isRepeated ? code.materializeIfExpensive(operand) : operand;
  }

  /** Returns the code of an element at any index, or at a known one if the result has parts. */
  private Operand.Formula formula(Operation of, Map<Integer, Value> starts) {
    Indices indices = code.indices();
    Indices x =
        indices.reading((operand, index, max) -> {
          Value known = starts.get(operand);
          return known != null
              ? known
              : indices.clamped(
                  new Operand.Scalar(
                      of.shapes.get(operand).elementType(),
                      code.at(of.operands.get(operand), index)),
                  max);
        });
    return index ->
        switch (of.op.source(x, of.shapes, of.shape, index)) {
          case Source.Counted<Value>(Value value) -> number(value, of.shape.elementType());
          case Source.Element<Value>(int operand, List<Value> from) ->
              code.at(of.operands.get(operand), ImmutableList.copyOf(from));
        };
  }

  private Value number(Value index, ElementType type) {
    return code.indices().known(index).isPresent() && type.bits() >= Integer.SIZE
        ? emitter.constant(Lane.of(type), code.indices().known(index).getAsInt())
        : ElementFunctions.convert(emitter, ElementType.S32, type, index);
  }

  /**
   * Returns a result that consists of parts; of a small one, the index of each element is known.
   */
  private Operand.Leaf assembled(Operation of, List<Part> parts) {
    int cost = ArrayCode.cost(of.operands) + 1;
    if (Operand.isScalar(of.shape) || code.isUnrolled(of.shape, cost)) {
      return code.compute(of.shape, cost, of.operands, false, formula(of, Map.of()));
    }
    code.requireFits(of.shape);
    Operand.InMemory result = arrays.workspace(of.shape);
    List<Part> others = new ArrayList<>(parts);
    for (int number = 0; number < of.operands.size(); number++) {
      if (isPadding(of, number, parts)) {
        code.store(of.operands.get(number), result);
        int padding = number;
        others.removeIf(part -> part.isOf(padding));
      }
    }
    others.forEach(part -> store(of, part, result));
    return result;
  }

  /** Returns whether an operand is one element, and the source of several parts. */
  private static boolean isPadding(Operation of, int number, List<Part> parts) {
    Predicate<Part> isOf = part -> part.isOf(number);
    return of.shapes.get(number).elementCount() == 1 && parts.stream().filter(isOf).count() > 1;
  }

  private void store(Operation of, Part part, Operand.InMemory result) {
    if (!(part.source instanceof Source.Element<AffineIndex>(int operand, var from))) {
      throw new NoCodeException("no parts of " + of.op.opcode());
    }
    code.store(
        of.operands.get(operand),
        Dims.copyOf(part.space.counts().asList()),
        counters -> at(from, counters),
        result,
        counters -> at(part.index, counters));
  }

  private ImmutableList<Value> at(List<AffineIndex> index, List<Value> counters) {
    return index.stream()
        .map(affine -> code.indices().at(affine, counters))
        .collect(ImmutableList.toImmutableList());
  }
}
