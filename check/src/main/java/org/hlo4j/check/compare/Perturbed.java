package org.hlo4j.check.compare;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.AsyncChain;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.CompositeFunction;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
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
import org.hlo4j.interpreter.ValueListener;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.Program;

/**
 * The places of a program where a run may have other values: where results have an {@link
 * Allowance}, or something is open. A {@link Choice} says which. What is moved to the root, or to
 * an effect, has two values in a run: one goes there, and shows what the instruction itself may
 * give; the other goes to all other uses, and shows how the roundings of an instruction change what
 * is computed from it.
 */
final class Perturbed implements ValueListener {
  /** What may be changed: in a computation, and at a site. */
  private enum Use {
    NOTHING,
    /** A result may be shifted. */
    SHIFTED,
    /** The same, as part of a reducer, which may be applied in any order. */
    COMBINED,
    /** The same, where it is moved to the root, so that it shows its own allowance only. */
    MOVED,
    /** An operand may be another one. */
    OPERAND,
    /** Something may be open in a result. */
    OPEN,
    /** The same, where the result is one of the program. */
    PLACED
  }

  /**
   * A place where a run may change a value.
   *
   * @param use what is changed
   * @param instruction what has the allowance, or whose result or operand is open
   * @param allowance which values roundings may give
   * @param row what leaves the value open; empty if roundings only shift it
   * @param numbers which arrays of the module's result those of an open instruction are, if they
   *     are there as it gives them
   */
  record Site(
      Use use,
      HloInstruction instruction,
      Allowance allowance,
      Optional<LeftOpen> row,
      Map<Integer, Integer> numbers) {
    /** Returns whether the value is only moved to the root. */
    boolean isOwn() {
      return use == Use.MOVED;
    }
  }

  /** Chooses the value at each site of a run. */
  @FunctionalInterface
  interface Choice {
    /**
     * Returns what takes the place of the first operand; the others are those of the instruction.
     */
    Literal of(Site site, List<Literal> operands);
  }

  /** Where a device is, and what it has to move to the root. */
  private static final class Scope {
    private Use mode = Use.MOVED;
    private final Map<HloInstruction, Literal> moved = new HashMap<>();

    /** The operands of products, which may be added without their own rounding. */
    private final Map<HloInstruction, List<Literal>> factors = new HashMap<>();

    private List<Literal> factors(HloInstruction at, int operand) {
      return factors.getOrDefault(at.operands().get(operand), List.of());
    }

    /** Returns what an operand of an instruction moves to the root. */
    private Literal moved(HloInstruction at, int operand) {
      return requireNonNull(moved.get(at.operands().get(operand)));
    }

    private Literal within(Use inner, Supplier<Literal> work) {
      Use outer = mode;
      mode = inner;
      try {
        return work.get();
      } finally {
        mode = outer;
      }
    }
  }

  private final Map<Integer, Scope> devices = new ConcurrentHashMap<>();
  private final Map<List<?>, List<Site>> sites = Collections.synchronizedMap(new LinkedHashMap<>());
  private final Effects effects = new Effects();
  private final HloModule module;
  private final Allowances allowances;
  private final Choice choice;
  private final Map<HloInstruction, Map<Integer, Integer>> outputs;

  /** What is moved to the root of its computation, and the instructions that move it. */
  private final Set<HloInstruction> moved = new HashSet<>();

  /** What is used by others than these, too. */
  private final Set<HloInstruction> used = new HashSet<>();

  Perturbed(HloModule given, Allowances allowances, Choice choice) {
    this.allowances = allowances;
    this.choice = choice;
    this.module = Program.lower(allowances.isNative() ? inlined(given) : given);
    this.outputs = Outputs.numbers(module);
    for (HloComputation each : module.computations()) {
      moved.add(each.root());
      each.instructions().reverse().forEach(this::addUses);
      used.remove(each.root());
    }
  }

  /** Notes how an instruction, whose uses are known, uses its operands. */
  private void addUses(HloInstruction at) {
    boolean isMoved = isGiven(at) || moved.contains(at);
    for (int i = 0; i < at.operands().size(); i++) {
      boolean moves = isMoved && (isGiven(at) || isMoved(at, i));
      if (moves) {
        moved.add(at.operands().get(i));
      }
      if (!moves || (used.contains(at) && !isGiven(at))) {
        used.add(at.operands().get(i));
      }
    }
  }

  HloModule module() {
    return module;
  }

  /** Forgets the values of a run. */
  void end() {
    devices.clear();
  }

  /** Returns the sites that runs have come to. */
  List<Site> sites() {
    synchronized (sites) {
      return sites.values().stream().flatMap(List::stream).toList();
    }
  }

  /** Returns the module without calls and fusions, which compilers look through, if it is short. */
  static HloModule inlined(HloModule module) {
    HloModule bound = AsyncChain.bindAtOnce(module);
    return Runner.unlessRefused(() -> CallInliner.inlined(bound, "..")).orElse(bound);
  }

  /** Returns whether an instruction gives its operands away. */
  private static boolean isGiven(HloInstruction instruction) {
    return instruction.op() instanceof Outfeed || instruction.op() instanceof Send;
  }

  /**
   * Returns what may change in what an instruction calls. Reducers only do if the reduction has no
   * allowance itself, or if they have effects.
   */
  private Use ofCalled(HloInstruction instruction, Use mode) {
    if (mode == Use.NOTHING
        || (allowances.isNative() && CompositeFunction.of(instruction).isPresent())) {
      return Use.NOTHING;
    }
    boolean isOther =
        allowances.folding(instruction).filter(Combiner.Folding.OTHER::equals).isPresent();
    if (instruction.op() instanceof Scan || isOther) {
      return Use.COMBINED;
    }
    return switch (instruction.op()) {
      case org.hlo4j.hlo.op.Map _, While _, Conditional _, Call _, Fusion _, AsyncStart _ ->
          mode == Use.COMBINED ? mode : Use.SHIFTED;
      default -> effects.callsEffect(instruction) ? Use.SHIFTED : Use.NOTHING;
    };
  }

  /** Returns the operands that an instruction only moves to its result, without rounding. */
  private static boolean isMoved(HloInstruction instruction, int operand) {
    return switch (instruction.op()) {
      case Tuple _, GetTupleElement _, Copy _, OptBarrier _, Domain _ -> true;
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

  private static boolean mayBeDenormal(HloInstruction instruction) {
    return isFloat(instruction)
        && (instruction.op() instanceof Parameter
            || instruction.op() instanceof Constant
            || instruction.op() instanceof Pointwise);
  }

  @Override
  public void onValue(int device, HloInstruction instruction, Literal value) {}

  @Override
  public Literal value(
      int device, HloInstruction at, List<Literal> given, Function<List<Literal>, Literal> op) {
    Scope scope = devices.computeIfAbsent(device, any -> new Scope());
    Use mode = scope.mode;
    if (mode == Use.NOTHING) {
      return op.apply(given);
    }
    boolean isOwn = mode == Use.MOVED && (isGiven(at) || moved.contains(at));
    List<Literal> in =
        operands(
            at,
            i ->
                isOwn && isGiven(at)
                    ? scope.moved(at, i)
                    : changed(at, Use.OPERAND, i, given.get(i), scope.factors(at, i)));
    if (at.op() instanceof Elementwise product && product.kind() == Elementwise.Kind.MULTIPLY) {
      scope.factors.put(at, in);
    }
    Use called = ofCalled(at, mode);
    Supplier<Literal> raw = Suppliers.memoize(() -> scope.within(called, () -> op.apply(in)));
    Supplier<Literal> opened = Suppliers.memoize(() -> changed(at, Use.OPEN, -1, raw.get(), in));
    if (isOwn) {
      boolean isPlaced =
          outputs.containsKey(at) && OpenRules.of(at).stream().anyMatch(LeftOpen::hasValues);
      scope.moved.put(
          at,
          moves(at)
              ? moved(at, in, op, scope)
              : changed(
                  at,
                  Use.MOVED,
                  -1,
                  isPlaced ? changed(at, Use.PLACED, -1, raw.get(), in) : opened.get(),
                  in));
    }
    return isOwn && !used.contains(at)
        ? requireNonNull(scope.moved.get(at))
        : changed(at, mode == Use.COMBINED ? mode : Use.SHIFTED, -1, opened.get(), in);
  }

  private static List<Literal> operands(HloInstruction at, IntFunction<Literal> value) {
    return IntStream.range(0, at.operands().size()).mapToObj(value).toList();
  }

  /** Returns whether an instruction without an allowance moves what others, or it calls, give. */
  private boolean moves(HloInstruction at) {
    return isBranch(at) || IntStream.range(0, at.operands().size()).anyMatch(i -> isMoved(at, i));
  }

  private boolean isBranch(HloInstruction at) {
    return (at.op() instanceof Conditional || at.op() instanceof org.hlo4j.hlo.op.Map)
        && !effects.hasEffect(at);
  }

  /** Returns what an instruction moves to the root. */
  private Literal moved(
      HloInstruction at, List<Literal> in, Function<List<Literal>, Literal> op, Scope scope) {
    List<Literal> from =
        operands(at, i -> !isBranch(at) && isMoved(at, i) ? scope.moved(at, i) : in.get(i));
    return changed(at, Use.OPEN, -1, scope.within(Use.MOVED, () -> op.apply(from)), from);
  }

  /** Returns a result, or an operand, as the choice has it. */
  private Literal changed(
      HloInstruction at, Use use, int operand, Literal value, List<Literal> in) {
    Literal changed = value;
    for (Site site :
        sites.computeIfAbsent(List.of(at, use, operand), any -> sites(at, use, operand).toList())) {
      changed = choice.of(site, ImmutableList.<Literal>builder().add(changed).addAll(in).build());
    }
    return changed;
  }

  private Stream<Site> sites(HloInstruction at, Use use, int operand) {
    boolean areOfOperand = use == Use.OPERAND;
    Stream<Site> open =
        OpenRules.of(at).stream()
            .filter(row -> allowances.isNative() || row.compareTo(LeftOpen.VECTOR_BASIS) >= 0)
            .filter(row -> areOfOperand == (row == LeftOpen.NAN_BITS))
            .map(row ->
                new Site(
                    use,
                    at,
                    Allowance.EXACT,
                    Optional.of(row),
                    use == Use.PLACED && row.hasValues()
                        ? outputs.getOrDefault(at, Map.of())
                        : Map.of()));
    Optional<Allowance> allowance =
        areOfOperand
            ? allowances.ofOperand(at, operand)
            : Optional.of(allowances.of(at, use == Use.MOVED, use == Use.COMBINED))
                .filter(each -> !each.isExact() || (allowances.flushes() && mayBeDenormal(at)));
    Stream<Site> rounded =
        allowance.stream().map(each -> new Site(use, at, each, Optional.empty(), Map.of()));
    return switch (use) {
      case OPEN, PLACED -> open;
      case OPERAND -> isFloat(at.operands().get(operand)) ? Stream.concat(rounded, open) : rounded;
      default -> rounded;
    };
  }
}
