package org.hlo4j.interpreter.compiled;

import com.google.common.collect.ContiguousSet;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.passes.NanOrigin;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;

/**
 * A kernel whose computed NaNs are replaced by the one quiet NaN of their type, as the reference
 * gives it: processors give NaNs a sign and a payload of their own. This is needed only in modules
 * that can observe the bits of NaNs. Copied NaNs keep their bits. Loops, calls, scatters and
 * windows handle both cases themselves.
 *
 * @param kernel computes the values
 * @param computed the elements of the result, if it is a tuple, whose NaNs are replaced
 */
record QuietNaNKernel(Kernel kernel, ImmutableSet<Integer> computed) implements Kernel {
  private static final String MIXED = "NaNs of which some are computed, some copied";

  /** Returns whether an instruction of the module can tell one NaN from another. */
  static boolean areObserved(HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .anyMatch(QuietNaNKernel::observesBits);
  }

  private static boolean observesBits(HloInstruction instruction) {
    return switch (instruction.op()) {
      case BitcastConvert _, Bitcast _ -> isOfFloats(instruction.operands().get(0));
      case Compare compare -> compare.type().equals(Optional.of(Compare.Type.TOTALORDER));
      default -> OpTraits.of(instruction.op()).has(Trait.OBSERVES_NANS);
    };
  }

  private static boolean isOfFloats(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array
        && (array.elementType().isFloating() || array.elementType().isComplex());
  }

  /**
   * Returns the kernel with its NaNs made quiet where necessary; declines if a result has both
   * computed and copied NaNs.
   */
  static KernelChoice of(Kernel kernel, HloInstruction instruction) {
    return switch (instruction.op()) {
      case Elementwise _ ->
          KernelChoice.of(isOfComplexNumbers(instruction) ? all(kernel, instruction) : kernel);
      case Fusion _ ->
          holdsReduce(instruction) ? ofFusion(kernel, instruction) : KernelChoice.of(kernel);
      case Reduce _ ->
          NanOrigin.isEmpty(instruction) ? KernelChoice.of(kernel) : ofReducer(kernel, instruction);
      default ->
          KernelChoice.of(
              OpTraits.of(instruction.op()).has(Trait.MAKES_NANS)
                  ? all(kernel, instruction)
                  : kernel);
    };
  }

  private static Kernel all(Kernel kernel, HloInstruction instruction) {
    int elements = instruction.shape() instanceof Shape.Tuple tuple ? tuple.elements().size() : 1;
    return new QuietNaNKernel(kernel, ContiguousSet.closedOpen(0, elements));
  }

  /**
   * Returns whether an op on complex numbers is computed by a kernel of its own, not by generated
   * loops over the parts.
   */
  private static boolean isOfComplexNumbers(HloInstruction instruction) {
    return Stream.concat(Stream.of(instruction), instruction.operands().stream())
        .map(HloInstruction::shape)
        .anyMatch(shape -> shape instanceof Shape.Array array && array.elementType().isComplex());
  }

  /** Returns whether a fusion has a reduction, whose code does not handle NaNs. */
  private static boolean holdsReduce(HloInstruction fusion) {
    return fusion.called().get(0).instructions().stream()
        .anyMatch(instruction -> instruction.op() instanceof Reduce);
  }

  /**
   * Returns the kernel of an instruction that reduces, with the NaNs of its computed results made
   * quiet. Declines if a result has both computed and copied NaNs.
   */
  static KernelChoice ofReducer(Kernel kernel, HloInstruction instruction) {
    HloComputation reducer = instruction.called().get(0);
    return ofResults(kernel, reducer, NanOrigin.ofReducer(reducer));
  }

  /**
   * Returns the kernel of a fusion, as above. Declines also if the bits of NaNs are observed in it:
   * these may be computed in it.
   */
  private static KernelChoice ofFusion(Kernel kernel, HloInstruction fusion) {
    HloComputation fused = fusion.called().get(0);
    return observesBits(fused)
        ? KernelChoice.decline("NaNs that are computed and whose bits are observed")
        : ofResults(kernel, fused, NanOrigin.ofResults(fused));
  }

  private static boolean observesBits(HloComputation computation) {
    return computation.instructions().stream()
        .anyMatch(instruction ->
            observesBits(instruction)
                || instruction.called().stream().anyMatch(QuietNaNKernel::observesBits));
  }

  private static KernelChoice ofResults(
      Kernel kernel, HloComputation computation, ImmutableList<NanOrigin> origins) {
    ImmutableList<HloInstruction> results = NanOrigin.results(computation);
    ImmutableSet.Builder<Integer> computed = ImmutableSet.builder();
    for (int i = 0; i < origins.size(); i++) {
      if (isOfFloats(results.get(i))) {
        if (origins.get(i) == NanOrigin.MIXED) {
          return KernelChoice.decline(MIXED);
        } else if (origins.get(i) == NanOrigin.COMPUTED) {
          computed.add(i);
        }
      }
    }
    ImmutableSet<Integer> all = computed.build();
    return KernelChoice.of(all.isEmpty() ? kernel : new QuietNaNKernel(kernel, all));
  }

  @Override
  public void warmUp() {
    kernel.warmUp();
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Literal result = kernel.run(operands, context);
    if (result.shape() instanceof Shape.Tuple) {
      computed.forEach(element -> quiet(result.element(element)));
    } else {
      quiet(result);
    }
    return result;
  }

  private static void quiet(Literal value) {
    if (value.shape() instanceof Shape.Array array) {
      Storages.quietNaNs(array.elementType().componentType(), value.unsafeStorage());
    }
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return kernel.canReuseOperandBuffer(operand);
  }

  @Override
  public String describe() {
    return kernel.describe() + ", NaNs made quiet";
  }
}
