package org.hlo4j.interpreter.reference;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Operands;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.FittedResults;
import org.hlo4j.interpreter.engine.SizedInstruction;
import org.hlo4j.interpreter.engine.Step;
import org.hlo4j.interpreter.engine.WholeArrays;
import org.hlo4j.interpreter.engine.sizes.SizedModule;

/**
 * The resolution of dynamic shapes: the actual sizes of an instruction whose declared shape has
 * bounds in place of sizes. The sizes of the operands determine those of the result, by the rule
 * that also gave the declared shape. An instruction whose sizes do not follow from its operands is
 * rejected, and so is a result that does not fit the declared shape.
 */
public final class DynamicShapeResolver {
  private DynamicShapeResolver() {}

  /** Returns an instruction with the sizes that it has for these operands. */
  public static Step resolve(
      HloInstruction instruction, List<Literal> operands, WholeArrays wholeArrays) {
    Op op = instruction.op();
    requireBounds(instruction.shape());
    if (takesShapeOfValue(op)) {
      return Step.asDeclared(instruction, EnteringValues.of(instruction, operands, wholeArrays));
    }
    if (op instanceof Scan scan) {
      return scan(instruction, scan, operands);
    }
    SizedInstruction sized =
        SizedInstruction.of(instruction, operands.stream().map(Literal::shape).toList());
    List<Literal> fitted = FittedValues.of(instruction, operands, sized, wholeArrays);
    Shape shape =
        switch (op) {
          case SetDimensionSize set -> DimensionSizes.shape(set, fitted, wholeArrays);
          case DynamicReshape reshape -> DimensionSizes.shape(reshape, fitted);
          default -> sized.shape();
        };
    FittedResults results = new FittedResults(sized.results(), operands);
    Shape result = results.shape(shape);
    require(
        !shape.isDynamic() && DynamicShapes.within(instruction.shape(), result),
        "",
        "%s: sizes of the result got %s, want them within %s",
        op.opcode(),
        result,
        instruction.shape().withoutLayout());
    Step step = new Step(instruction, sized.op(), shape, fitted, results);
    StartCheck.check(step);
    return step;
  }

  /** Returns a scan, whose results have the sizes that its computation gives for slices. */
  private static Step scan(HloInstruction instruction, Scan op, List<Literal> operands) {
    ImmutableList<Shape> shapes = operands.stream().map(Literal::shape).collect(toImmutableList());
    ProgramShape body =
        SizedModule.signature(
            instruction.called().get(0), op.bodyArguments(shapes), new ReferenceOps());
    Shape shape = op.infer(new Operands(shapes, ImmutableList.of(body)));
    return new Step(
        instruction, op, shape, operands, new FittedResults(ImmutableList.of(), operands));
  }

  /** Returns whether only the value itself determines its sizes. */
  private static boolean takesShapeOfValue(Op op) {
    return switch (op) {
      case Reshape _ -> false;
      case CustomCall _, ForwardingOp _, Recv _ -> true;
      default -> false;
    };
  }

  private static void requireBounds(Shape shape) {
    if (shape instanceof Shape.Tuple tuple) {
      tuple.elements().forEach(DynamicShapeResolver::requireBounds);
    } else if (shape instanceof Shape.Array array) {
      require(!array.hasUnbounded(), "", "run: got the shape %s, want bounds on all sizes", array);
    }
  }
}
