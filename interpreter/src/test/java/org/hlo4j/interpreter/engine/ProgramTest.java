package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.reference.ReferenceOps;
import org.junit.jupiter.api.Test;

/** Storage that is used again, seen with a kernel that subtracts. */
class ProgramTest {
  private static final int SIZE = 2000;
  private static final int RUNS = 200;

  private final Set<Object> storages =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

  /** {@code lhs - rhs}, in place of either. */
  private final class Subtract implements Kernel {
    @Override
    public Literal run(Literal[] operands, KernelContext context) {
      Shape.Array shape = operands[0].arrayShape();
      float[] lhs = (float[]) operands[0].unsafeStorage();
      float[] rhs = (float[]) operands[1].unsafeStorage();
      float[] result = (float[]) context.allocate(shape);
      for (int i = 0; i < result.length; i++) {
        result[i] = lhs[i] - rhs[i];
      }
      storages.add(result);
      return Literal.unsafeOf(shape, result);
    }

    @Override
    public boolean canReuseOperandBuffer(int operand) {
      return true;
    }

    @Override
    public String describe() {
      return "test";
    }
  }

  private Program program(String text) {
    Function<HloInstruction, KernelChoice> kernels =
        instruction ->
            instruction.op().equals(new Elementwise(Elementwise.Kind.SUBTRACT))
                    && instruction.shape().withoutLayout().equals(shape())
                ? KernelChoice.of(new Subtract())
                : KernelChoice.NONE;
    String module = "HloModule m\n" + text.replace("V", "f32[" + SIZE + "]");
    return Program.of(
        Parser.parse(module), EvaluatorOptions.defaults(), new ReferenceOps(), kernels);
  }

  private static Shape.Array shape() {
    return Shape.of(ElementType.F32, SIZE);
  }

  private static Literal full(double value) {
    return Literal.full(shape(), value);
  }

  @Test
  void chainTakesOneArrayBesideTheResultAndLeavesTheArgumentsAlone() {
    Program program =
        program(
            """
            ENTRY e {
              x = V parameter(0)
              y = V parameter(1)
              a = V subtract(x, y)
              b = V subtract(a, y)
              c = V subtract(b, y)
              ROOT d = V subtract(c, x)
            }\
            """);
    Literal x = full(5);
    Literal y = full(1);
    assertThat(program.run(x, y)).isEqualTo(full(-3));
    assertThat(x).isEqualTo(full(5));
    assertThat(y).isEqualTo(full(1));
    assertThat(storages).hasSize(2);
  }

  @Test
  void whatIsNeededLaterIsNotOverwritten() {
    Program program =
        program(
            """
            ENTRY e {
              x = V parameter(0)
              y = V parameter(1)
              a = V subtract(x, y)
              t = (V, V) tuple(a, y)
              b = V subtract(a, y)
              c = V get-tuple-element(t), index=0
              ROOT d = V subtract(c, b)
            }\
            """);
    assertThat(program.run(full(5), full(1))).isEqualTo(full(1));
    assertThat(storages).hasSize(3);
  }

  @Test
  void resultsOfEarlierRunsStayAsTheyAre() {
    Program program =
        program(
            """
            ENTRY e {
              x = V parameter(0)
              y = V parameter(1)
              a = V subtract(x, y)
              b = V subtract(y, a)
              c = V subtract(a, y)
              ROOT t = (V, V) tuple(b, c)
            }\
            """);
    Literal first = program.run(full(5), full(1));
    Literal second = program.run(full(7), full(2));
    assertThat(first).isEqualTo(Literal.tuple(full(-3), full(3)));
    assertThat(second).isEqualTo(Literal.tuple(full(-3), full(3)));
    assertThat(storages).hasSize(5);
  }

  @Test
  void nextRunWorksWhereTheLastOneDid() {
    Program program =
        program(
            """
            ENTRY e {
              x = V parameter(0)
              y = V parameter(1)
              a = V subtract(x, y)
              ROOT b = V subtract(a, a)
            }\
            """);
    Literal first = program.run(full(5), full(1));
    Literal second = program.run(full(5), full(1));
    assertThat(first).isEqualTo(full(0));
    assertThat(second).isEqualTo(full(0));
    assertThat(storages).hasSize(3);
  }

  @Test
  void runsAtTheSameTimeHaveBuffersOfTheirOwn() {
    Program program =
        program(
            """
            ENTRY e {
              x = V parameter(0)
              y = V parameter(1)
              a = V subtract(x, y)
              t = (V, V) tuple(a, y)
              b = V subtract(y, a)
              c = V get-tuple-element(t), index=0
              ROOT d = V subtract(c, b)
            }\
            """);
    IntStream.range(0, RUNS)
        .parallel()
        .forEach(i -> assertThat(program.run(full(i), full(1))).isEqualTo(full(2 * i - 3)));
    int temporaries = storages.size() - RUNS;
    assertThat(temporaries % 2).isEqualTo(0);
    assertThat(temporaries).isLessThan(RUNS);
  }

  private static final String LOOP =
      """
      cond {
        p = (s32[], V, V, V) parameter(0)
        i = s32[] get-tuple-element(p), index=0
        n = s32[] constant(100)
        ROOT l = pred[] compare(i, n), direction=LT
      }
      body {
        p = (s32[], V, V, V) parameter(0)
        i = s32[] get-tuple-element(p), index=0
        a = V get-tuple-element(p), index=1
        b = V get-tuple-element(p), index=2
        w = V get-tuple-element(p), index=3
        one = s32[] constant(1)
        j = s32[] add(i, one)
        c = V subtract(a, w)
        ROOT t = (s32[], V, V, V) tuple(j, b, c, w)
      }
      ENTRY e {
        x = V parameter(0)
        y = V parameter(1)
        z = s32[] constant(0)
        s = (s32[], V, V, V) tuple(z, x, x, y)
        r = (s32[], V, V, V) while(s), condition=cond, body=body
        a = V get-tuple-element(r), index=1
        ROOT t = (V, V, V) tuple(a, x, y)
      }\
      """;

  @Test
  void loopUsesItsStateAgainButNotWhatItBeganWith() {
    Literal result = program(LOOP).run(full(200), full(2));
    assertThat(result).isEqualTo(Literal.tuple(full(100), full(200), full(2)));
  }

  @Test
  void loopWorksInItsOwnTwoArrays() {
    String alone = LOOP.replace("tuple(j, b, c, w)", "tuple(j, c, b, w)");
    Literal result = program(alone).run(full(200), full(2));
    assertThat(result).isEqualTo(Literal.tuple(full(0), full(200), full(2)));
    assertThat(storages).hasSize(1);
  }

  @Test
  void elementsAreTakenOneByOne() {
    String late =
        LOOP.replace("  b = V get-tuple-element(p), index=2\n", "")
            .replace(
                "  ROOT t = (s32[], V, V, V) tuple(j, b, c, w)",
                "  b = V get-tuple-element(p), index=2\n"
                    + "  ROOT t = (s32[], V, V, V) tuple(j, c, b, w)");
    Literal result = program(late).run(full(200), full(2));
    assertThat(result).isEqualTo(Literal.tuple(full(0), full(200), full(2)));
    assertThat(storages).hasSize(1);
  }

  @Test
  void resultIsPutWhereTheCallerWantsIt() {
    Program program =
        program(
            """
            ENTRY e {
              x = V parameter(0)
              y = V parameter(1)
              a = V subtract(x, y)
              ROOT t = (V, V) tuple(a, y)
            }\
            """);
    Literal result = Literal.tuple(full(0), full(0));
    Object storage = result.element(0).unsafeStorage();
    program.unsafeRunInto(result, full(5), full(1));
    assertThat(result).isEqualTo(Literal.tuple(full(4), full(1)));
    assertThat(storages).containsExactly(storage);
  }

  private static String refusal(Program program, Literal result, Literal... arguments) {
    return assertThrows(HloException.class, () -> program.unsafeRunInto(result, arguments))
        .summary();
  }

  @Test
  void resultOfAnotherShapeOrSharedIsRefused() {
    Program program =
        program(
            """
            ENTRY e {
              x = V parameter(0)
              ROOT a = V subtract(x, x)
            }\
            """);
    Literal x = full(1);
    assertThat(refusal(program, Literal.of(1f), x))
        .isEqualTo("run: result got f32[], want f32[2000]");
    assertThat(refusal(program, x, x))
        .isEqualTo(
            "run: result got an array of f32[2000] that is also a constant, an argument, bound,"
                + " handed out or there twice, want one of its own, as newResult() makes them");
  }
}
