package org.hlo4j.interpreter.compiled.loops;

import static java.util.Objects.requireNonNull;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.OperatorInstruction;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Expressions;
import org.hlo4j.interpreter.compiled.expr.ObservableValues;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;
import org.hlo4j.interpreter.compiled.tiering.Tiered;

/**
 * Writes the loop of a stage as a {@link LoopMethod}:
 *
 * <pre>
 * load arrays and bases into local variables
 * for each row
 *   loop-invariant values
 *   for (i = from; i &lt; to; i += width)
 *     all other values; stores
 *   advance the bases to the next row
 * </pre>
 */
final class LoopMethodWriter {
  private static final int ARRAYS = 1;
  private static final int BASES = 2;
  private static final int ROWS = 3;
  private static final int FROM = 4;
  private static final int TO = 5;

  /** The local variable of a base: an int, or a long if it is that of values beyond int. */
  private record Base(TypeKind kind, int local) {}

  private final CodeEmitter emitter;
  private final CodeBuilder code;
  private final StageCode stage;
  private final LoopNest nest;
  private final Map<Integer, Integer> arrays = new HashMap<>();

  /**
   * The local variables of the bases, by the number of the first slot at the same position. Slots
   * at the same position share one index. C2 vectorizes the scalar form only if it sees that an
   * iteration stores at the index that it reads, because the arrays may be the same.
   */
  private final Map<Integer, Base> bases = new LinkedHashMap<>();

  private final Map<Integer, Integer> indices = new HashMap<>();
  private final Expressions<LoopNode> expressions;
  private int iteration;

  LoopMethodWriter(CodeEmitter emitter, StageCode stage) {
    this.emitter = emitter;
    this.code = emitter.code();
    this.stage = stage;
    this.nest = stage.nest();
    if (!stage.copiesInputs()) {
      emitter.dropNaNPayloads();
    }
    ObservableValues<LoopNode> observed = stage.observed();
    this.expressions =
        new Expressions<>(
            emitter,
            LoopNode::term,
            this::leaf,
            (node, value) -> observed.quiet(emitter, node, value));
  }

  void write() {
    Tiered.writeWarmupPrologue(code, FROM, TO);
    emitter.body(() -> {
      stage.slots().forEach(this::openSlot);
      iteration = emitter.newLocal(TypeKind.INT);
      if (nest.loops() == 1) {
        writeRow();
      } else {
        writeRows();
      }
      code.return_();
    });
  }

  /** Loads the array of a slot, and its base if it has one, into local variables. */
  private void openSlot(ArraySlot slot) {
    if (slot.array() != ArraySlot.NO_ARRAY && !arrays.containsKey(slot.array())) {
      arrays.put(slot.array(), emitter.array(ARRAYS, slot.array(), slot.type()));
    }
    if (!slot.needsNoBase(nest)) {
      TypeKind kind = slot.isWide() ? TypeKind.LONG : TypeKind.INT;
      bases.computeIfAbsent(stage.firstAtSamePosition(slot), number -> base(kind, 2 * number));
    }
  }

  private Base base(TypeKind kind, int number) {
    Base base = new Base(kind, emitter.newLocal(kind));
    code.aload(BASES).loadConstant(number).laload();
    code.conversion(TypeKind.LONG, kind).storeLocal(kind, base.local);
    return base;
  }

  private void writeRows() {
    Map<Base, Base> strides = new LinkedHashMap<>();
    bases.forEach((number, base) -> strides.put(base, base(base.kind, 2 * number + 1)));
    int row = emitter.newLocal(TypeKind.INT);
    Runnable body =
        () -> {
          writeRow();
          strides.forEach(this::writeAdvance);
        };
    CountedLoop.fromZero(code, row, ROWS, body);
  }

  private void writeAdvance(Base base, Base stride) {
    code.loadLocal(base.kind, base.local).loadLocal(base.kind, stride.local);
    code.with(OperatorInstruction.of(base.kind == TypeKind.LONG ? Opcode.LADD : Opcode.IADD));
    code.storeLocal(base.kind, base.local);
  }

  private void writeRow() {
    Set<LoopNode> seen = new LinkedHashSet<>();
    stage.stage().results().forEach(node -> writeInvariants(node, seen));
    code.iload(FROM).istore(iteration);
    Runnable body =
        () -> {
          stage.slots().forEach(this::writeIndex);
          writeIteration();
        };
    emitter.loop(iteration, TO, emitter.width(), body);
  }

  /** Computes loop-invariant values before the innermost loop. */
  private void writeInvariants(LoopNode node, Set<LoopNode> seen) {
    if (!seen.add(node) || stage.stage().loads().containsKey(node)) {
      return;
    }
    if (FissionStages.isInvariant(node, nest)) {
      expressions.value(node);
    } else if (node instanceof LoopNode.Apply apply) {
      apply.operands().forEach(operand -> writeInvariants(operand, seen));
    }
  }

  /**
   * Writes {@code index = base + iteration * stride} for a slot whose position changes in the loop.
   */
  private void writeIndex(ArraySlot slot) {
    long stride = nest.innerStride(slot.position());
    if (stride == 0 || slot.isWide() || indices.containsKey(stage.firstAtSamePosition(slot))) {
      return;
    }
    int index = stride == 1 ? iteration : emitter.product(iteration, emitter.sum((int) stride));
    Base base = bases.get(stage.firstAtSamePosition(slot));
    indices.put(
        stage.firstAtSamePosition(slot), base == null ? index : emitter.sum(0, index, base.local));
  }

  /**
   * Writes one iteration. All reads come before all stores, because an output may use the buffer of
   * an input.
   */
  private void writeIteration() {
    stage
        .stage()
        .loads()
        .forEach((node, array) -> {
          ArraySlot slot = stage.workspace(array);
          Value kept = emitter.load(slot.type(), array(slot), index(slot));
          expressions.put(node, emitter.convert(kept, Lane.of(node.type())));
        });
    stage.stage().results().forEach(expressions::value);
    stage.stage().saves().forEach((node, array) -> store(stage.workspace(array), node));
    stage.stage().outputs().forEach(this::writeOutput);
  }

  /**
   * Writes the store of an output. A pair of vectors is stored interleaved, at the position of the
   * first.
   */
  private void writeOutput(int number, LoopNode node) {
    ArraySlot slot = stage.output(number);
    if (emitter.width() == 1 || !(stage.isPair(number) || stage.isPair(number - 1))) {
      store(slot, node);
    } else if (stage.isPair(number)) {
      int array = array(slot);
      int index = index(slot);
      Value first = expressions.value(node);
      Value next = expressions.value(requireNonNull(stage.stage().outputs().get(number + 1)));
      StridedVectors.storePair(emitter, slot.type(), array, index, first, next);
    }
  }

  private void store(ArraySlot slot, LoopNode node) {
    requireVector(slot, nest.innerStride(slot.position()) == 1);
    Value value = emitter.convert(expressions.value(node), Lane.of(slot.type()));
    emitter.store(slot.type(), array(slot), index(slot), value);
  }

  private int array(ArraySlot slot) {
    return requireNonNull(arrays.get(slot.array()));
  }

  /**
   * Returns the local variable with the position of a slot, at this iteration or for all
   * iterations.
   */
  private int index(ArraySlot slot) {
    Integer index = indices.get(stage.firstAtSamePosition(slot));
    if (index != null) {
      return index;
    }
    Base base = bases.get(stage.firstAtSamePosition(slot));
    return base != null ? base.local : emitter.sum(0);
  }

  private Value leaf(LoopNode node) {
    ArraySlot slot = stage.leaf(node);
    long stride = nest.innerStride(slot.position());
    if (slot.array() == ArraySlot.NO_ARRAY) {
      return ElementFunctions.convert(emitter, slot.type(), node.type(), count(slot, stride));
    }
    requireVector(slot, StridedVectors.isReadable(slot.type(), stride));
    return StridedVectors.read(emitter, slot.type(), array(slot), index(slot), stride);
  }

  private Value count(ArraySlot slot, long stride) {
    if (slot.isWide()) {
      return wideCount(slot, stride);
    } else if (stride == 0) {
      return emitter.splat(Lane.I32, index(slot));
    } else if (stride == 1) {
      return emitter.iota(index(slot));
    }
    Value iterations =
        emitter.multiply(emitter.iota(iteration), emitter.constant(Lane.I32, stride));
    return plusBase(slot, iterations);
  }

  private Value wideCount(ArraySlot slot, long stride) {
    Value step = emitter.constant(Lane.I64, stride);
    return plusBase(
        slot,
        stride == 0
            ? step
            : emitter.multiply(emitter.convert(emitter.iota(iteration), Lane.I64), step));
  }

  private Value plusBase(ArraySlot slot, Value iterations) {
    Base base = bases.get(stage.firstAtSamePosition(slot));
    return base == null
        ? iterations
        : emitter.add(iterations, emitter.splat(iterations.lane(), base.local));
  }

  private void requireVector(ArraySlot slot, boolean holds) {
    if (!holds && emitter.width() > 1) {
      throw new NoCodeException("no vectors of " + slot);
    }
  }
}
