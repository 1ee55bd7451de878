package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;

/** Which method evaluates which op. */
final class Ops {
  private Ops() {}

  /**
   * The value of an instruction. Its shape is given and right; only parameters look at the
   * arguments of the computation.
   */
  static Literal evaluate(
      HloInstruction instruction, List<Literal> in, List<Literal> arguments, Execution execution) {
    Shape shape = instruction.shape().withoutLayout();
    return switch (instruction.op()) {
      case Parameter op -> arguments.get(op.number());
      case Constant op -> op.literal();
      case Tuple op -> Literal.tuple(in);
      case GetTupleElement op -> in.get(0).element(op.index());
      case Copy op -> in.get(0);
      case Call op -> execution.call(instruction.called().get(0), in);
      case Iota op -> Movement.iota(op);
      case Broadcast op -> Movement.broadcast(op, in.get(0));
      case Reshape op -> in.get(0).withShape((Shape.Array) shape);
      case Transpose op -> Movement.transpose(op, in.get(0), (Shape.Array) shape);
      case Elementwise op -> Elements.map(op.kind(), in, (Shape.Array) shape);
      case Compare op -> Elements.compare(op, in.get(0), in.get(1));
      case Select op -> Elements.select(in.get(0), in.get(1), in.get(2));
      case Clamp op -> Elements.clamp(in.get(0), in.get(1), in.get(2));
      case Convert op -> Conversions.convert(in.get(0), (Shape.Array) shape);
      case BitcastConvert op -> Conversions.bitcast(in.get(0), (Shape.Array) shape);
      case ReducePrecision op -> Conversions.reducePrecision(op, in.get(0));
      case Reduce op -> Reductions.reduce(op, in, shape, instruction.called().get(0), execution);
      case Slice op -> Boxes.slice(op, in.get(0), (Shape.Array) shape);
      case DynamicSlice op -> Boxes.dynamicSlice(in, (Shape.Array) shape);
      case DynamicUpdateSlice op -> Boxes.dynamicUpdateSlice(in);
      case Pad op -> Boxes.pad(op.padding(), in.get(0), in.get(1), (Shape.Array) shape);
      case Concatenate op -> Boxes.concatenate(op, in, (Shape.Array) shape);
      case Reverse op -> Boxes.reverse(op, in.get(0));
      case Gather op -> Gathers.gather(op, in.get(0), in.get(1), (Shape.Array) shape, execution);
      case Scatter op -> new Scatters(op, in, instruction.called().get(0), execution).scatter();
      case GetDimensionSize op -> DimensionSizes.get(op, in.get(0));
      case SetDimensionSize op -> DimensionSizes.set(op, in.get(0), in.get(1));
      case DynamicReshape op -> DimensionSizes.dynamicReshape(in, (Shape.Array) shape);
      case Dot op -> Dots.dot(op, in.get(0), in.get(1), (Shape.Array) shape);
    };
  }
}
