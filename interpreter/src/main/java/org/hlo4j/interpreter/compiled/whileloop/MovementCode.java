package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * The code writer of movement ops: computes the index at which each element of the result is read.
 */
final class MovementCode {
  private final CodeEmitter emitter;
  private final ArrayCode code;
  private final Indices indices;
  private final ConcatenateAndPadCode concatenateAndPad;

  MovementCode(CodeEmitter emitter, ScalarArrays arrays, ArrayCode code) {
    this.emitter = emitter;
    this.code = code;
    this.indices = code.indices();
    this.concatenateAndPad = new ConcatenateAndPadCode(arrays, code);
  }

  /**
   * Returns the result of an op.
   *
   * @param op the op
   * @param shapes the shapes of its operands
   * @param shape the shape of its result
   * @param operands the values of its operands
   * @param isShared whether the result is read more than once
   */
  Operand.Leaf write(
      Movement op,
      List<Shape.Array> shapes,
      Shape.Array shape,
      List<Operand.Leaf> operands,
      boolean isShared) {
    return switch (op) {
      case Broadcast broadcast -> {
        Operand.Leaf cheap = code.materializeIfExpensive(operands.get(0));
        yield moved(shape, cheap, isShared, index -> at(index, broadcast.dimensions()));
      }
      case Transpose transpose -> {
        Dims places = transpose.dimensions().inverse();
        yield moved(shape, operands.get(0), isShared, index -> at(index, places));
      }
      case Reverse reverse ->
          moved(shape, operands.get(0), isShared, index -> reversed(reverse, shape, index));
      case Slice slice -> moved(shape, operands.get(0), isShared, index -> sliced(slice, index));
      case Iota iota ->
          code.compute(
              shape,
              1,
              ImmutableList.of(),
              isShared,
              index -> number(index.get(iota.iotaDimension()), shape.elementType()));
      case DynamicSlice _ -> window(shapes.get(0), shape, operands, isShared);
      case Gather gather -> new GatherCode(code, gather, shapes).write(shape, operands, isShared);
      case Concatenate concatenate ->
          concatenateAndPad.concatenate(concatenate, shapes, shape, operands);
      case Pad pad -> concatenateAndPad.pad(pad.padding(), shapes.get(0), shape, operands);
      default -> throw new NoCodeException("no movement: " + op.opcode());
    };
  }

  /** Maps an index of the result to the index at which the operand is read. */
  private interface IndexMap {
    ImmutableList<Value> apply(ImmutableList<Value> index);
  }

  private Operand.Leaf moved(
      Shape.Array shape, Operand.Leaf operand, boolean isShared, IndexMap indexMap) {
    int cost = ArrayCode.cost(operand) + 1;
    Operand.Leaf source = code.readable(shape, cost, ImmutableList.of(operand)).get(0);
    return code.compute(
        shape,
        cost,
        ImmutableList.of(source),
        isShared,
        index -> code.at(source, indexMap.apply(index)));
  }

  private static ImmutableList<Value> at(ImmutableList<Value> index, Dims places) {
    return IntStream.range(0, places.count())
        .mapToObj(d -> index.get(places.getInt(d)))
        .collect(ImmutableList.toImmutableList());
  }

  private ImmutableList<Value> reversed(Reverse op, Shape.Array shape, List<Value> index) {
    ImmutableList.Builder<Value> from = ImmutableList.builder();
    for (int d = 0; d < index.size(); d++) {
      boolean isReversed = op.dimensions().contains(d);
      from.add(isReversed ? indices.from(shape.size(d) - 1, index.get(d)) : index.get(d));
    }
    return from.build();
  }

  private ImmutableList<Value> sliced(Slice op, List<Value> index) {
    ImmutableList.Builder<Value> from = ImmutableList.builder();
    for (int d = 0; d < index.size(); d++) {
      Value step = indices.times(index.get(d), op.slice().strides().get(d));
      from.add(indices.plus(step, op.slice().startIndices().get(d)));
    }
    return from.build();
  }

  private Value number(Value index, ElementType type) {
    return indices.known(index).isPresent() && type.bits() >= Integer.SIZE
        ? emitter.constant(Lane.of(type), indices.known(index).getAsInt())
        : ElementFunctions.convert(emitter, ElementType.S32, type, index);
  }

  private Operand.Leaf window(
      Shape.Array operand, Shape.Array shape, List<Operand.Leaf> operands, boolean isShared) {
    Operand.Leaf source = code.toIndexable(operands.get(0));
    ImmutableList<Value> starts = starts(operand, shape, operands.subList(1, operands.size()));
    return moved(shape, source, isShared, index -> indices.plus(starts, index));
  }

  /** Returns the start indices of a window, clamped so that the window fits. */
  ImmutableList<Value> starts(
      Shape.Array operand, Shape.Array window, List<? extends Operand> starts) {
    if (starts.size() != operand.rank()) {
      throw new NoCodeException("no start for each dimension");
    }
    return IntStream.range(0, operand.rank())
        .mapToObj(d -> indices.clamped(starts.get(d).scalar(), operand.size(d) - window.size(d)))
        .collect(ImmutableList.toImmutableList());
  }
}
