package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.hlo.op.Tuple;

/** Steps with rarely used ops. */
final class RareSteps {
  static final ImmutableList<Step> ALL =
      ImmutableList.of(
          RareSteps::fft,
          RareSteps::triangles,
          RareSteps::batchNorm,
          RareSteps::randomBits,
          RareSteps::complexParts,
          RareSteps::batchNormGrad,
          RareSteps::sizeOrDevice,
          RareSteps::stochastic,
          RareSteps::bitcast);

  private RareSteps() {}

  private static HloInstruction floats(Block block, Choices choices, int rank) {
    HloInstruction x =
        Numbers.any(block, shape -> shape.rank() >= rank && shape.elementCount() < 2000);
    return ((Shape.Array) x.shape()).elementType().isFloating()
        ? x
        : block.add(new Convert(choices.type(ElementType::isFloating)), x);
  }

  /** Appends a transform of the last dimension: of complex or real numbers, either way. */
  private static void fft(Block block, Choices choices) {
    HloInstruction x = floats(block, choices, 1);
    Shape.Array shape = (Shape.Array) x.shape();
    long size = shape.size(shape.rank() - 1);
    Fft.FftType type = choices.oneOf(List.of(Fft.FftType.values()));
    HloInstruction operand =
        type == Fft.FftType.RFFT
            ? x
            : block.add(new Elementwise(Elementwise.Kind.MAKE_COMPLEX), x, x);
    long length = type == Fft.FftType.IRFFT ? Math.max(0, 2 * size - 1 - choices.below(2)) : size;
    block.add(new Fft(type, Dims.of(length)), operand);
  }

  private static void triangles(Block block, Choices choices) {
    ElementType type = choices.chance(2) ? ElementType.F32 : ElementType.F64;
    long size = 1L + choices.below(5);
    Shape.Array square = Shape.of(type, Dims.of(size, size));
    if (choices.chance(2)) {
      HloInstruction a =
          block.isEntry()
              ? block.parameter(definite(choices, square))
              : Numbers.like(block, square);
      block.add(new Cholesky(choices.chance(2)), a);
    } else {
      block.add(
          new TriangularSolve(
              true, choices.chance(2), choices.chance(2), TriangularSolve.TransposeA.NO_TRANSPOSE),
          Numbers.like(block, square),
          Numbers.like(block, type, Dims.of(size, 3)));
    }
  }

  /** Returns a symmetric matrix that is positive definite, since its diagonal is large. */
  private static Literal definite(Choices choices, Shape.Array square) {
    LiteralBuilder matrix = new LiteralBuilder(square);
    int size = (int) square.size(0);
    for (int i = 0; i < size; i++) {
      for (int j = 0; j <= i; j++) {
        double value = i == j ? size + 1 + choices.below(4) : choices.below(9) / 4.0 - 1;
        matrix.setDouble(i * size + j, value);
        matrix.setDouble(j * size + i, value);
      }
    }
    return matrix.build();
  }

  private static void batchNorm(Block block, Choices choices) {
    HloInstruction x = floats(block, choices, 1);
    Shape.Array shape = (Shape.Array) x.shape();
    int feature = choices.below(shape.rank());
    Shape.Array vector = Shape.of(shape.elementType(), Dims.of(shape.size(feature)));
    if (choices.chance(2)) {
      ControlSteps.takeApart(
          block,
          block.add(
              new BatchNormTraining(0.5f, feature),
              x,
              Numbers.like(block, vector),
              Numbers.like(block, vector)));
    } else {
      block.add(
          new BatchNormInference(0.5f, feature),
          x,
          Numbers.like(block, vector),
          Numbers.like(block, vector),
          Numbers.like(block, vector),
          Numbers.like(block, vector));
    }
  }

  private static void randomBits(Block block, Choices choices) {
    ElementType type = choices.oneOf(List.of(ElementType.U8, ElementType.U32, ElementType.U64));
    HloInstruction state = Numbers.like(block, ElementType.U64, Dims.of(2));
    Shape bits = Shape.of(type, Numbers.shape(choices).sizes());
    ControlSteps.takeApart(
        block,
        block.add(
            new RngBitGenerator(
                new Shape.Tuple(ImmutableList.of(state.shape().withoutLayout(), bits)),
                choices.chance(2)
                    ? RngBitGenerator.Algorithm.RNG_THREE_FRY
                    : RngBitGenerator.Algorithm.RNG_PHILOX),
            state));
  }

  /** Splits a complex number into its parts and combines them again. */
  private static void complexParts(Block block, Choices choices) {
    HloInstruction x = Numbers.any(block, shape -> shape.elementType().isComplex());
    HloInstruction real = block.add(new Elementwise(Elementwise.Kind.REAL), x);
    HloInstruction imaginary = block.add(new Elementwise(Elementwise.Kind.IMAG), x);
    block.add(new Elementwise(Elementwise.Kind.MAKE_COMPLEX), imaginary, real);
    block.add(new Tuple(), List.of(real, x), List.of());
  }

  private static void batchNormGrad(Block block, Choices choices) {
    HloInstruction x = floats(block, choices, 1);
    Shape.Array shape = (Shape.Array) x.shape();
    int feature = choices.below(shape.rank());
    Shape.Array vector = Shape.of(shape.elementType(), Dims.of(shape.size(feature)));
    ControlSteps.takeApart(
        block,
        block.add(
            new BatchNormGrad(0.5f, feature),
            x,
            Numbers.like(block, vector),
            Numbers.like(block, vector),
            Numbers.like(block, vector),
            Numbers.like(block, shape)));
  }

  /** Asks for the size of a dimension, or for the number of the device, which is 0. */
  private static void sizeOrDevice(Block block, Choices choices) {
    HloInstruction x = Numbers.any(block, shape -> shape.rank() > 0);
    int dimension = choices.below(((Shape.Array) x.shape()).rank());
    switch (choices.below(3)) {
      case 0 -> block.add(new ReplicaId());
      case 1 -> block.add(new PartitionId());
      default -> block.add(GetDimensionSize.of(dimension), x);
    }
  }

  private static void stochastic(Block block, Choices choices) {
    HloInstruction x = floats(block, choices, 0);
    Shape.Array shape = (Shape.Array) x.shape();
    int bits = shape.elementType().bits();
    ElementType random =
        bits == 64 ? ElementType.U64 : bits == 32 ? ElementType.U32 : ElementType.U16;
    List<ElementType> types = List.of(ElementType.S8, ElementType.S32, ElementType.BF16);
    block.add(
        new StochasticConvert(choices.oneOf(types)),
        x,
        Numbers.like(block, shape.withElementType(random)));
  }

  private static void bitcast(Block block, Choices choices) {
    HloInstruction x = Numbers.any(block);
    Shape.Array shape = (Shape.Array) x.shape();
    block.add(new Bitcast(Shape.of(shape.elementType(), Dims.of(shape.elementCount()))), x);
  }
}
