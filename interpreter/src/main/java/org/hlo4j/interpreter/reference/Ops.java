package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.RngGetAndUpdateState;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.TriangularSolve;
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
    List<HloComputation> called = instruction.called();
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
      case Collective op -> CollectiveOps.evaluate(op, instruction, in, execution);
      case Dot op -> Dots.dot(op, in.get(0), in.get(1), (Shape.Array) shape, execution);
      case RaggedDot op -> RaggedDots.dot(op, in, (Shape.Array) shape, execution);
      case ScaledDot op -> ScaledDots.dot(op, in, (Shape.Array) shape, execution);
      case Fft op -> Fourier.fft(op, in.get(0), (Shape.Array) shape, execution);
      case Cholesky op -> Triangles.cholesky(op, in.get(0), execution);
      case TriangularSolve op -> Triangles.solve(op, in.get(0), in.get(1), execution);
      case Rng op -> RandomNumbers.rng(op, in.get(0), in.get(1), execution);
      case RngBitGenerator op ->
          RandomNumbers.rngBitGenerator(op, in.get(0), (Shape.Tuple) shape, execution);
      case RngGetAndUpdateState op -> RandomNumbers.rngGetAndUpdateState(op, execution);
      case StochasticConvert op ->
          Conversions.stochasticConvert(in.get(0), in.get(1), (Shape.Array) shape);
      case ReduceWindow op -> Windows.reduceWindow(op, in, shape, called.get(0), execution);
      case SelectAndScatter op ->
          Windows.selectAndScatter(op, in, called.get(0), called.get(1), execution);
      case Map op -> Windows.map(in, (Shape.Array) shape, called.get(0), execution);
      case Convolution op ->
          Convolutions.convolution(op, in.get(0), in.get(1), (Shape.Array) shape, execution);
      case BatchNormTraining op -> BatchNorms.training(op, in);
      case BatchNormInference op -> BatchNorms.inference(op, in);
      case BatchNormGrad op -> BatchNorms.grad(op, in);
    };
  }
}
