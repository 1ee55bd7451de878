package org.hlo4j.interpreter.compiled.loops;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;

/**
 * Random fusions, each of which must give exactly the bits of the reference, with scalars and with
 * vectors. The message of a failure has the seed and the module; to reproduce it, run that seed
 * alone.
 */
class RandomFusionsTest {
  private static final int SEEDS =
      Integer.getInteger("hlo4j.loops.seeds", Nightly.isOn() ? 250 : 30);

  @Test
  void agreeWithTheReference() {
    int expressible = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      expressible += check(seed) ? 1 : 0;
    }
    assertThat(expressible).isAtLeast(SEEDS * 3 / 4);
  }

  private static boolean check(int seed) {
    HloComputation fused = RandomFusion.of(seed, 4 + seed % 20);
    HloModule module = module(fused);
    try {
      boolean isExpressible = Loops.kernel(module.entry().root(), true).kernel().isPresent();
      if (isExpressible) {
        Literal[] arguments = LoopFusionsTest.TESTER.arguments(module, seed);
        assertThat(LoopFusionsTest.TESTER.result(module, arguments))
            .isEqualTo(Interpreter.reference().run(HloModule.create("fused", fused), arguments));
      }
      return isExpressible;
    } catch (RuntimeException | Error problem) {
      throw new AssertionError("seed " + seed + "\n" + Printer.print(module), problem);
    }
  }

  private static HloModule module(HloComputation fused) {
    List<HloInstruction> parameters =
        IntStream.range(0, fused.parameters().size())
            .mapToObj(i -> {
              Shape shape = fused.parameters().get(i).shape();
              return HloInstruction.of("p" + i, new Parameter(i, shape));
            })
            .toList();
    HloInstruction fusion =
        HloInstruction.create(
            "fusion",
            new Fusion(Fusion.Kind.LOOP),
            parameters,
            ImmutableList.of(fused),
            fused.root().shape(),
            Metadata.NONE);
    List<HloInstruction> all =
        ImmutableList.<HloInstruction>builder().addAll(parameters).add(fusion).build();
    return HloModule.create("random", HloComputation.create("main", all, fusion));
  }
}
