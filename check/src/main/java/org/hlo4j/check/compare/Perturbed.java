package org.hlo4j.check.compare;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toSet;

import com.google.common.base.Ascii;
import com.google.common.collect.HashBasedTable;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.AsyncChain;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.CompositeFunction;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
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
    /** Its instructions may be shifted. */
    SHIFTED,
    /** The same, as part of a reducer, which may be applied in any order. */
    COMBINED,
    /** What the root only moves has an allowance of its own. */
    ROOT
  }

  /**
   * A place where a run may change a value.
   *
   * @param target the target of its custom call
   * @param instruction what has the allowance, or whose result or operand is open
   * @param allowance which values roundings may give
   * @param isOwn whether the value is only moved to the root
   * @param row what leaves the value open; empty if roundings only shift it
   * @param numbers which arrays of the module's result those of an open instruction are, if they
   *     are there as it gives them
   */
  record Site(
      String target,
      HloInstruction instruction,
      Allowance allowance,
      boolean isOwn,
      Optional<LeftOpen> row,
      Map<Integer, Integer> numbers) {
    private Site(String target, HloInstruction instruction, Allowance allowance, boolean isOwn) {
      this(target, instruction, allowance, isOwn, Optional.empty(), Map.of());
    }

    private Site(String target, HloInstruction at, LeftOpen row, Map<Integer, Integer> numbers) {
      this(target, at, Allowance.EXACT, false, Optional.of(row), numbers);
    }
  }

  private final Table<Mode, HloComputation, HloComputation> copies = HashBasedTable.create();
  private final Map<String, Site> sites = new LinkedHashMap<>();
  private final Effects effects = new Effects();
  private final Allowances allowances;
  private final Map<HloInstruction, Map<Integer, Integer>> outputs;
  private final HloModule module;

  Perturbed(HloModule given, Allowances allowances) {
    this.allowances = allowances;
    HloModule original = allowances.isNative() ? inlined(given) : AsyncChain.bindAtOnce(given);
    this.outputs = Outputs.numbers(original);
    this.module =
        HloModule.create(original.name(), copied(original.entry(), Optional.of(Mode.ROOT)))
            .withText(original.attributes(), original.stackFrames());
    Set<String> targets = // of what is not dead
        module
            .instructions()
            .flatMap(
                each -> each.op() instanceof CustomCall call ? Stream.of(call) : Stream.empty())
            .map(CustomCall::customCallTarget)
            .collect(toSet());
    sites.keySet().retainAll(targets);
  }

  HloModule module() {
    return module;
  }

  ImmutableList<Site> sites() {
    return ImmutableList.copyOf(sites.values());
  }

  /** Returns the module without calls and fusions, which compilers look through, if it is short. */
  static HloModule inlined(HloModule module) {
    HloModule bound = AsyncChain.bindAtOnce(module);
    return Runner.unlessRefused(() -> CallInliner.inlined(bound, "..")).orElse(bound);
  }

  /** Returns the copy of a computation; itself in no mode. */
  private HloComputation copied(HloComputation computation, Optional<Mode> mode) {
    if (mode.isEmpty()) {
      return computation;
    }
    HloComputation copy = copies.get(mode.get(), computation);
    if (copy == null) {
      copy = new Copy(computation, mode.get()).copy();
      copies.put(mode.get(), computation, copy);
    }
    return copy;
  }

  /**
   * Returns how what an instruction calls is copied, if it is. Reducers are only if the reduction
   * has no allowance itself, or if they have effects.
   */
  private Optional<Mode> modeOfCalled(HloInstruction instruction, Mode mode) {
    if (allowances.isNative() && CompositeFunction.of(instruction).isPresent()) {
      return Optional.empty();
    }
    boolean isOther =
        allowances.folding(instruction).filter(Combiner.Folding.OTHER::equals).isPresent();
    if (instruction.op() instanceof Scan || isOther) {
      return Optional.of(Mode.COMBINED);
    }
    return switch (instruction.op()) {
      case org.hlo4j.hlo.op.Map _, While _, Conditional _, Call _, Fusion _ ->
          Optional.of(mode == Mode.COMBINED ? mode : Mode.SHIFTED);
      default -> Optional.of(Mode.SHIFTED).filter(each -> effects.callsEffect(instruction));
    };
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
              || (op.kind() == Elementwise.Kind.ABS
                  && !instruction.operands().get(0).arrayShape().elementType().isComplex());
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

  /**
   * What stands for an instruction.
   *
   * @param raw its copy
   * @param opened the same, in which something may be open
   * @param shifted the same, shifted
   */
  private record Copied(HloInstruction raw, HloInstruction opened, HloInstruction shifted) {}

  /** The copy of one computation. */
  private final class Copy {
    private final HloComputation computation;
    private final Mode mode;
    private final String prefix;
    private final List<HloInstruction> instructions = new ArrayList<>();
    private final Map<HloInstruction, Copied> copied = new HashMap<>();

    /** What is moved to the root. */
    private final Map<HloInstruction, HloInstruction> moved = new HashMap<>();

    /** The copies that have effects. */
    private final Set<HloInstruction> required = new HashSet<>();

    Copy(HloComputation computation, Mode mode) {
      this.computation = computation;
      this.mode = mode;
      this.prefix = mode == Mode.ROOT ? "" : Ascii.toLowerCase(mode.name()) + ".";
    }

    HloComputation copy() {
      computation.instructions().forEach(this::add);
      HloInstruction last = computation.root();
      HloInstruction root = mode == Mode.ROOT ? moved(last) : copied(last).shifted();
      Set<HloInstruction> live =
          HloComputation.live(instructions, each -> each.equals(root) || required.contains(each));
      return HloComputation.create(
          prefix + computation.name(), instructions.stream().filter(live::contains).toList(), root);
    }

    private Copied copied(HloInstruction original) {
      return requireNonNull(copied.get(original));
    }

    private HloInstruction added(HloInstruction instruction) {
      instructions.add(instruction);
      return instruction;
    }

    /**
     * Returns an instruction with a call in place of an asynchronous one, whose computation may
     * have no other instructions than its root, thus none that shift its result.
     */
    private static HloInstruction called(HloInstruction instruction) {
      if (!(instruction.op() instanceof AsyncDone)) {
        return instruction;
      }
      HloInstruction start = AsyncChain.start(instruction).orElseThrow();
      return instruction
          .withOp(new Call(), instruction.shape())
          .withOperands(start.operands())
          .withCalled(start.called());
    }

    private void add(HloInstruction given) {
      if (given.op() instanceof AsyncStart || given.op() instanceof AsyncUpdate) {
        return;
      }
      HloInstruction original = called(given);
      boolean isGiven = original.op() instanceof Outfeed || original.op() instanceof Send;
      List<HloInstruction> operands = new ArrayList<>();
      for (int i = 0; i < original.operands().size(); i++) {
        operands.add(
            isGiven && mode == Mode.ROOT
                ? moved(original.operands().get(i))
                : operand(original, i));
      }
      HloInstruction raw = copy(prefix, original, operands, modeOfCalled(original, mode));
      HloInstruction opened = opened(original, raw, false);
      copied.put(given, new Copied(raw, opened, shiftable(original, opened, raw, false)));
      if (effects.isRequired(original)) {
        required.add(raw);
      }
    }

    private HloInstruction copy(
        String before, HloInstruction original, List<HloInstruction> operands, Optional<Mode> of) {
      return added(
          original
              .withoutControlPredecessors()
              .renamed(before + original.name())
              .withOperands(operands)
              .withCalled(
                  original.called().stream()
                      .map(each -> Perturbed.this.copied(each, of))
                      .toList()));
    }

    /** Returns an operand of an instruction, shifted also as is allowed for this use. */
    private HloInstruction operand(HloInstruction instruction, int i) {
      HloInstruction operand = instruction.operands().get(i);
      Optional<Allowance> use = allowances.ofOperand(instruction, i);
      HloInstruction copy = copied(operand).shifted();
      if (use.isPresent()) {
        List<HloInstruction> in =
            operand.operands().stream().map(each -> copied(each).shifted()).toList();
        copy = allowances.isContracted(instruction, operand) ? copied(operand).opened() : copy;
        copy = changed(new Site(target(), instruction, use.get(), false), copy, in);
      }
      return choices(instruction).contains(LeftOpen.NAN_BITS) && isFloat(operand)
          ? changed(new Site(target(), instruction, LeftOpen.NAN_BITS, Map.of()), copy, List.of())
          : copy;
    }

    /** Returns what is open in a result; between hlo4j's evaluators, signs of vectors are. */
    private List<LeftOpen> choices(HloInstruction instruction) {
      return OpenRules.of(instruction).stream()
          .filter(row -> allowances.isNative() || row.compareTo(LeftOpen.VECTOR_BASIS) >= 0)
          .toList();
    }

    /** Returns a result of which some elements may get other values. */
    private HloInstruction opened(HloInstruction original, HloInstruction raw, boolean isPlaced) {
      HloInstruction opened = raw;
      for (LeftOpen row : choices(original)) {
        if (row != LeftOpen.NAN_BITS) {
          Map<Integer, Integer> numbers =
              isPlaced && row.hasValues() ? outputs.getOrDefault(original, Map.of()) : Map.of();
          opened = changed(new Site(target(), original, row, numbers), opened, raw.operands());
        }
      }
      return opened;
    }

    private String target() {
      return PREFIX + sites.size();
    }

    /** Returns a value that runs may change, from the operands of an instruction. */
    private HloInstruction changed(Site site, HloInstruction value, List<HloInstruction> operands) {
      sites.put(site.target(), site);
      return added(
          HloInstruction.of(
              "perturbed." + sites.size() + "." + value.name(),
              new CustomCall(value.shape(), site.target()),
              Stream.concat(Stream.of(value), operands.stream()).toArray(HloInstruction[]::new)));
    }

    private HloInstruction shiftable(
        HloInstruction original, HloInstruction value, HloInstruction raw, boolean isOwn) {
      Allowance allowance = allowances.of(original, isOwn, mode == Mode.COMBINED);
      boolean isFlushed = allowances.flushes() && mayBeDenormal(original);
      return allowance.isExact() && !isFlushed
          ? value
          : changed(
              new Site(target(), original, allowance, isOwn),
              value,
              allowance.isExact() ? List.of() : raw.operands());
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

    private HloInstruction movedAnew(HloInstruction original) {
      boolean isBranch =
          (original.op() instanceof Conditional || original.op() instanceof org.hlo4j.hlo.op.Map)
              && !effects.hasEffect(original);
      boolean isOnlyMoved =
          IntStream.range(0, original.operands().size()).anyMatch(i -> isMoved(original, i));
      HloInstruction raw = copied(original).raw();
      if (!isBranch && !isOnlyMoved) {
        boolean isPlaced =
            outputs.containsKey(original)
                && choices(original).stream().anyMatch(LeftOpen::hasValues);
        HloInstruction opened = isPlaced ? opened(original, raw, true) : copied(original).opened();
        return shiftable(original, opened, raw, true);
      }
      List<HloInstruction> operands = new ArrayList<>();
      for (int i = 0; i < original.operands().size(); i++) {
        HloInstruction operand = original.operands().get(i);
        operands.add(
            !isBranch && isMoved(original, i) ? moved(operand) : copied(operand).shifted());
      }
      HloInstruction copy = copy("moved.", original, operands, Optional.of(Mode.ROOT));
      return opened(original, copy, false);
    }
  }

  private static boolean mayBeDenormal(HloInstruction instruction) {
    return isFloat(instruction)
        && (instruction.op() instanceof Parameter
            || instruction.op() instanceof Constant
            || instruction.op() instanceof Pointwise);
  }
}
