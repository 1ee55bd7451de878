package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/** Reduces rows as a {@link BlockPlan} says, a block of them at a time, all passes of it. */
abstract class BlockReduceKernel implements Kernel {
  static final int MIN_ROWS = 8;
  static final int MAX_LEAVES = 30;

  /** So many operations for an element, in a pass, are heavy. */
  static final int HEAVY = 12;

  /** About how many elements stay in the nearest cache. */
  static final int BLOCK = 4 * 1024;

  private static final int CHUNK = 32 * 1024;
  private static final int MAX_CHUNKS = 64;

  final BlockPlan plan;
  final ImmutableList<BlockPlan.Leaf> leaves;
  final int block;
  private final Results results;

  /**
   * What a kernel gives.
   *
   * @param tables arrays that are read beside the operands
   * @param shapes those of its results
   * @param isTuple whether they are elements of a tuple
   */
  record Results(
      ImmutableList<Literal> tables, ImmutableList<Shape.Array> shapes, boolean isTuple) {}

  /** The arrays of a run, and some that one chunk has at a time. */
  interface Blocks {
    /** Computes a block of a side, from this row of it on. */
    void run(int first, int side);
  }

  BlockReduceKernel(BlockPlan plan, Results results, int block) {
    this.plan = plan;
    this.leaves = ImmutableList.copyOf(plan.leaves.values());
    this.results = results;
    this.block = block;
  }

  /** The loop of each pass. */
  abstract ReduceLoop[] loops();

  /** What a chunk needs, given the operands and results by their numbers. */
  abstract Blocks blocks(Object[] arrays);

  /** Whether blocks of a side follow each other, not those of all sides. */
  abstract boolean goesBySides();

  /** How rows are reduced, in words. */
  abstract String how();

  /** Whether what was read is read no more when an element of the only result is written. */
  abstract boolean isReadBefore(ReduceNode root);

  @Override
  public final Literal run(Literal[] operands, KernelContext context) {
    Object[] arrays = new Object[plan.arrays()];
    for (BlockPlan.Leaf leaf : leaves) {
      int input = leaf.input();
      Literal source =
          input < operands.length ? operands[input] : results.tables.get(input - operands.length);
      arrays[leaf.number()] = source.unsafeStorage();
    }
    List<Literal> given = new ArrayList<>();
    for (Shape.Array shape : results.shapes) {
      Object storage = context.allocate(shape);
      arrays[plan.output(given.size())] = storage;
      given.add(Literal.unsafeOf(shape, storage));
    }
    run(arrays, context);
    return results.isTuple ? Literal.tuple(given) : given.get(0);
  }

  private void run(Object[] arrays, KernelContext context) {
    Queue<Blocks> idle = new ConcurrentLinkedQueue<>();
    int sides = plan.count / plan.side;
    int ofSide = Math.ceilDiv(plan.side, block);
    int units = ofSide * sides;
    int unitsPerChunk =
        Math.clamp(CHUNK / (block * plan.depth), Math.ceilDiv(units, MAX_CHUNKS), units);
    context
        .workers()
        .run(
            Math.ceilDiv(units, unitsPerChunk),
            chunk -> {
              Blocks own = Optional.ofNullable(idle.poll()).orElseGet(() -> blocks(arrays));
              int end = Math.min(units, (chunk + 1) * unitsPerChunk);
              for (int unit = chunk * unitsPerChunk; unit < end; unit++) {
                if (goesBySides()) {
                  own.run(unit % ofSide * block, unit / ofSide);
                } else {
                  own.run(unit / sides * block, unit % sides);
                }
              }
              idle.add(own);
              context.checkLimits();
            });
  }

  /** Makes vectors ready now, slow as they may still be; for tests. */
  final void prepare() {
    for (ReduceLoop loop : loops()) {
      if (loop instanceof TieredReduceLoop tier) {
        tier.prepare();
      }
    }
  }

  @Override
  public final boolean canReuseOperandBuffer(int operand) {
    ReduceNode root = plan.roots.get(0);
    MixedRadixView itself = MixedRadixView.identity(plan.count * plan.depth);
    return plan.roots.size() == 1
        && plan.isFull(root)
        && isReadBefore(root)
        && plan.leaves.keySet().stream()
            .map(ReduceNode.Read.class::cast)
            .filter(read -> read.input == operand)
            .allMatch(read -> read.view.equals(itself));
  }

  @Override
  public final String describe() {
    return "reduce rows "
        + plan.count
        + "x"
        + plan.depth
        + " "
        + how()
        + ", blocks of "
        + block
        + ", passes "
        + plan.passes;
  }
}
