package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.AsyncChain;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.CompositeFunction;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.engine.Effects;

/**
 * A copy of a module in which results that have an {@link Allowance} pass through custom calls,
 * which can shift them within it. There are two kinds of them. One stands between an instruction
 * and the root, if the result of the instruction is only moved there: it shows the values that the
 * instruction itself may give. The other stands before all other uses: it shows how the roundings
 * of an instruction change what is computed from it.
 */
final class Perturbed {
  private static final String PREFIX = "hlo4j.perturb.";

  /** How a computation is copied. */
  private enum Mode {
    /** As it is. */
    PLAIN,
    /** Its instructions may be shifted. */
    SHIFTED,
    /** The same, as part of a reducer, which may be applied in any order. */
    COMBINED,
    /** What the root only moves has an allowance of its own. */
    ROOT
  }

  /**
   * A place where a value may be shifted.
   *
   * @param target the target of its custom call
   * @param name the instruction that has the allowance
   * @param allowance which values it may have
   * @param isOwn whether the value is only moved to the root
   */
  record Site(String target, String name, Allowance allowance, boolean isOwn) {}

  private final Map<Mode, IdentityHashMap<HloComputation, HloComputation>> copies = new HashMap<>();
  private final Map<String, Site> sites = new LinkedHashMap<>();
  private final Map<String, OpenRuns.Site> openSites = new LinkedHashMap<>();
  private final Effects effects = new Effects();
  private final Allowances allowances;
  private final HloModule module;

  private final Outputs outputs;

  private Perturbed(HloModule original, Allowances allowances) {
    this.allowances = allowances;
    outputs = Outputs.of(original);
    module =
        HloModule.create(original.name(), copied(original.entry(), Mode.ROOT))
            .withText(original.attributes(), original.stackFrames());
  }

  static Perturbed of(HloModule module, Allowances allowances) {
    return new Perturbed(
        allowances.isNative() ? inlined(module) : AsyncChain.bindAtOnce(module), allowances);
  }

  /** Returns the module without calls and fusions, which compilers look through, if it is short. */
  static HloModule inlined(HloModule module) {
    HloModule bound = AsyncChain.bindAtOnce(module);
    try {
      return CallInliner.inlined(bound, "..");
    } catch (HloException tooLong) {
      return bound;
    }
  }

  HloModule module() {
    return module;
  }

  /** Returns the places by custom-call target. */
  ImmutableMap<String, Site> sites() {
    return ImmutableMap.copyOf(sites);
  }

  /** Returns the places where something is open by custom-call target. */
  ImmutableMap<String, OpenRuns.Site> openSites() {
    return ImmutableMap.copyOf(openSites);
  }

  private HloComputation copied(HloComputation computation, Mode mode) {
    IdentityHashMap<HloComputation, HloComputation> known =
        copies.computeIfAbsent(mode, each -> new IdentityHashMap<>());
    HloComputation copy = known.get(computation);
    if (copy == null) {
      copy = new Copy(computation, mode).copy();
      known.put(computation, copy);
    }
    return copy;
  }

  /**
   * Returns whether the computations that an op calls are perturbed, too. Reducers are only if the
   * reduction has no allowance itself, or if they have effects.
   */
  private static boolean isRunWhole(Op op) {
    return op instanceof org.hlo4j.hlo.op.Map
        || op instanceof While
        || op instanceof Conditional
        || op instanceof Call
        || op instanceof Fusion;
  }

  /** Returns how what an instruction calls is copied. */
  private Mode modeOfCalled(HloInstruction instruction, Mode mode) {
    boolean isOneFunction = allowances.isNative() && CompositeFunction.of(instruction).isPresent();
    if (mode == Mode.PLAIN || isOneFunction) {
      return Mode.PLAIN;
    }
    boolean isOther = Reducers.of(instruction).filter(Reducers.OTHER::equals).isPresent();
    if (instruction.op() instanceof Scan || isOther) {
      return Mode.COMBINED;
    } else if (isRunWhole(instruction.op())) {
      return mode == Mode.COMBINED ? mode : Mode.SHIFTED;
    }
    return effects.callsEffect(instruction) ? Mode.SHIFTED : Mode.PLAIN;
  }

  /** Returns the operands that an instruction only moves to its result, without rounding. */
  private static boolean isMoved(HloInstruction instruction, int operand) {
    return switch (instruction.op()) {
      case Tuple _, GetTupleElement _, org.hlo4j.hlo.op.Copy _, OptBarrier _, Domain _ -> true;
      case AddDependency _ -> operand == 0;
      case Movement _ -> isFloat(instruction.operands().get(operand));
      case Select _ -> operand > 0;
      case Elementwise op ->
          op.kind() == Elementwise.Kind.NEGATE
              || (op.kind() == Elementwise.Kind.ABS && !isComplex(instruction.operands().get(0)));
      case Convert convert ->
          instruction.operands().get(0).shape() instanceof Shape.Array from
              && from.elementType().isFloating()
              && from.elementType().isWithin(convert.newElementType());
      default -> false;
    };
  }

  private static boolean isFloat(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array
        && array.elementType().componentType().isFloating();
  }

  private static boolean isComplex(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array && array.elementType().isComplex();
  }

  private HloInstruction site(
      String name, Allowance allowance, boolean isOwn, List<HloInstruction> values) {
    String target = PREFIX + sites.size();
    sites.put(target, new Site(target, name, allowance, isOwn));
    return call(target, "perturbed." + sites.size() + ".", values);
  }

  private HloInstruction site(OpenRuns.Site site, List<HloInstruction> values) {
    String target = PREFIX + "open." + openSites.size();
    openSites.put(target, site);
    return call(target, "open." + openSites.size() + ".", values);
  }

  private static HloInstruction call(String target, String prefix, List<HloInstruction> values) {
    Shape shape = values.get(0).shape();
    return HloInstruction.create(
        prefix + values.get(0).name(),
        new CustomCall(shape, target),
        values,
        ImmutableList.of(),
        shape,
        Metadata.NONE);
  }

  private static HloInstruction copy(
      String name,
      HloInstruction instruction,
      List<HloInstruction> operands,
      List<HloComputation> called) {
    return instruction
        .renamed(name)
        .withOperands(operands)
        .withCalled(called)
        .withoutControlPredecessors();
  }

  /** The copy of one computation. */
  private final class Copy {
    private final HloComputation computation;
    private final Mode mode;
    private final String prefix;
    private final List<HloInstruction> instructions = new ArrayList<>();

    /** The results as the copies compute them. */
    private final IdentityHashMap<HloInstruction, HloInstruction> computed =
        new IdentityHashMap<>();

    /** The same before anything in them is open. */
    private final IdentityHashMap<HloInstruction, HloInstruction> raw = new IdentityHashMap<>();

    /** The operands of what {@link #computed} holds. */
    private final IdentityHashMap<HloInstruction, List<HloInstruction>> given =
        new IdentityHashMap<>();

    /** The results, shifted. */
    private final IdentityHashMap<HloInstruction, HloInstruction> shifted = new IdentityHashMap<>();

    /** What is moved to the root. */
    private final IdentityHashMap<HloInstruction, HloInstruction> moved = new IdentityHashMap<>();

    /** The copies that have effects. */
    private final Set<HloInstruction> required = new HashSet<>();

    Copy(HloComputation computation, Mode mode) {
      this.computation = computation;
      this.mode = mode;
      this.prefix = mode == Mode.ROOT ? "" : mode.name().toLowerCase(java.util.Locale.ROOT) + ".";
    }

    HloComputation copy() {
      for (HloInstruction each : computation.instructions()) {
        if (!(each.op() instanceof AsyncStart || each.op() instanceof AsyncUpdate)) {
          add(each);
        }
      }
      HloInstruction last = computation.root();
      HloInstruction root = mode == Mode.ROOT ? moved(last) : shifted(last);
      return HloComputation.create(prefix + computation.name(), used(root), root);
    }

    private HloInstruction added(HloInstruction instruction) {
      instructions.add(instruction);
      return instruction;
    }

    private void add(HloInstruction original) {
      HloInstruction run = original.op() instanceof AsyncDone ? call(original) : original;
      boolean isGiven = run.op() instanceof Outfeed || run.op() instanceof Send;
      List<HloInstruction> operands = new ArrayList<>();
      for (int i = 0; i < run.operands().size(); i++) {
        operands.add(isGiven && mode == Mode.ROOT ? moved(run.operands().get(i)) : operand(run, i));
      }
      List<HloComputation> called =
          run.called().stream().map(each -> copied(each, modeOfCalled(run, mode))).toList();
      HloInstruction copy = added(Perturbed.copy(prefix + run.name(), run, operands, called));
      HloInstruction opened = opened(run, copy, false);
      computed.put(original, opened);
      raw.put(original, copy);
      shifted.put(original, mode == Mode.PLAIN ? copy : shiftable(run, opened, false));
      if (effects.isRequired(original)) {
        required.add(copy);
      }
    }

    /** Returns an operand of an instruction, shifted also as is allowed for this use. */
    private HloInstruction operand(HloInstruction instruction, int i) {
      HloInstruction operand = instruction.operands().get(i);
      HloInstruction copy = shifted(operand);
      Optional<Allowance> use =
          mode == Mode.PLAIN ? Optional.empty() : allowances.ofOperand(instruction, i);
      if (use.isPresent()) {
        copy = allowances.isContracted(instruction, operand) ? computed(operand) : copy;
        List<HloInstruction> values = new ArrayList<>(List.of(copy));
        operand.operands().forEach(each -> values.add(shifted(each)));
        copy = added(site(instruction.name(), use.get(), false, values));
      }
      for (OpenChoice choice : choices(instruction)) {
        if (choice instanceof OpenChoice.NaNs && isFloat(operand)) {
          copy = added(site(openSite(choice, instruction, false), List.of(copy)));
        }
      }
      return copy;
    }

    private ImmutableList<OpenChoice> choices(HloInstruction instruction) {
      return mode == Mode.PLAIN
          ? ImmutableList.of()
          : allowances.isNative() ? OpenChoice.of(instruction) : OpenChoice.signs(instruction);
    }

    /** Returns a result of which some elements may get other values. */
    private HloInstruction opened(
        HloInstruction instruction, HloInstruction copy, boolean isPlaced) {
      HloInstruction opened = copy;
      for (OpenChoice choice : choices(instruction)) {
        if (!(choice instanceof OpenChoice.NaNs)) {
          List<HloInstruction> values = new ArrayList<>(List.of(opened));
          values.addAll(copy.operands());
          opened = added(site(openSite(choice, instruction, isPlaced), values));
        }
      }
      given.put(opened, copy.operands());
      return opened;
    }

    private OpenRuns.Site openSite(
        OpenChoice choice, HloInstruction instruction, boolean isPlaced) {
      return new OpenRuns.Site(
          choice,
          instruction,
          isPlaced && choice instanceof OpenChoice.Blocks
              ? outputs.places(instruction)
              : ImmutableMap.of());
    }

    private HloInstruction shiftable(HloInstruction run, HloInstruction copy, boolean isOwn) {
      boolean isCombined = mode == Mode.COMBINED;
      Allowance allowance = allowances.of(run, isOwn, isCombined);
      if (allowance.isExact() && !(allowances.flushes() && mayBeDenormal(run))) {
        return copy;
      }
      List<HloInstruction> values = new ArrayList<>(List.of(copy));
      if (!allowance.isExact()) {
        values.addAll(given.getOrDefault(copy, copy.operands()));
      }
      return added(site(run.name(), allowance, isOwn, values));
    }

    private HloInstruction shifted(HloInstruction original) {
      return shifted.getOrDefault(original, original);
    }

    /**
     * Returns a result as the root, or an effect, gets it: shifted within its own allowance only.
     */
    private HloInstruction moved(HloInstruction original) {
      HloInstruction known = moved.get(original);
      if (known == null) {
        known = movedAnew(original);
        moved.put(original, known);
      }
      return known;
    }

    private HloInstruction computed(HloInstruction original) {
      return computed.getOrDefault(original, original);
    }

    private HloInstruction movedAnew(HloInstruction original) {
      boolean isBranch =
          (original.op() instanceof Conditional || original.op() instanceof org.hlo4j.hlo.op.Map)
              && !effects.hasEffect(original);
      boolean isOnlyMoved =
          IntStream.range(0, original.operands().size()).anyMatch(i -> isMoved(original, i));
      if (!isBranch && !isOnlyMoved) {
        boolean isPlaced =
            !outputs.places(original).isEmpty()
                && choices(original).stream().anyMatch(OpenChoice.Blocks.class::isInstance);
        return shiftable(
            original,
            isPlaced ? opened(original, raw.get(original), true) : computed(original),
            true);
      }
      List<HloInstruction> operands = new ArrayList<>();
      for (int i = 0; i < original.operands().size(); i++) {
        HloInstruction operand = original.operands().get(i);
        operands.add(!isBranch && isMoved(original, i) ? moved(operand) : shifted(operand));
      }
      List<HloComputation> called =
          original.called().stream().map(each -> copied(each, Mode.ROOT)).toList();
      return opened(
          original,
          added(Perturbed.copy("moved." + original.name(), original, operands, called)),
          false);
    }

    /** Returns the instructions that the root, or an effect, needs. */
    private List<HloInstruction> used(HloInstruction root) {
      Set<HloInstruction> needed = new HashSet<>(required);
      needed.add(root);
      for (HloInstruction each : instructions.reversed()) {
        if (needed.contains(each)) {
          needed.addAll(each.operands());
        }
      }
      return instructions.stream().filter(needed::contains).toList();
    }
  }

  private static boolean mayBeDenormal(HloInstruction instruction) {
    return isFloat(instruction)
        && (instruction.op() instanceof Parameter
            || instruction.op() instanceof Constant
            || instruction.op() instanceof Pointwise);
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
}
