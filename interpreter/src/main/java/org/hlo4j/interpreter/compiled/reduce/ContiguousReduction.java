package org.hlo4j.interpreter.compiled.reduce;

import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * The reduction of one row in the code of a pass over contiguous rows. If all elements of an
 * iteration are unrolled, the accumulators are in local variables. Otherwise a sum, whose order
 * matters, has its accumulators in an array, and any other reduction has a single accumulator.
 */
final class ContiguousReduction {
  private static final int NARROW_ACCUMULATORS = 32;

  private final CodeEmitter emitter;
  private final SingleOpReducer single;
  private final int array;
  private final ContiguousAccess access;
  private final AccumulatorState accumulatorState;
  private final List<Value> variables = new ArrayList<>();

  /** The elements to reduce next, in order. */
  private final List<Value> pendingElements = new ArrayList<>();

  /**
   * Writes the initialization of the accumulators. The array has {@link ContiguousReduceCode#UNIT}
   * elements and is used by this reduction only.
   */
  ContiguousReduction(
      CodeEmitter emitter, SingleOpReducer single, int array, ContiguousAccess access) {
    this.emitter = emitter;
    this.single = single;
    this.array = array;
    this.access = access;
    this.accumulatorState = new AccumulatorState(emitter, single);
    if (isInArray()) {
      for (int k = 0; k < ContiguousReduceCode.UNIT; k++) {
        emitter.store(wide(), array, constant(k), accumulatorState.neutral());
      }
    } else {
      int step = access.hasWholeIterations() ? emitter.width() : accumulators(single);
      for (int k = 0; k < accumulators(single); k += step) {
        variables.add(emitter.variable(accumulatorState.neutral()));
      }
    }
  }

  private boolean isInArray() {
    return !access.hasWholeIterations() && single.isSum();
  }

  /** {@return the number of accumulators over which elements are interleaved} */
  static int accumulators(SingleOpReducer single) {
    boolean isWide = Lane.of(single.wide()).bits() == Long.SIZE;
    return isWide ? ContiguousReduceCode.UNIT : NARROW_ACCUMULATORS;
  }

  /**
   * {@return whether the lanes of an accumulator are combined cheaply: those of sums, and of the
   * maximum and minimum of floats and signed integers}
   */
  static boolean hasFastHorizontalReduction(SingleOpReducer single) {
    ElementType.Kind kind = single.type().kind();
    boolean hasSign = kind == ElementType.Kind.FLOAT || kind == ElementType.Kind.SIGNED;
    return single.isSum() || (single.isChoice() && hasSign);
  }

  /** The type of the accumulators. */
  ElementType wide() {
    return single.wide();
  }

  /**
   * Marks the accumulators as carried values; to be called at the start of the loop body and after
   * the loop.
   */
  void markCarried() {
    emitter.markLoopCarried(variables);
  }

  /** Adds the next elements: a vector or, in a loop over a unit, a single element. */
  void addElements(Value elements) {
    pendingElements.add(elements);
  }

  /** Writes the reduction of the added elements, into one accumulator after the other. */
  void writeElements(int lane) {
    int count = Math.max(1, variables.size());
    for (int k = 0; k < pendingElements.size(); k++) {
      accumulate(k % count, lane, pendingElements.get(k));
    }
    pendingElements.clear();
  }

  /** Writes the reduction of an added vector without its first {@code without} elements. */
  void writeLast(int number, int without) {
    Value element = pendingElements.get(0);
    if (without > 0) {
      Value index = emitter.iota(constant(0));
      Value isReduced = emitter.compare(Relation.GE, index, emitter.constant(Lane.I32, without));
      Value neutral = emitter.constant(element.lane(), single.neutralNumber());
      element = emitter.select(isReduced, element, neutral);
    }
    accumulate(number % variables.size(), constant(0), element);
    pendingElements.clear();
  }

  private void accumulate(int number, int lane, Value element) {
    if (isInArray()) {
      Value accumulator = emitter.load(wide(), array, lane);
      emitter.store(wide(), array, lane, accumulatorState.reduce(accumulator, element));
    } else {
      Value variable = variables.get(number);
      emitter.assign(variable, accumulatorState.reduce(variable, element));
    }
  }

  /** {@return the combination of all accumulators, in halves} */
  private Value combined() {
    if (isInArray()) {
      return single.pairs(emitter, elements(ContiguousReduceCode.UNIT));
    }
    Value all = single.pairs(emitter, variables);
    return emitter.width() > 1 ? reduceLanes(all) : all;
  }

  /** {@return the reduction of a part of a row, without an initial value, in the wide type} */
  Value partial() {
    return accumulatorState.fromCarried(combined());
  }

  /** {@return the combination of all accumulators with the initial value, in all lanes} */
  Value result(Value initial) {
    Value all = combined();
    Value start = single.isSum() ? emitter.convert(initial, Lane.F64) : initial;
    Value reduced =
        accumulatorState.fromCarried(
            single.writePlain(emitter, accumulatorState.toCarried(start), all));
    return ElementFunctions.convert(emitter, wide(), single.type(), reduced);
  }

  /** {@return the horizontal reduction of a vector, in all lanes} */
  private Value reduceLanes(Value vector) {
    if (single.isChoice() && hasFastHorizontalReduction(single) && !vector.lane().isFloating()) {
      return emitter.extreme(vector, single.kind() == Elementwise.Kind.MAXIMUM);
    }
    emitter.store(wide(), array, constant(0), accumulatorState.fromCarried(vector));
    return single.isSum()
        ? emitter.splat(Lane.F64, sum())
        : single.pairs(emitter, elements(emitter.width()));
  }

  /** {@return the local variable of the sum of the array, added in halves} */
  private int sum() {
    CodeEmitter scalars = CodeEmitter.scalar(emitter.code());
    List<Value> elements = new ArrayList<>();
    for (int k = 0; k < emitter.width(); k++) {
      elements.add(scalars.load(wide(), array, constant(k)));
    }
    return single.pairs(scalars, elements).local();
  }

  /** {@return the first elements of the array, each broadcast to all lanes} */
  private List<Value> elements(int count) {
    List<Value> elements = new ArrayList<>();
    for (int k = 0; k < count; k++) {
      elements.add(accumulatorState.toCarried(emitter.loadSplat(wide(), array, constant(k))));
    }
    return elements;
  }

  private int constant(int index) {
    int local = emitter.newLocal(TypeKind.INT);
    emitter.code().loadConstant(index).istore(local);
    return local;
  }
}
