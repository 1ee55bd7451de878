package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;

/**
 * Which buffers temporary arrays are planned in: instructions in, their buffers out. What is named
 * {@code over} may overwrite its operands; a clamp is left to the reference.
 */
class BufferPlanTest {
  private record Anything(boolean canReuseOperandBuffer) implements Kernel {
    @Override
    public Literal run(Literal[] operands, KernelContext context) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean canReuseOperandBuffer(int operand) {
      return canReuseOperandBuffer;
    }

    @Override
    public String describe() {
      return "test";
    }
  }

  private static KernelChoice kernel(HloInstruction instruction) {
    boolean isNone =
        instruction.op() instanceof ForwardingOp
            || instruction.op() instanceof Parameter
            || instruction.op() instanceof Tuple
            || instruction.op().opcode().equals("clamp");
    return isNone
        ? KernelChoice.NONE
        : KernelChoice.of(new Anything(instruction.name().startsWith("over")));
  }

  private static String plan(String instructions) {
    String text = "HloModule m\nENTRY e {\n  x = f32[2000] parameter(0)\n" + instructions + "}";
    Schedule schedule = new Schedule(Parser.parse(text).entry(), BufferPlanTest::kernel);
    String steps =
        IntStream.range(0, schedule.size())
            .filter(slot -> schedule.allocations(slot).length > 0)
            .mapToObj(
                slot -> schedule.instruction(slot).name() + buffers(schedule.allocations(slot)))
            .collect(joining(" "));
    return steps + " | " + schedule.buffers().stream().map(Object::toString).collect(joining(" "));
  }

  private static String buffers(Liveness.ArrayAllocation[] made) {
    return Arrays.stream(made)
        .map(array -> array.buffer() < 0 ? ":-" : ":" + array.buffer())
        .collect(joining());
  }

  @Test
  void arraysThatAreNotNeededTogetherShareTheBufferOfTheLongest() {
    assertThat(
            plan(
                """
                a = f32[1500] slice(x), slice={[0:1500]}
                b = f32[3000] concatenate(a, a), dimensions={0}
                c = f32[1200] slice(b), slice={[0:1200]}
                d = f32[2400] concatenate(c, c), dimensions={0}
                ROOT r = f32[4800] concatenate(d, d), dimensions={0}
                """))
        .isEqualTo("a:1 b:0 c:1 d:0 r:- | f32[3000] f32[1500]");
  }

  @Test
  void arrayTakesTheShortestBufferThatIsFree() {
    assertThat(
            plan(
                """
                a = f32[4000] concatenate(x, x), dimensions={0}
                b = f32[1500] slice(a), slice={[0:1500]}
                c = f32[1400] slice(b), slice={[0:1400]}
                ROOT d = f32[1400] negate(c)
                """))
        .isEqualTo("a:0 b:1 c:0 d:- | f32[4000] f32[1500]");
  }

  @Test
  void onlyWhatJavaHoldsInTheSameTypeOfArrayShares() {
    assertThat(
            plan(
                """
                a = c64[2000] complex(x, x)
                b = f32[2000] real(a)
                c = u32[2000] bitcast-convert(b)
                d = s32[2000] bitcast-convert(c)
                e = f32[2000] convert(d)
                f = u32[2000] bitcast-convert(e)
                ROOT r = f32[2000] convert(f)
                """))
        .isEqualTo("a:0 b:1 c:2 d:3 e:1 f:3 r:- | f32[4000] f32[2000] s32[2000] s32[2000]");
  }

  @Test
  void resultIsWrittenInPlaceOfAnOperandThatIsReadNoMore() {
    assertThat(
            plan(
                """
                a = f32[2000] negate(x)
                over = f32[2000] negate(a)
                over.1 = f32[2000] add(over, a)
                over.2 = f32[2000] add(over.1, over.1)
                ROOT r = f32[2000] negate(over.2)
                """))
        .isEqualTo("a:0 over:1 over.1:1 over.2:0 r:- | f32[2000] f32[2000]");
  }

  @Test
  void resultHasNoBufferNorHasWhatTheReferenceMayKeep() {
    assertThat(
            plan(
                """
                a = f32[2000] negate(x)
                b = f32[2000] clamp(a, x, a)
                c = f32[2000] negate(b)
                over = f32[2000] negate(c)
                ROOT r = (f32[2000], f32[2000]) tuple(over, b)
                """))
        .isEqualTo("a:- c:0 over:- | f32[2000]");
  }

  @Test
  void elementOfTupleLivesAsLongAsTheTuple() {
    assertThat(
            plan(
                """
                a = f32[2000] negate(x)
                b = f32[2000] negate(x)
                t = (f32[2000], f32[2000]) tuple(a, b)
                c = f32[2000] get-tuple-element(t), index=0
                d = f32[2000] negate(c)
                e = f32[2000] get-tuple-element(t), index=1
                ROOT r = f32[2000] add(d, e)
                """))
        .isEqualTo("a:0 b:1 d:2 r:- | f32[2000] f32[2000] f32[2000]");
  }

  @Test
  void arraysBelowAPageAreMadeAnew() {
    assertThat(
            plan(
                """
                a = f32[1023] slice(x), slice={[0:1023]}
                b = f32[1024] slice(x), slice={[0:1024]}
                ROOT r = f32[2047] concatenate(a, b), dimensions={0}
                """))
        .isEqualTo("a:- b:0 r:- | f32[1024]");
  }
}
