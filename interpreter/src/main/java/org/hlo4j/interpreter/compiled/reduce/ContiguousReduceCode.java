package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.hlo4j.interpreter.compiled.expr.Expressions;
import org.hlo4j.interpreter.compiled.expr.Term;

/**
 * Writes a pass over rows along the contiguous dimension: a loop over rows, and in it one over
 * their elements, some vectors of them an iteration. What belongs to a row is the same in all
 * lanes. A reduction distributes its elements among accumulators in turn, which stay in registers
 * and are reduced together in halves; how many there are does not depend on the machine, so that
 * sums have the same bits everywhere.
 */
final class ContiguousReduceCode {
  /** So many accumulators has a sum; no vector is longer. */
  static final int UNIT = 16;

  /** The longest rows; C2 is told, for it would cut longer loops into strips. */
  static final int LONGEST = 960 * UNIT;

  private final CodeEmitter emitter;
  private final CodeBuilder code;
  private final ReduceLoopWriter writer;
  private final BlockPlan plan;
  private final int pass;
  private final BlockPassCode shared;
  private final ContiguousAccess way;
  private final boolean areAlike;
  private final Map<Reduction, ContiguousReduction> reductions = new LinkedHashMap<>();
  private final int element;
  private final int lane;
  private final int place;

  /** A writer of a pass of a plan. */
  ContiguousReduceCode(CodeEmitter emitter, BlockPlan plan, int pass) {
    this.emitter = emitter;
    this.code = emitter.code();
    this.writer = new ReduceLoopWriter(emitter);
    this.plan = plan;
    this.pass = pass;
    this.shared = new BlockPassCode(writer, plan, pass, this::type);
    this.way = ContiguousAccess.of(emitter, plan, pass);
    this.areAlike = areAlike(plan);
    this.element = emitter.newLocal(TypeKind.INT);
    this.lane = emitter.newLocal(TypeKind.INT);
    this.place = emitter.newLocal(TypeKind.INT);
  }

  /**
   * The types of arrays, behind those of the plan, in which accumulators of a reduction meet; each
   * has room for a unit.
   */
  static List<ElementType> workspace(BlockPlan plan) {
    return plan.reductions.stream()
        .map(reduction -> SingleOpReducer.of(reduction.body()).wide())
        .toList();
  }

  /**
   * How many elements an iteration of a pass has; those that are left follow one vector at a time.
   */
  static int iteration(BlockPlan plan, int pass) {
    return plan.reductions(pass).stream()
        .mapToInt(reduction -> ContiguousReduction.round(SingleOpReducer.of(reduction)))
        .max()
        .orElse(UNIT);
  }

  /** The number of the position that tells where the whole iterations of a row end. */
  static int endPosition(BlockPlan plan) {
    return plan.arrays();
  }

  /** The number of the position that tells how far rows of an array are apart. */
  static int stridePosition(BlockPlan plan, int array) {
    return plan.arrays() + 1 + array;
  }

  /** The number of the position that tells where elements begin if they lie alike in all arrays. */
  static int alikePosition(BlockPlan plan) {
    return stridePosition(plan, plan.arrays());
  }

  /** The number of the position that tells how far their rows are apart. */
  static int alikeStridePosition(BlockPlan plan) {
    return alikePosition(plan) + 1;
  }

  /** How many positions there are. */
  static int positions(BlockPlan plan) {
    return alikeStridePosition(plan) + 1;
  }

  /** Whether elements of all arrays lie alike: at the same place in each. */
  static boolean areAlike(BlockPlan plan) {
    return !VectorSupport.isOn()
        && IntStream.range(0, plan.passes).anyMatch(pass -> !plan.stored(pass).isEmpty());
  }

  void write() {
    int iteration = iteration(plan, pass);
    emitter.body(() -> {
      int end = writer.positionUpTo(LONGEST, endPosition(plan));
      writer.start();
      writer.steps(1, () -> writeRow(iteration, end));
      code.return_();
    });
  }

  private int array(int number) {
    return shared.array(number);
  }

  private ElementType type(int array) {
    int given = plan.arrays();
    return array < given ? plan.types().get(array) : workspace(plan).get(array - given);
  }

  private int position(int number) {
    return shared.position(number);
  }

  private void writeRow(int iteration, int end) {
    int mark = emitter.mark();
    Expressions<ReduceNode> row = new Expressions<>(emitter, ReduceNode::term, this::ofRow);
    List<Reduction> all = plan.reductions(pass);
    for (Reduction reduction : all) {
      row.value(reduction.initials().get(0));
      int lanesMeet = array(plan.arrays() + plan.reductions.indexOf(reduction));
      reductions.put(
          reduction,
          new ContiguousReduction(emitter, SingleOpReducer.of(reduction), lanesMeet, way));
    }
    shared.writeInvariants(row::value);
    int rest = plan.depth % iteration;
    int tail = rest % UNIT;
    if (way == ContiguousAccess.ONE_BY_ONE) {
      int depth = writer.behind(end, rest);
      writer.count(
          place, 1, depth, () -> writeVectors(1, 1, row, ContiguousReduction::writeIteration));
    } else {
      writer.count(
          element,
          iteration,
          end,
          () -> writeElements(iteration, row, ContiguousReduction::writeIteration));
      writeElements(rest - tail, row, ContiguousReduction::writeRest);
      writeTail(rest, tail, row);
    }
    reductions.values().forEach(ContiguousReduction::carried);
    finish(row);
    emitter.release(mark);
  }

  /** Writes what is done with so many units: by vectors, or round units of single elements. */
  private void writeElements(
      int count, Expressions<ReduceNode> row, BiConsumer<ContiguousReduction, Integer> reducing) {
    if (way.hasWholeIterations()) {
      code.iload(element).istore(place);
      writeVectors(count, emitter.width(), row, reducing);
    } else if (count > 0) {
      writer.count(
          lane,
          1,
          writer.number(UNIT),
          () -> {
            code.iload(element).iload(lane).iadd().istore(place);
            writeVectors(count, UNIT, row, reducing);
          });
    }
  }

  /**
   * Writes what is done with the last elements of a row, fewer than a unit. Vectors take those
   * before them again, store the same and reduce nothing.
   */
  private void writeTail(int rest, int tail, Expressions<ReduceNode> row) {
    int before = UNIT - tail;
    if (tail == 0) {
      return;
    }
    if (!way.hasWholeIterations()) {
      int counter = emitter.newLocal(TypeKind.INT);
      writer.count(
          counter,
          1,
          writer.number(tail),
          () -> {
            code.iload(counter).loadConstant(before).iadd().istore(lane);
            code.iload(element).iload(counter).iadd();
            code.loadConstant(rest - tail).iadd().istore(place);
            writeVectors(1, 1, row, ContiguousReduction::writeRest);
          });
      return;
    }
    int width = emitter.width();
    for (int first = before - before % width; first < UNIT; first += width) {
      int number = first / width;
      int masked = Math.max(0, before - first);
      code.iload(element).loadConstant(rest - UNIT + first).iadd().istore(place);
      writeVectors(1, 1, row, (reduction, _) -> reduction.writeLast(number, masked));
    }
  }

  private void writeVectors(
      int count,
      int width,
      Expressions<ReduceNode> row,
      BiConsumer<ContiguousReduction, Integer> reducing) {
    int mark = emitter.mark();
    reductions.values().forEach(ContiguousReduction::carried);
    for (int behind = 0; behind < count; behind += width) {
      Expressions<ReduceNode> values = elements(behind, row);
      reductions.forEach((reduction, along) -> along.give(values.value(reduction.inputs().get(0))));
      int before = behind;
      for (ReduceNode node : plan.stored(pass)) {
        Value value = values.value(node);
        IntConsumer store = number -> store(node, number, before, value);
        shared.writeStores(node, store, store);
      }
    }
    reductions.values().forEach(reduction -> reducing.accept(reduction, lane));
    emitter.release(mark);
  }

  private void store(ReduceNode node, int number, int behind, Value value) {
    emitter.store(node.type(), array(number), index(number, behind), value);
  }

  /** Stores what follows for the row, in all lanes: those behind it are of rows to come. */
  private void finish(Expressions<ReduceNode> row) {
    reductions.forEach((reduction, along) -> {
      along.finish(row.value(reduction.initials().get(0)));
      ReduceNode input = reduction.inputs().get(0);
      storeOfRow(input, requireNonNull(plan.reduced.get(reduction)), along.result());
    });
    for (int i = 0; i < plan.roots.size(); i++) {
      ReduceNode root = plan.roots.get(i);
      if (plan.rows(pass).contains(root)) {
        storeOfRow(root, plan.output(i), row.value(root));
      }
    }
  }

  private void storeOfRow(ReduceNode node, int number, Value value) {
    emitter.store(node.type(), array(number), writer.index(position(number), 0), value);
  }

  /** What is known of a row. */
  private Value ofRow(ReduceNode node) {
    if (node instanceof ReduceNode.Reduced reduced) {
      ContiguousReduction along = reductions.get(reduced.reduction);
      if (along != null) {
        return along.result();
      }
      int number = requireNonNull(plan.reduced.get(reduced.reduction));
      return emitter.loadSplat(node.type(), array(number), writer.index(position(number), 0));
    }
    int number = requireNonNull(plan.leaves.get(node)).number();
    return emitter.loadSplat(
        node.type(), array(number), rowIndex(number, stridePosition(plan, number)));
  }

  /** Where a row begins. */
  private int rowIndex(int first, int stride) {
    int local = emitter.newLocal(TypeKind.INT);
    code.iload(writer.iteration()).iload(position(stride)).imul();
    code.iload(position(first)).iadd().istore(local);
    return local;
  }

  /** Where an element is. */
  private int index(int number, int behind) {
    int local =
        areAlike
            ? rowIndex(alikePosition(plan), alikeStridePosition(plan))
            : rowIndex(number, stridePosition(plan, number));
    code.iload(local).iload(place).iadd().loadConstant(behind).iadd().istore(local);
    return local;
  }

  /** The values of elements, so many behind the iteration. */
  private Expressions<ReduceNode> elements(int behind, Expressions<ReduceNode> row) {
    return new Expressions<>(
        emitter,
        node -> plan.isSaved(node, pass) ? new Term.Given<>(node.type()) : node.term(),
        node -> element(node, behind, row));
  }

  private Value element(ReduceNode node, int behind, Expressions<ReduceNode> row) {
    return shared.element(
        node,
        number -> load(node, number, behind),
        row::value,
        leaf -> load(node, leaf.number(), behind));
  }

  private Value load(ReduceNode node, int number, int behind) {
    return emitter.load(node.type(), array(number), index(number, behind));
  }
}
