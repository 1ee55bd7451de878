package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole pipeline of passes, on random graphs and on very long ones. */
final class PipelineTest {
  @Test
  void rewritesAreCounted() {
    HloModule module =
        Rewrites.module(
            "",
            """
            x = f32[8] parameter(0)
            a = f32[8] copy(x)
            b = f32[8] exponential(a)
            c = f32[8] exponential(x)
            d = f32[8] sqrt(x)
            ROOT e = f32[8] add(b, c)
            """);
    assertThat(Pipelines.all().run(module).counts())
        .containsExactly("copy dropped", 1, "dead", 1, "common subexpression", 1, "kLoop fusion", 1)
        .inOrder();
  }

  @Test
  void unchangedModuleIsReturned() {
    HloModule module = Rewrites.module("", "ROOT x = f32[8] parameter(0)");
    assertThat(Pipelines.all().run(module).module()).isSameInstanceAs(module);
  }

  private static final int LONG = Boolean.getBoolean("hlo4j.test.nightly") ? 30_000 : 3_000;

  @Test
  void longChain() {
    XlaBuilder b = new XlaBuilder("chain");
    XlaOp x = b.parameter(0, Shape.of(ElementType.S32, 2), "x");
    XlaOp one = b.constant(new int[] {1, 2});
    XlaOp sum = x;
    for (int i = 0; i < LONG; i++) {
      sum = i % 2 == 0 ? sum.add(one) : one.mul(sum);
    }
    HloModule module = b.build(sum);
    HloModule after = Pipelines.all().run(module).module();
    Verifier.lenient().verify(after);
    assertThat(after.entry().instructions().size()).isLessThan(1_000);
    Literal argument = Literal.of(new int[] {7, 7});
    assertThat(Interpreter.reference().run(after, argument))
        .isEqualTo(Interpreter.reference().run(module, argument));
  }

  /** Each value is used by some of the next twenty, which must not duplicate instructions. */
  @Test
  void valuesWithManyUsers() {
    XlaBuilder b = new XlaBuilder("tangle");
    List<XlaOp> all = new ArrayList<>();
    all.add(b.parameter(0, Shape.of(ElementType.F32, 4), "x"));
    for (int i = 0; i < 3_000; i++) {
      XlaOp last = all.get(all.size() - 1);
      all.add(last.add(all.get(Math.max(0, all.size() - 1 - i % 20))).mul(b.constant(0.5f)));
    }
    HloModule module = b.build(all.get(all.size() - 1));
    HloModule after = Pipelines.all().run(module).module();
    Verifier.lenient().verify(after);
    int instructions =
        after.computations().stream().mapToInt(each -> each.instructions().size()).sum();
    assertThat(instructions).isLessThan(60_000);
    Literal argument = Literal.of(new float[] {1, -2, 3, 4});
    assertThat(Interpreter.reference().run(after, argument))
        .isEqualTo(Interpreter.reference().run(module, argument));
  }

  /** Each computation calls the previous one twice: inlining all calls would make 2^40 copies. */
  @Test
  void callsThatDoubleAreNotAllInlined() {
    StringBuilder computations = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      String call = i == 0 ? "negate(x0)" : "call(x" + i + "), to_apply=f" + (i - 1);
      String second = i == 0 ? "sqrt(a0)" : "call(a" + i + "), to_apply=f" + (i - 1);
      computations.append(
          """
          f%1$s {
            x%1$s = f32[] parameter(0)
            a%1$s = f32[] %2$s
            ROOT b%1$s = f32[] %3$s
          }

          """
              .formatted(i, call, second));
    }
    HloModule module =
        Rewrites.module(
            computations.toString(),
            "x = f32[] parameter(0)\nROOT r = f32[] call(x), to_apply=f39");
    HloModule after = Pipelines.all().run(module).module();
    Verifier.lenient().verify(after);
    int instructions =
        after.computations().stream().mapToInt(each -> each.instructions().size()).sum();
    assertThat(instructions).isLessThan(100_000);
  }

  // Random graphs.

  private static final HloComputation ADD = add();

  private static HloComputation add() {
    Shape.Array scalar = Shape.of(ElementType.F32);
    HloInstruction p = HloInstruction.of("p", new Parameter(0, scalar));
    HloInstruction q = HloInstruction.of("q", new Parameter(1, scalar));
    HloInstruction sum = HloInstruction.of("s", new Elementwise(Elementwise.Kind.ADD), p, q);
    return HloComputation.create("add", ImmutableList.of(p, q, sum), sum);
  }

  private static final int GRAPHS = Boolean.getBoolean("hlo4j.test.nightly") ? 30 : 8;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void randomGraphsGiveTheSameBits(int seed) {
    for (int i = 0; i < GRAPHS; i++) {
      RandomGraph graph = new RandomGraph(new Random(1000L * seed + i));
      HloModule module = graph.module(5 + i);
      Verifier.lenient().verify(module);
      HloModule after = Pipelines.all().run(module).module();
      Verifier.lenient().verify(after);
      Literal[] arguments = graph.arguments();
      SameBitsTest.assertSameBits(
          Printer.print(module) + Printer.print(after),
          Interpreter.reference().run(module, arguments),
          Interpreter.reference().run(after, arguments));
    }
  }

  /** A random graph of f32 arrays of a few sizes, with special values among the arguments. */
  private static final class RandomGraph {
    private static final float[] SPECIAL = {
      0f,
      -0f,
      1f,
      -1f,
      Float.NaN,
      Float.intBitsToFloat(0xffc12345),
      Float.POSITIVE_INFINITY,
      0.5f,
      Float.MIN_VALUE,
      3e38f
    };

    private static final Elementwise.Kind[] KINDS = {
      Elementwise.Kind.ADD,
      Elementwise.Kind.SUBTRACT,
      Elementwise.Kind.MULTIPLY,
      Elementwise.Kind.DIVIDE,
      Elementwise.Kind.MAXIMUM,
      Elementwise.Kind.NEGATE,
      Elementwise.Kind.ABS,
      Elementwise.Kind.SQRT,
      Elementwise.Kind.EXPONENTIAL
    };

    private final Random random;
    private final List<HloInstruction> all = new ArrayList<>();

    RandomGraph(Random random) {
      this.random = random;
      for (int i = 0; i < 3; i++) {
        Shape.Array shape = i == 0 ? Shape.of(ElementType.F32) : Shape.of(ElementType.F32, 4, 3);
        all.add(HloInstruction.of("x" + i, new Parameter(i, shape)));
      }
      for (float value : new float[] {0, -0f, 1, 4, 0.3f}) {
        all.add(
            HloInstruction.of("c" + all.size(), new org.hlo4j.hlo.op.Constant(Literal.of(value))));
      }
    }

    Literal[] arguments() {
      Literal[] arguments = new Literal[3];
      for (int i = 0; i < 3; i++) {
        LiteralBuilder values = new LiteralBuilder((Shape.Array) all.get(i).shape());
        for (int k = 0; k < (i == 0 ? 1 : 12); k++) {
          boolean isSpecial = random.nextInt(3) == 0;
          float value = isSpecial ? SPECIAL[random.nextInt(SPECIAL.length)] : random.nextFloat();
          values.setBits(k, Float.floatToRawIntBits(value) & 0xffffffffL);
        }
        arguments[i] = values.build();
      }
      return arguments;
    }

    HloModule module(int length) {
      while (all.size() < length + 8) {
        all.add(next("i" + all.size()));
      }
      List<HloInstruction> results = List.of(pick(), pick(), all.get(all.size() - 1));
      HloInstruction root =
          HloInstruction.of("result", new Tuple(), results.toArray(new HloInstruction[0]));
      all.add(root);
      return HloModule.create("random", HloComputation.create("entry", all, root));
    }

    private HloInstruction pick() {
      int recent = Math.max(0, all.size() - 8);
      return random.nextBoolean()
          ? all.get(random.nextInt(all.size()))
          : all.get(recent + random.nextInt(all.size() - recent));
    }

    private HloInstruction next(String name) {
      HloInstruction x = pick();
      Shape.Array shape = (Shape.Array) x.shape();
      Dims sizes = shape.sizes();
      int rank = sizes.count();
      int last = rank - 1;
      return switch (random.nextInt(rank == 0 ? 4 : 12)) {
        case 0, 1, 5 -> elementwise(name, x);
        case 2 -> HloInstruction.of(name, new Convert(ElementType.F32), x);
        case 3 -> spread(name, x, shape);
        case 4 -> HloInstruction.of(name, new Reshape(shape.withSizes(sizes.inserted(0, 1))), x);
        case 6 ->
            HloInstruction.of(name, new Reshape(shape.withSizes(Dims.of(sizes.product()))), x);
        case 7 -> HloInstruction.of(name, new Reverse(Dims.of(last)), x);
        case 8 -> HloInstruction.of(name, new Transpose(Dims.range(0, rank).inverse()), x);
        case 9 -> HloInstruction.of(name, new Transpose(backwards(rank)), x);
        case 10 -> reduced(name, x, shape);
        default ->
            sizes.get(last) > 1 && random.nextBoolean()
                ? HloInstruction.of(
                    name,
                    Slice.of(Dims.filled(rank, 0).with(last, 1), sizes, Dims.filled(rank, 1)),
                    x)
                : squared(name, x, last);
      };
    }

    private static HloInstruction squared(String name, HloInstruction x, int last) {
      Dot dot =
          last == 0
              ? Dot.general(Dims.of(), Dims.of(0), Dims.of(), Dims.of(0))
              : Dot.general(Dims.of(0), Dims.of(last), Dims.of(0), Dims.of(last));
      HloInstruction product = HloInstruction.of(name, dot, x, x);
      boolean isSmall = ((Shape.Array) product.shape()).elementCount() < 2_000;
      return isSmall ? product : HloInstruction.of(name, new Elementwise(Elementwise.Kind.TANH), x);
    }

    private HloInstruction spread(String name, HloInstruction x, Shape.Array shape) {
      if (shape.elementCount() > 500 || shape.rank() > 5) {
        return HloInstruction.of(name, new Elementwise(Elementwise.Kind.NEGATE), x);
      }
      int at = random.nextInt(shape.rank() + 1);
      Dims sizes = shape.sizes().inserted(at, random.nextBoolean() ? 4 : 3);
      Dims dimensions = Dims.range(0, sizes.count()).without(Dims.of(at));
      return HloInstruction.of(name, new Broadcast(shape.withSizes(sizes), dimensions), x);
    }

    private static Dims backwards(int rank) {
      return Dims.filled(rank, rank - 1L).minus(Dims.range(0, rank));
    }

    private HloInstruction reduced(String name, HloInstruction x, Shape.Array shape) {
      int dimension = random.nextBoolean() ? shape.rank() - 1 : random.nextInt(shape.rank());
      Shape.Array result = shape.withSizes(shape.sizes().without(Dims.of(dimension)));
      return HloInstruction.create(
          name,
          new Reduce(Dims.of(dimension)),
          ImmutableList.of(x, all.get(3)),
          ImmutableList.of(ADD),
          result,
          org.hlo4j.hlo.ir.Metadata.NONE);
    }

    private HloInstruction elementwise(String name, HloInstruction x) {
      Elementwise op = new Elementwise(KINDS[random.nextInt(KINDS.length)]);
      if (op.kind().arity() == 1) {
        return HloInstruction.of(name, op, x);
      }
      List<HloInstruction> fitting =
          all.stream().filter(other -> other.shape().equals(x.shape())).toList();
      HloInstruction y = fitting.get(random.nextInt(fitting.size()));
      return random.nextBoolean()
          ? HloInstruction.of(name, op, x, y)
          : HloInstruction.of(name, op, y, x);
    }
  }
}
