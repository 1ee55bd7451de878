package org.hlo4j.interpreter.reference;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.engine.Device;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.RandomState;
import org.hlo4j.interpreter.engine.Step;
import org.hlo4j.interpreter.engine.TransferQueues;
import org.hlo4j.interpreter.engine.WholeArrays;
import org.hlo4j.interpreter.engine.Workers;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ops whose loops check the limits themselves, not only between instructions. */
class LongOpsTest {
  private static final String MODULE =
      """
      HloModule m

      %sum {
        %a = f32[] parameter(0)
        %b = f32[] parameter(1)
        ROOT %r = f32[] add(%a, %b)
      }

      ENTRY %e {
        %x = f32[2,2] parameter(0)
        %p = pred[2,2] parameter(1)
        %z = f32[] constant(0)
        %i = s32[] constant(0)
        %t = f32[2,2,1,1] parameter(2)
        ROOT %y = OP
      }
      """;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "f32[2,2] add(%x, %x)",
        "pred[2,2] compare(%x, %x), direction=LT",
        "f32[2,2] select(%p, %x, %x)",
        "s32[2,2] convert(%x)",
        "s32[2,2] bitcast-convert(%x)",
        "f32[2,2] reduce-precision(%x), exponent_bits=5, mantissa_bits=5",
        "f32[2,2] iota(), iota_dimension=0",
        "f32[3] broadcast(%z), dimensions={}",
        "f32[2,2] transpose(%x), dimensions={1,0}",
        "f32[1,2] slice(%x), slice={[0:1], [0:2]}",
        "f32[1,2] dynamic-slice(%x, %i, %i), dynamic_slice_sizes={1,2}",
        "f32[2,2] dynamic-update-slice(%x, %x, %i, %i)",
        "f32[4,2] concatenate(%x, %x), dimensions={0}",
        "f32[3,2] pad(%x, %z), padding=0_1x0_0",
        "f32[2,2] reverse(%x), dimensions={0}",
        "f32[] reduce(%x, %z), dimensions={0,1}, to_apply=%sum",
        "f32[2,2] dot(%x, %x), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        "f32[2,2] reduce-window(%x, %z), window={size=1x1}, to_apply=%sum",
        "f32[2,2,1,1] convolution(%t, %t), window={size=1x1}, dim_labels=bf01_oi01->bf01",
        "c64[2,2] fft(%x), fft_type=FFT, fft_length={2}",
      })
  void anInterruptionEndsTheOp(String op) {
    HloModule module = Parser.parse(MODULE.replace("OP", op));
    HloInstruction root = module.entry().root();
    List<Literal> operands =
        root.operands().stream()
            .map(operand -> Literal.zeros((Shape.Array) operand.shape()))
            .toList();
    Limits limits = new Limits(Optional.<Duration>empty(), Long.MAX_VALUE);
    Thread.currentThread().interrupt();
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                limits.within(() ->
                    new ReferenceOps()
                        .evaluate(
                            Step.asDeclared(root, operands), List.of(), new Unlimited(module))));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(refusal.summary()).isEqualTo("run: interrupted");
  }

  /** Checks no limits of its own. */
  private record Unlimited(HloModule module) implements Execution {
    @Override
    public Literal call(HloComputation computation, List<Literal> arguments) {
      return arguments.get(0);
    }

    @Override
    public Literal call(HloComputation computation, boolean[] given, Literal... arguments) {
      return call(computation, Arrays.asList(arguments));
    }

    @Override
    public Literal call(HloComputation computation, Literal... arguments) {
      return call(computation, Arrays.asList(arguments));
    }

    @Override
    public Literal compute(
        Object key, Supplier<HloComputation> making, boolean[] donated, Literal... arguments) {
      return call(making.get(), donated, arguments);
    }

    @Override
    public boolean[] freshResults(HloComputation computation) {
      return new boolean[0];
    }

    @Override
    public EvaluatorOptions options() {
      return EvaluatorOptions.defaults();
    }

    @Override
    public WholeArrays wholeArrays() {
      return new WholeArrays();
    }

    @Override
    public Device device() {
      return Device.single();
    }

    @Override
    public RandomState random() {
      return new RandomState(0);
    }

    @Override
    public Literal detached(Literal value) {
      return value;
    }

    @Override
    public TransferQueues transfers() {
      return new TransferQueues();
    }

    @Override
    public Object allocate(Shape.Array shape) {
      return Literal.zeros(shape).unsafeStorage();
    }

    @Override
    public Workers workers() {
      return Workers.of(1);
    }
  }
}
