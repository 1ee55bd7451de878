package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import com.google.common.collect.ObjectArrays;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hlo4j.check.Flattened;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.AsyncChain;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.engine.Effects;

/**
 * A copy of a module in which each result that has a tolerance passes through a custom call, which
 * can shift it within that tolerance. The reference, which runs this module, thus shows how far the
 * tolerances can change the final result. The call for a sum takes as a second operand the same sum
 * of the magnitudes of its terms, and that for a product the products of its factors above and
 * below 1.
 */
final class Perturbed {
  private static final String PREFIX = "hlo4j.perturb.";

  private final IdentityHashMap<HloComputation, HloComputation> rewritten = new IdentityHashMap<>();

  /** The computations that are not perturbed, under other names: both kinds may stand together. */
  private final IdentityHashMap<HloComputation, HloComputation> plain = new IdentityHashMap<>();

  private final Effects effects = new Effects();
  private final Map<String, Tolerance> targets = new HashMap<>();
  private final ToleranceProfile profile;
  private final Tolerances tolerances;
  private final HloModule module;

  private Perturbed(HloModule original, ToleranceProfile profile) {
    this.profile = profile;
    this.tolerances = Tolerances.of(profile);
    original.computations().forEach(computation -> rewritten.put(computation, of(computation)));
    HloComputation entry = rewritten.get(original.entry());
    module =
        HloModule.create(original.name(), entry == null ? original.entry() : entry)
            .withText(original.attributes(), original.stackFrames());
  }

  static Perturbed of(HloModule module, ToleranceProfile profile) {
    HloModule bound = AsyncChain.bindAtOnce(module);
    return new Perturbed(
        profile instanceof ToleranceProfile.Native ? inlined(BatchNormExpansion.of(bound)) : bound,
        profile);
  }

  /** Returns the module without calls and fusions, which compilers look through, if it is short. */
  private static HloModule inlined(HloModule module) {
    try {
      return Flattened.of(module, "..");
    } catch (HloException tooLong) {
      return module;
    }
  }

  ToleranceProfile profile() {
    return profile;
  }

  /** Returns the perturbed module. */
  HloModule module() {
    return module;
  }

  /** Returns the custom-call targets of the module and the tolerance of each. */
  Map<String, Tolerance> targets() {
    return targets;
  }

  /** Returns whether something in the module may have any order. */
  boolean reorders() {
    return targets.values().stream().anyMatch(Tolerance.Order.class::isInstance);
  }

  /** Returns whether no instruction of the module has a tolerance. */
  boolean isExact() {
    return targets.isEmpty();
  }

  private HloComputation of(HloComputation computation) {
    IdentityHashMap<HloInstruction, HloInstruction> copies = new IdentityHashMap<>();
    List<HloInstruction> instructions = new ArrayList<>();
    for (HloInstruction instruction : computation.instructions()) {
      if (instruction.op() instanceof AsyncStart || instruction.op() instanceof AsyncUpdate) {
        continue;
      }
      HloInstruction run = instruction.op() instanceof AsyncDone ? call(instruction) : instruction;
      HloInstruction copy = copy(run, operands(run, copies, instructions));
      instructions.add(copy);
      HloInstruction[] terms =
          tolerances.of(run) instanceof Tolerance.Constants
              ? terms(run, copies)
              : copy.operands().toArray(HloInstruction[]::new);
      copies.put(instruction, perturbed(tolerances.of(run), copy, terms, instructions));
    }
    return HloComputation.create(
        computation.name(), instructions, copied(copies, computation.root()));
  }

  /**
   * Returns the call that an asynchronous computation amounts to. What is called asynchronously may
   * have no other instructions than its root, thus none that shift its result.
   */
  private static HloInstruction call(HloInstruction done) {
    HloInstruction start = done;
    while (!(start.op() instanceof AsyncStart)) {
      start = start.operands().get(0);
    }
    return HloInstruction.create(
        done.name(),
        new Call(),
        start.operands(),
        start.called(),
        done.shape(),
        done.metadata(),
        done.attributes());
  }

  /** Returns the terms of a sum, and those of its operands that are sums themselves. */
  private static HloInstruction[] terms(
      HloInstruction sum, Map<HloInstruction, HloInstruction> copies) {
    return sum.operands().stream()
        .flatMap(operand -> Stream.concat(Stream.of(operand), operand.operands().stream()))
        .filter(term -> term.shape().compatible(sum.shape()))
        .map(term -> copied(copies, term))
        .toArray(HloInstruction[]::new);
  }

  private static HloInstruction copied(
      Map<HloInstruction, HloInstruction> copies, HloInstruction instruction) {
    return copies.getOrDefault(instruction, instruction);
  }

  /** Returns the operands of a copy, perturbed where they have a tolerance for this use. */
  private List<HloInstruction> operands(
      HloInstruction instruction,
      Map<HloInstruction, HloInstruction> copies,
      List<HloInstruction> instructions) {
    List<HloInstruction> operands = new ArrayList<>();
    for (int i = 0; i < instruction.operands().size(); i++) {
      HloInstruction operand = instruction.operands().get(i);
      HloInstruction copy = copied(copies, operand);
      operands.add(
          switch (tolerances.ofOperand(instruction, operand)) {
            case Tolerance.Ulps ulps ->
                called(use(instruction, i), "ulps." + ulps.count(), ulps, instructions, copy);
            case Tolerance.Order order ->
                called(
                    use(instruction, i), "order." + order.dimension(), order, instructions, copy);
            default -> copy;
          });
    }
    return operands;
  }

  private static String use(HloInstruction instruction, int operand) {
    return "operand." + operand + "." + instruction.name() + ".";
  }

  private HloInstruction copy(HloInstruction instruction, List<HloInstruction> operands) {
    boolean isPerturbed = isRunWhole(instruction.op()) || effects.callsEffect(instruction);
    List<HloComputation> called =
        instruction.called().stream()
            .map(each -> isPerturbed ? rewritten.getOrDefault(each, each) : plain(each))
            .toList();
    return copy(instruction.name(), instruction, operands, called);
  }

  /** Returns a copy of a computation that is not perturbed, nor is anything that it calls. */
  private HloComputation plain(HloComputation computation) {
    HloComputation known = plain.get(computation);
    if (known != null) {
      return known;
    }
    IdentityHashMap<HloInstruction, HloInstruction> copies = new IdentityHashMap<>();
    List<HloInstruction> instructions = new ArrayList<>();
    for (HloInstruction each : computation.instructions()) {
      List<HloInstruction> operands =
          each.operands().stream().map(operand -> copied(copies, operand)).toList();
      List<HloComputation> called = each.called().stream().map(this::plain).toList();
      HloInstruction copy = copy("plain." + each.name(), each, operands, called);
      copies.put(each, copy);
      instructions.add(copy);
    }
    HloComputation copy =
        HloComputation.create(
            "plain." + computation.name(), instructions, copied(copies, computation.root()));
    plain.put(computation, copy);
    return copy;
  }

  private static HloInstruction copy(
      String name,
      HloInstruction instruction,
      List<HloInstruction> operands,
      List<HloComputation> called) {
    return HloInstruction.create(
            name,
            instruction.op(),
            operands,
            called,
            instruction.shape(),
            instruction.metadata(),
            Maps.filterKeys(instruction.attributes(), each -> !each.equals("control-predecessors")))
        .withSharding(instruction.sharding());
  }

  /**
   * Returns whether the computations that an op calls are perturbed too. Reducers are not, unless
   * they have effects: the reduction has a tolerance itself.
   */
  private static boolean isRunWhole(Op op) {
    return op instanceof org.hlo4j.hlo.op.Map
        || op instanceof Scan
        || op instanceof While
        || op instanceof Conditional
        || op instanceof Call
        || op instanceof Fusion;
  }

  private HloInstruction perturbed(
      Tolerance tolerance,
      HloInstruction copy,
      HloInstruction[] terms,
      List<HloInstruction> instructions) {
    return switch (tolerance) {
      case Tolerance.None none -> copy;
      case Tolerance.Ulps ulps -> called("ulps." + ulps.count(), ulps, instructions, copy);
      case Tolerance.Order order -> copy;
      case Tolerance.Constants constants ->
          called("constants", constants, instructions, ObjectArrays.concat(copy, terms));
      case Tolerance.Arithmetic arithmetic ->
          called(
              "arithmetic." + arithmetic.kind().mnemonic() + "." + arithmetic.ulps(),
              arithmetic,
              instructions,
              ObjectArrays.concat(copy, terms));
      case Tolerance.Any any -> called("any", any, instructions, copy);
      case Tolerance.Decomposition decomposition ->
          called("decomposition." + decomposition, decomposition, instructions, copy);
      case Tolerance.Modulus modulus ->
          called("modulus." + modulus.ulps(), modulus, instructions, copy);
      case Tolerance.Spread spread ->
          called(
              "spread." + spread.roundings() + "." + spread.together(),
              spread,
              instructions,
              spread(copy, instructions));
      case Tolerance.Normalization norm ->
          called("normalization." + norm.roundings(), norm, instructions, copy);
      case Tolerance.Sum sum ->
          called(
              "sum." + sum.terms(),
              sum,
              instructions,
              copy,
              Magnitudes.of(Magnitudes.Term.MAGNITUDE, copy, instructions));
      case Tolerance.Product product ->
          called(
              "product." + product.ulps(),
              product,
              instructions,
              copy,
              Magnitudes.of(Magnitudes.Term.LARGE, copy, instructions),
              Magnitudes.of(Magnitudes.Term.SMALL, copy, instructions));
    };
  }

  /**
   * Returns a result, and the magnitudes of what it was computed from, where those may be larger:
   * of an IRFFT only the real part is kept.
   */
  private static HloInstruction[] spread(HloInstruction result, List<HloInstruction> instructions) {
    if (!(result.op() instanceof Fft fft) || fft.fftType() != Fft.FftType.IRFFT) {
      return new HloInstruction[] {result};
    }
    HloInstruction magnitudes =
        HloInstruction.of(
            "magnitudes." + result.name(),
            new Elementwise(Elementwise.Kind.ABS),
            result.operands().get(0));
    instructions.add(magnitudes);
    return new HloInstruction[] {result, magnitudes};
  }

  private HloInstruction called(
      String name,
      Tolerance tolerance,
      List<HloInstruction> instructions,
      HloInstruction... operands) {
    return called("", name, tolerance, instructions, operands);
  }

  private HloInstruction called(
      String prefix,
      String name,
      Tolerance tolerance,
      List<HloInstruction> instructions,
      HloInstruction... operands) {
    String target = PREFIX + name;
    targets.put(target, tolerance);
    Shape shape = operands[0].shape();
    HloInstruction call =
        HloInstruction.create(
            "perturbed." + prefix + operands[0].name(),
            new CustomCall(shape, target),
            ImmutableList.copyOf(operands),
            ImmutableList.of(),
            shape,
            Metadata.NONE);
    instructions.add(call);
    return call;
  }
}
