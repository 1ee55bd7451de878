package org.hlo4j.check.generate;

import static org.hlo4j.check.generate.Sources.shape;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.RngBitGenerator;

/** The rows of ops that are algorithms of their own. */
final class RoutineRows {
  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put(
              "batch-norm-grad",
              Row.of(
                  "batch-norm-grad",
                  RoutineRows::floats,
                  RoutineRows::vector,
                  RoutineRows::vector,
                  RoutineRows::vector,
                  RoutineRows::like))
          .put(
              "batch-norm-inference",
              Row.of(
                  "batch-norm-inference",
                  RoutineRows::floats,
                  RoutineRows::vector,
                  RoutineRows::vector,
                  RoutineRows::vector,
                  RoutineRows::vector))
          .put(
              "batch-norm-training",
              Row.of(
                  "batch-norm-training",
                  RoutineRows::floats,
                  RoutineRows::vector,
                  RoutineRows::vector))
          .put("cholesky", RoutineRows::cholesky)
          .put("fft", RoutineRows::fft)
          .put("rng-bit-generator", RoutineRows::rngBitGenerator)
          .put("topk", Row.of("topk", block -> Sources.line(block, type -> !type.isComplex())))
          .put("triangular-solve", RoutineRows::triangularSolve)
          .buildOrThrow();

  private RoutineRows() {}

  private static HloInstruction floats(Block block) {
    return Sources.line(block, ElementType::isFloating);
  }

  private static HloInstruction like(Block block, HloInstruction first, Op op) {
    return Sources.value(block, shape(first));
  }

  /** Returns a number for each feature of the first operand. */
  private static HloInstruction vector(Block block, HloInstruction first, Op op) {
    int feature =
        switch (op) {
          case BatchNormGrad norm -> norm.featureIndex();
          case BatchNormInference norm -> norm.featureIndex();
          case BatchNormTraining norm -> norm.featureIndex();
          default -> throw new AssertionError(op);
        };
    return Sources.value(block, shape(first).select(Dims.of(feature)));
  }

  /** Returns the shape of matrices in a batch. */
  private static Shape.Array matrices(Block block, ElementType type, long rows, long columns) {
    Choices choices = block.choices();
    Dims batch = choices.sizes(choices.chance(2) ? 0 : choices.below(4), 6);
    return Shape.of(type, batch.concat(Dims.of(rows, columns)));
  }

  private static ElementType field(Choices choices) {
    return choices.type(ElementType.Kind.FLOAT, ElementType.Kind.COMPLEX);
  }

  private static void cholesky(Block block, Choices choices) {
    ElementType type = field(choices);
    long n = choices.between(0, choices.chance(4) ? 20 : 6);
    HloException.require(n * n * n * block.times() < 20_000, "", "too large");
    Shape.Array shape = matrices(block, type, n, n);
    HloInstruction a =
        choices.chance(3)
            ? Sources.value(block, shape)
            : Sources.given(block, definite(choices, shape));
    block.add(new Cholesky(choices.chance(2)), a);
  }

  /** Returns symmetric matrices that are positive definite, since their diagonals are large. */
  private static Literal definite(Choices choices, Shape.Array shape) {
    LiteralBuilder matrices = new LiteralBuilder(shape);
    int size = (int) shape.size(shape.rank() - 1);
    int count = size == 0 ? 0 : (int) shape.elementCount() / size / size;
    for (int m = 0; m < count; m++) {
      for (int i = 0; i < size; i++) {
        for (int j = 0; j <= i; j++) {
          double value = i == j ? size + 1 + choices.below(4) : choices.below(9) / 4.0 - 1;
          set(matrices, shape, (m * size + i) * size + j, value);
          set(matrices, shape, (m * size + j) * size + i, value);
        }
      }
    }
    return matrices.build();
  }

  private static void set(LiteralBuilder matrices, Shape.Array shape, int at, double value) {
    ElementType type = shape.elementType();
    matrices.setBits(at * type.componentCount(), type.componentType().encode(value));
  }

  private static void triangularSolve(Block block, Choices choices) {
    ElementType type = field(choices);
    long n = choices.between(0, choices.chance(4) ? 20 : 6);
    HloException.require(n * n * n * block.times() < 20_000, "", "too large");
    boolean isLeft = choices.chance(2);
    Shape.Array a = matrices(block, type, n, n);
    int rank = a.rank();
    Dims b = a.sizes().with(isLeft ? rank - 1 : rank - 2, choices.between(0, 9));
    HloInstruction matrix =
        choices.chance(2) ? Sources.value(block, a) : Sources.given(block, definite(choices, a));
    Row.add(
        block,
        "triangular-solve",
        ImmutableMap.of("left_side", isLeft),
        List.of(matrix, Sources.value(block, Shape.of(type, b))));
  }

  /** One to three transformed dimensions, of any length. */
  private static void fft(Block block, Choices choices) {
    Fft.FftType kind = choices.oneOf(List.of(Fft.FftType.values()));
    ElementType type =
        kind == Fft.FftType.RFFT
            ? choices.oneOf(List.of(ElementType.F32, ElementType.F64))
            : choices.type(ElementType.Kind.COMPLEX);
    HloInstruction operand = Sources.line(block, each -> each == type);
    int count = 1 + choices.below(Math.min(3, shape(operand).rank()));
    int rank = shape(operand).rank();
    Dims lengths = shape(operand).sizes().subList(rank - count, rank);
    long last = lengths.get(count - 1);
    if (kind == Fft.FftType.IRFFT) {
      lengths =
          lengths.with(count - 1, last == 0 ? 0 : Math.max(1, 2 * last - 1 - choices.below(2)));
    }
    block.add(new Fft(kind, lengths), operand);
  }

  private static void rngBitGenerator(Block block, Choices choices) {
    RngBitGenerator.Algorithm algorithm =
        choices.oneOf(List.of(RngBitGenerator.Algorithm.values()));
    boolean isLong = algorithm != RngBitGenerator.Algorithm.RNG_THREE_FRY && choices.chance(2);
    Shape.Array state = Shape.of(ElementType.U64, isLong ? 3 : 2);
    ElementType type = choices.type(each -> each.isIntegral() || each.isFloating());
    block.add(
        RngBitGenerator.of(algorithm, state, Sources.shape(block, type, choices.rank())),
        Sources.value(block, state));
  }
}
