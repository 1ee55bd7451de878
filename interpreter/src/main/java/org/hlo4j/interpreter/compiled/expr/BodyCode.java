package org.hlo4j.interpreter.compiled.expr;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.QuietNaN;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * Code on lanes for a computation on scalars. In a reducer, the first half of the parameters are
 * the accumulators, and the second half the next elements. A plain sum of floats is accumulated in
 * double and rounded once.
 */
public final class BodyCode {
  private final ImmutableList<HloInstruction> parameters;
  private final Formula<HloInstruction> formula;
  private final boolean accumulatesInDouble;
  private final boolean observesNanBits;

  private BodyCode(
      List<HloInstruction> parameters,
      Formula<HloInstruction> code,
      boolean isWide,
      boolean observesNanBits) {
    this.parameters = ImmutableList.copyOf(parameters);
    this.formula = code;
    this.accumulatesInDouble = isWide;
    this.observesNanBits = observesNanBits;
  }

  /** {@return the same code; if the bits of NaNs are observable, it computes the one quiet NaN} */
  public BodyCode withObservableNaNs(boolean observesNanBits) {
    return new BodyCode(parameters, formula, accumulatesInDouble, observesNanBits);
  }

  /** {@return the code of a computation; empty if part of it has no code} */
  public static Optional<BodyCode> of(HloComputation body) {
    return of(body.parameters(), roots(body), false);
  }

  /** {@return the code of a reducer; empty as above} */
  public static Optional<BodyCode> ofReduction(HloComputation body) {
    boolean isSum =
        SingleOp.of(body).filter(kind -> kind == Elementwise.Kind.ADD).isPresent()
            && body.root().shape() instanceof Shape.Array array
            && array.elementType().isFloating();
    return of(body.parameters(), roots(body), isSum);
  }

  /** {@return the code of a value that depends on one parameter only; empty as above} */
  public static Optional<BodyCode> of(HloInstruction parameter, HloInstruction value) {
    return of(ImmutableList.of(parameter), ImmutableList.of(value), false);
  }

  private static Optional<BodyCode> of(
      List<HloInstruction> parameters, List<HloInstruction> roots, boolean isWide) {
    try {
      Formula<HloInstruction> formula = new Formula<>(parameters, roots, BodyCode::term);
      return formula.isSupported()
          ? Optional.of(new BodyCode(parameters, formula, isWide, false))
          : Optional.empty();
    } catch (NoCodeException noScalar) {
      return Optional.empty();
    }
  }

  private static List<HloInstruction> roots(HloComputation body) {
    HloInstruction root = body.root();
    return root.op() instanceof Tuple ? root.operands() : ImmutableList.of(root);
  }

  private static Term<HloInstruction> term(HloInstruction instruction) {
    ElementType type = type(instruction);
    return switch (instruction.op()) {
      case Parameter _ -> new Term.Input<>(type);
      case Constant constant when constant.literal().isElided() ->
          throw new NoCodeException("left out: " + instruction);
      case Constant constant -> new Term.Fixed<>(constant.literal());
      default -> Term.Applied.of(instruction.op(), type, instruction.operands(), BodyCode::type);
    };
  }

  /** Returns the type of a scalar; rejects anything else. */
  private static ElementType type(HloInstruction instruction) {
    if (instruction.shape() instanceof Shape.Array array && array.isScalar()) {
      return array.elementType();
    }
    throw new NoCodeException("no scalar: " + instruction);
  }

  /** {@return a key that is equal for computations that can share the same code} */
  public List<Object> structure() {
    List<Object> all = new ArrayList<>(formula.structure(parameter -> "parameter"));
    all.add(accumulatesInDouble);
    all.add(observesNanBits);
    return all;
  }

  /** {@return whether all of it has a vector form} */
  public boolean isVectorizable() {
    return formula.isVectorizable();
  }

  /** {@return the number of bits of the widest lane in it} */
  public int widestBits() {
    return Math.max(formula.widestBits(), accumulatesInDouble ? Double.SIZE : 0);
  }

  /** {@return about how many operations it takes} */
  public int operations() {
    return formula.applied().mapToInt(each -> each.traits().operations()).sum();
  }

  /** {@return how many parameters it has} */
  public int parameterCount() {
    return parameters.size();
  }

  /** {@return the type of a parameter} */
  public ElementType type(int parameter) {
    return type(parameters.get(parameter));
  }

  /** {@return the type of its first result} */
  public ElementType resultType() {
    return type(formula.results().get(0));
  }

  /** {@return the number of accumulators of a reducer} */
  public int accumulatorCount() {
    return parameters.size() / 2;
  }

  /** {@return the type of the elements that are reduced} */
  public ElementType elementType(int number) {
    return type(accumulatorCount() + number);
  }

  /** {@return the type of an accumulator} */
  public ElementType accumulatorType(int number) {
    return accumulatesInDouble ? ElementType.F64 : elementType(number);
  }

  /** {@return whether it is a sum that is accumulated in double} */
  public boolean accumulatesInDouble() {
    return accumulatesInDouble;
  }

  /** {@return local variables with {@code arraysLocal[k]}, the elements of each first parameter} */
  public int[] arrays(CodeEmitter emitter, int arraysLocal) {
    return IntStream.range(0, accumulatorCount())
        .map(k -> emitter.array(arraysLocal, k, type(k)))
        .toArray();
  }

  /** {@return elements of such arrays at an index; writes code} */
  public List<Value> load(CodeEmitter emitter, int[] arrays, int indexLocal) {
    return IntStream.range(0, arrays.length)
        .mapToObj(k -> emitter.load(type(k), arrays[k], indexLocal))
        .toList();
  }

  /** Writes code that stores values as elements of such arrays. */
  public void store(CodeEmitter emitter, int[] arrays, int indexLocal, List<Value> values) {
    for (int k = 0; k < arrays.length; k++) {
      emitter.store(type(k), arrays[k], indexLocal, values.get(k));
    }
  }

  /** {@return an element, converted to the type of the accumulator} */
  public Value toAccumulatorType(CodeEmitter emitter, Value element) {
    return accumulatesInDouble ? emitter.convert(element, Lane.F64) : element;
  }

  /** {@return an accumulator, converted to the type of the elements} */
  public Value fromAccumulatorType(CodeEmitter emitter, int number, Value accumulator) {
    ElementType type = elementType(number);
    Value value = ElementFunctions.convert(emitter, accumulatorType(number), type, accumulator);
    return accumulatesInDouble && observesNanBits ? QuietNaN.canonicalize(emitter, value) : value;
  }

  /**
   * {@return the next values of the accumulators, given the current ones and elements; writes code}
   */
  public ImmutableList<Value> write(
      CodeEmitter emitter, List<Value> accumulators, List<Value> elements) {
    return write(
        emitter, ImmutableList.<Value>builder().addAll(accumulators).addAll(elements).build());
  }

  /**
   * Reduces elements into accumulators that are variables. All are assigned after all are computed.
   */
  public void reduce(CodeEmitter emitter, List<Value> variables, List<Value> elements) {
    List<Value> next = new ArrayList<>(write(emitter, variables, elements));
    for (int k = 0; k < next.size(); k++) {
      if (isOther(variables, k, next.get(k))) {
        next.set(k, emitter.variable(next.get(k))); // before it is assigned
      }
    }
    for (int k = 0; k < next.size(); k++) {
      emitter.assign(variables.get(k), next.get(k));
    }
  }

  private static boolean isOther(List<Value> variables, int number, Value value) {
    return IntStream.range(0, variables.size())
        .anyMatch(k -> k != number && variables.get(k).local() == value.local());
  }

  /** {@return the results, given the values of the parameters; writes code} */
  public ImmutableList<Value> write(CodeEmitter emitter, List<Value> arguments) {
    if (accumulatesInDouble) {
      Value element = toAccumulatorType(emitter, arguments.get(1));
      return ImmutableList.of(emitter.add(toAccumulatorType(emitter, arguments.get(0)), element));
    }
    ObservableValues<HloInstruction> observed = observed();
    Expressions<HloInstruction> values =
        new Expressions<>(
            emitter,
            BodyCode::term,
            given -> arguments.get(parameters.indexOf(given)),
            (node, value) -> observed.quiet(emitter, node, value));
    return formula.results().stream().map(values::value).collect(ImmutableList.toImmutableList());
  }

  /**
   * Returns the values whose NaN bits are observable. The results of a step are the accumulators of
   * the next, so that they are observable too if the computation looks at its parameters.
   */
  private ObservableValues<HloInstruction> observed() {
    ObservableValues<HloInstruction> within =
        new ObservableValues<>(formula.results(), false, BodyCode::term);
    return observesNanBits || within.observesInputs()
        ? new ObservableValues<>(formula.results(), true, BodyCode::term)
        : within;
  }
}
