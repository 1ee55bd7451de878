package org.hlo4j.interpreter.check;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ObjectArrays;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.While;

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
    return new Perturbed(
        profile instanceof ToleranceProfile.Native
            ? inlined(BatchNormExpansion.of(module))
            : module,
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
    List<HloComputation> called =
        isRunWhole(instruction.op())
            ? instruction.called().stream().map(c -> rewritten.getOrDefault(c, c)).toList()
            : instruction.called();
    return HloInstruction.create(
        instruction.name(),
        instruction.op(),
        operands,
        called,
        instruction.shape(),
        instruction.metadata(),
        instruction.attributes());
  }

  /**
   * Returns whether the computations that an op calls are perturbed too. Reducers are not: the
   * reduction has a tolerance itself.
   */
  private static boolean isRunWhole(Op op) {
    return op instanceof org.hlo4j.hlo.op.Map
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
          called("spread." + spread.roundings(), spread, instructions, copy);
      case Tolerance.Sum sum ->
          called(
              "sum." + sum.terms(),
              sum,
              instructions,
              copy,
              likewise(Term.MAGNITUDE, copy, instructions));
      case Tolerance.Product product ->
          called(
              "product." + product.ulps(),
              product,
              instructions,
              copy,
              likewise(Term.LARGE, copy, instructions),
              likewise(Term.SMALL, copy, instructions));
    };
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

  /** What a term of a sum, or a factor of a product, is replaced by. */
  private enum Term {
    /** Its absolute value; 0 if not finite, which determines the sum by itself. */
    MAGNITUDE(0),
    /** Its absolute value if above 1, else 1. */
    LARGE(1),
    /** Its absolute value if below 1, else 1; 1 for 0, which determines the product by itself. */
    SMALL(1);

    private final double other;

    Term(double other) {
      this.other = other;
    }
  }

  /**
   * Appends the same sum or product, taken of other terms. The operand by which a
   * select-and-scatter selects is unchanged.
   */
  private static HloInstruction likewise(
      Term term, HloInstruction sum, List<HloInstruction> instructions) {
    boolean isComplex = sum.shape() instanceof Shape.Array array && array.elementType().isComplex();
    String prefix = Ascii.toLowerCase(term.name()) + ".";
    List<HloInstruction> operands = new ArrayList<>();
    for (int i = 0; i < sum.operands().size(); i++) {
      HloInstruction operand = sum.operands().get(i);
      boolean isChosen = sum.op() instanceof SelectAndScatter && i == 0;
      boolean isSummed =
          operand.shape() instanceof Shape.Array array
              && (array.elementType().isFloating()
                  || (isComplex && array.elementType().isComplex()));
      HloInstruction replaced =
          isSummed && !isChosen
              ? replaced(term, prefix + i + "." + sum.name(), operand, instructions)
              : operand;
      boolean isIndex =
          sum.op() instanceof Scatter
              && operand.shape() instanceof Shape.Array array
              && array.elementType().isIntegral();
      operands.add(isComplex && !isIndex ? likeParts(replaced, sum, instructions) : replaced);
    }
    HloInstruction same =
        HloInstruction.create(
            prefix + sum.name(),
            sum.op(),
            operands,
            isComplex && !sum.called().isEmpty()
                ? List.of(addition(sum.name(), scalarOf(magnitude(sum.shape()))))
                : term == Term.MAGNITUDE
                    ? sum.called().stream()
                        .map(each -> ofMagnitudes(each, prefix + sum.name() + "."))
                        .toList()
                    : sum.called(),
            magnitude(sum.shape()),
            Metadata.NONE);
    instructions.add(same);
    return same;
  }

  /**
   * Returns a reducer whose terms do not cancel: it adds where it subtracted, and does not negate.
   */
  private static HloComputation ofMagnitudes(HloComputation reducer, String prefix) {
    Map<HloInstruction, HloInstruction> copies = new HashMap<>();
    List<HloInstruction> instructions = new ArrayList<>();
    for (HloInstruction each : reducer.instructions()) {
      Op op =
          switch (each.op()) {
            case Elementwise minus when minus.kind() == Elementwise.Kind.SUBTRACT ->
                new Elementwise(Elementwise.Kind.ADD);
            case Elementwise negate when negate.kind() == Elementwise.Kind.NEGATE ->
                new Elementwise(Elementwise.Kind.ABS);
            case Constant constant when isFloat(each) ->
                new Constant(
                    Literal.full(
                        (Shape.Array) each.shape(), Math.abs(constant.literal().doubleAt(0))));
            case Op same -> same;
          };
      HloInstruction copy =
          HloInstruction.create(
              prefix + each.name(),
              isFloat(each) ? op : each.op(),
              each.operands().stream().map(operand -> copied(copies, operand)).toList(),
              each.called(),
              each.shape(),
              each.metadata());
      instructions.add(copy);
      copies.put(each, copy);
    }
    return HloComputation.create(
        prefix + reducer.name(), instructions, copied(copies, reducer.root()));
  }

  private static boolean isFloat(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array
        && array.elementType().isFloating()
        && array.isScalar();
  }

  private static Shape scalarOf(Shape shape) {
    return Shape.of(((Shape.Array) shape).elementType());
  }

  private static HloComputation addition(String of, Shape scalar) {
    HloInstruction x = HloInstruction.of("magnitude.x." + of, new Parameter(0, scalar));
    HloInstruction y = HloInstruction.of("magnitude.y." + of, new Parameter(1, scalar));
    Elementwise add = new Elementwise(Elementwise.Kind.ADD);
    HloInstruction sum = HloInstruction.of("magnitude.sum." + of, add, x, y);
    return HloComputation.create("magnitude.add." + of, List.of(x, y, sum), sum);
  }

  /**
   * Converts a magnitude to the component type of a complex product, whose factors may have other
   * types.
   */
  private static HloInstruction likeParts(
      HloInstruction magnitude, HloInstruction product, List<HloInstruction> instructions) {
    ElementType type = ((Shape.Array) product.shape()).elementType().componentType();
    if (((Shape.Array) magnitude.shape()).elementType() == type) {
      return magnitude;
    }
    HloInstruction converted =
        HloInstruction.of(magnitude.name() + ".like", new Convert(type), magnitude);
    instructions.add(converted);
    return converted;
  }

  /** Returns the shape of the magnitudes, which are floats for a complex shape. */
  private static Shape magnitude(Shape shape) {
    return shape instanceof Shape.Array array && array.elementType().isComplex()
        ? array.withElementType(array.elementType().componentType())
        : shape;
  }

  /** Appends what replaces each element of an operand. */
  private static HloInstruction replaced(
      Term term, String name, HloInstruction operand, List<HloInstruction> instructions) {
    Shape.Array shape = (Shape.Array) magnitude(operand.shape().withoutLayout());
    HloInstruction absolute =
        HloInstruction.of(
            name + ".abs",
            new Elementwise(Elementwise.Kind.ABS),
            magnitude(operand.shape()) == operand.shape()
                ? operand
                : withFiniteParts(name, operand, instructions));
    instructions.add(absolute);
    HloInstruction others = filled(name + ".others", term.other, shape, absolute, instructions);
    List<HloInstruction> conditions = new ArrayList<>();
    if (term != Term.SMALL) {
      conditions.add(
          HloInstruction.of(
              name + ".finite", new Elementwise(Elementwise.Kind.IS_FINITE), absolute));
    } else {
      HloInstruction zeros = filled(name + ".zeros", 0, shape, absolute, instructions);
      conditions.add(HloInstruction.of(name + ".above", compare(Direction.GT), absolute, zeros));
    }
    if (term != Term.MAGNITUDE) {
      Direction direction = term == Term.LARGE ? Direction.GT : Direction.LT;
      conditions.add(HloInstruction.of(name + ".beyond", compare(direction), absolute, others));
      conditions.add(
          HloInstruction.of(
              name + ".both",
              new Elementwise(Elementwise.Kind.AND),
              conditions.get(0),
              conditions.get(1)));
    }
    instructions.addAll(conditions);
    HloInstruction result =
        HloInstruction.of(
            name, new Select(), conditions.get(conditions.size() - 1), absolute, others);
    instructions.add(result);
    return result;
  }

  /**
   * Appends a complex array with zeros in place of parts that are not finite, so that the other
   * part counts.
   */
  private static HloInstruction withFiniteParts(
      String name, HloInstruction operand, List<HloInstruction> instructions) {
    List<HloInstruction> parts = new ArrayList<>();
    for (Elementwise.Kind kind : List.of(Elementwise.Kind.REAL, Elementwise.Kind.IMAG)) {
      String of = name + "." + kind.mnemonic();
      HloInstruction part = HloInstruction.of(of, new Elementwise(kind), operand);
      HloInstruction finite =
          HloInstruction.of(of + ".finite", new Elementwise(Elementwise.Kind.IS_FINITE), part);
      instructions.addAll(List.of(part, finite));
      Shape.Array shape = (Shape.Array) part.shape().withoutLayout();
      HloInstruction zeros = filled(of + ".zeros", 0, shape, part, instructions);
      parts.add(HloInstruction.of(of + ".counted", new Select(), finite, part, zeros));
      instructions.add(parts.get(parts.size() - 1));
    }
    HloInstruction both =
        HloInstruction.of(
            name + ".parts",
            new Elementwise(Elementwise.Kind.MAKE_COMPLEX),
            parts.get(0),
            parts.get(1));
    instructions.add(both);
    return both;
  }

  /** Appends an array of zeros or ones of the sizes that another one has at run time. */
  private static HloInstruction filled(
      String name,
      double value,
      Shape.Array shape,
      HloInstruction like,
      List<HloInstruction> instructions) {
    if (!shape.isDynamic()) {
      HloInstruction constant = HloInstruction.of(name, new Constant(Literal.full(shape, value)));
      instructions.add(constant);
      return constant;
    }
    Compare same =
        new Compare(value == 0 ? Direction.NE : Direction.EQ, Optional.of(Compare.Type.TOTALORDER));
    HloInstruction truths = HloInstruction.of(name + ".truths", same, like, like);
    HloInstruction numbers = HloInstruction.of(name, new Convert(shape.elementType()), truths);
    instructions.addAll(List.of(truths, numbers));
    return numbers;
  }

  private static Compare compare(Direction direction) {
    return new Compare(direction, Optional.empty());
  }
}
