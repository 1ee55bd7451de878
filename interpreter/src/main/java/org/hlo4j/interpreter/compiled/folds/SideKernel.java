package org.hlo4j.interpreter.compiled.folds;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.lanes.TooLargeException;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * Folds short rows side by side, each in a lane of its own, a block of them at a time: what is read
 * is put side by side if it does not lie so, and back in the end.
 */
final class SideKernel implements Kernel {
  /** Longer rows are better folded along themselves than turned. */
  private static final int MOST_TURNED = 256;

  /** Of rows across an innermost dimension that is longer, elements lie too far apart. */
  private static final int MOST_ACROSS = 256;

  /** So many operations for an element, in a pass, are heavy. */
  static final int HEAVY = 12;

  /** The most elements of a side across which something heavy is computed. */
  private static final int MOST_HEAVY = 8 * 1024;

  /** From here on rows that are only summed, where they lie, are so along themselves. */
  private static final int LEAST_SUMMED = 96;

  private static final int FEWEST_ROWS = 8;
  private static final int MOST_LEAVES = 30;

  /** About how many elements stay in the nearest cache. */
  private static final int BLOCK = 4 * 1024;

  private static final int FEWEST_OF_BLOCK = 16;
  private static final int MOST_OF_BLOCK = 512;
  private static final int CHUNK = 32 * 1024;
  private static final int MOST_CHUNKS = 64;

  /** Rows that lie side by side begin where a line of the cache does. */
  private static final int LINE = 16;

  /** Lines of the cache begin so many floats behind the start of an array. */
  private static final int ALIGNED = 12;

  private final SidePlan plan;
  private final ImmutableList<SidePlan.Leaf> leaves;
  private final ImmutableList<ElementType> types;
  private final ImmutableList<Literal> tables;
  private final ImmutableList<Shape.Array> outputs;
  private final boolean isTuple;
  private final int sides;
  private final int block;
  private final int pitch;
  private final @Nullable SideTile[] tiles;
  private final Loop[] loops;

  /** Whether blocks are in no near cache, and so are read once from beginning to end first. */
  private final boolean isFar;

  private SideKernel(
      SidePlan plan,
      ImmutableList<Literal> tables,
      ImmutableList<Shape.Array> outputs,
      boolean isTuple) {
    this.plan = plan;
    this.leaves = ImmutableList.copyOf(plan.leaves.values());
    this.types = ImmutableList.copyOf(plan.types());
    this.tables = tables;
    this.outputs = outputs;
    this.isTuple = isTuple;
    this.sides = plan.count / plan.side;
    int most = Math.clamp(BLOCK / plan.depth, FEWEST_OF_BLOCK, MOST_OF_BLOCK);
    this.block = Math.min(plan.side, most / FEWEST_OF_BLOCK * FEWEST_OF_BLOCK);
    this.pitch = (block + LINE - 1) / LINE * LINE;
    this.isFar = (long) plan.count * plan.depth >= FoldKernel.LEAST_FAR;
    this.tiles = new SideTile[types.size()];
    int left = plan.side % block;
    for (SidePlan.Leaf leaf : leaves) {
      if (leaf.isTiled()) {
        int number = leaf.number();
        int depth = leaf.isOfRow() ? 1 : plan.depth;
        tiles[number] =
            SideTile.sideBySide(
                types.get(number),
                block,
                left,
                depth,
                leaf.rowStride(),
                leaf.elementStride(),
                pitch);
      }
    }
    for (int i = plan.firstOutput; i < tiles.length; i++) {
      if (plan.isFull(plan.roots.get(i - plan.firstOutput)) && plan.elementStride() == 1) {
        tiles[i] = SideTile.behind(types.get(i), block, left, plan.depth, pitch);
      }
    }
    this.loops =
        IntStream.range(0, plan.passes)
            .mapToObj(pass -> SideLoop.of(plan, pass, pitch))
            .toArray(Loop[]::new);
  }

  /**
   * The kernel.
   *
   * @param graph the computation
   * @param roots its results
   * @param isFull for each whether it has an element for each that is folded
   * @param outputs their shapes
   * @param isTuple whether they are elements of a tuple
   * @return the kernel; empty if rows are long or few
   */
  static Optional<Kernel> of(
      Graph graph,
      List<Node> roots,
      List<Boolean> isFull,
      ImmutableList<Shape.Array> outputs,
      boolean isTuple) {
    long depth = graph.collapsed().depth();
    if (depth == 1 || depth > SideCode.MOST_ELEMENTS) {
      return Optional.empty();
    }
    try {
      SidePlan plan = new SidePlan(graph, roots, isFull);
      if (plan.folds.stream().allMatch(fold -> isSummedInPlace(fold, plan))
          || (plan.depth > MOST_TURNED && isTurned(plan))
          || (plan.elementStride() > 1 && !isComputedNear(plan))
          || plan.side < FEWEST_ROWS
          || plan.folds.isEmpty()
          || plan.leaves.size() > MOST_LEAVES) {
        return Optional.empty();
      }
      return Optional.of(
          new SideKernel(plan, ImmutableList.copyOf(graph.tables()), outputs, isTuple));
    } catch (Unfit | TooLargeException planned) {
      return Optional.empty();
    }
  }

  /** Whether rows across the innermost dimension have much to compute, and lie near by for it. */
  private static boolean isComputedNear(SidePlan plan) {
    int weight =
        IntStream.range(0, plan.passes)
            .map(pass -> new SidePass(plan, pass).weight())
            .max()
            .orElse(0);
    return weight > 0
        && plan.elementStride() <= MOST_ACROSS
        && (weight <= HEAVY || plan.elementStride() * plan.depth <= MOST_HEAVY);
  }

  private static boolean isTurned(SidePlan plan) {
    return plan.elementStride() == 1
        || plan.leaves.values().stream().anyMatch(SidePlan.Leaf::isTiled);
  }

  /** Of narrower types more is to be done for each element, better side by side. */
  private static boolean isSummedInPlace(Fold fold, SidePlan plan) {
    return plan.elementStride() == 1
        && plan.depth >= LEAST_SUMMED
        && fold.body().isSum()
        && fold.body().type().bits() >= Float.SIZE
        && fold.inputs().get(0) instanceof Node.Read read
        && read.view.strideWithin(plan.depth).equals(Optional.of(1));
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object[] arrays = new Object[types.size()];
    for (SidePlan.Leaf leaf : leaves) {
      int input = leaf.input();
      Literal source =
          input < operands.length ? operands[input] : tables.get(input - operands.length);
      arrays[leaf.number()] = source.unsafeStorage();
    }
    List<Literal> results = new ArrayList<>();
    for (int i = 0; i < outputs.size(); i++) {
      Object storage = context.allocate(outputs.get(i));
      arrays[plan.output(i)] = storage;
      results.add(Literal.unsafeOf(outputs.get(i), storage));
    }
    Queue<Blocks> idle = new ConcurrentLinkedQueue<>();
    int ofSide = Math.ceilDiv(plan.side, block);
    int units = ofSide * sides;
    int unitsPerChunk =
        Math.clamp(CHUNK / (block * plan.depth), Math.ceilDiv(units, MOST_CHUNKS), units);
    context
        .workers()
        .run(
            Math.ceilDiv(units, unitsPerChunk),
            chunk -> {
              Blocks blocks = Optional.ofNullable(idle.poll()).orElseGet(() -> new Blocks(arrays));
              int end = Math.min(units, (chunk + 1) * unitsPerChunk);
              for (int unit = chunk * unitsPerChunk; unit < end; unit++) {
                if (plan.elementStride() > 1) {
                  blocks.run(unit % ofSide * block, unit / ofSide);
                } else {
                  blocks.run(unit / sides * block, unit % sides);
                }
              }
              idle.add(blocks);
              context.checkLimits();
            });
    return isTuple ? Literal.tuple(results) : results.get(0);
  }

  /** The arrays of a run, and some that one chunk has at a time. */
  private final class Blocks {
    private final Object[] given;
    private final Object[] arrays;
    private final int[] positions;
    private int filled = -1;

    /** Keeps reads from being left out. */
    private final long[] sink = new long[1];

    Blocks(Object[] given) {
      this.given = given;
      this.arrays = given.clone();
      this.positions = new int[given.length + 1];
      Arrays.fill(positions, ALIGNED);
      positions[given.length] = plan.depth;
      for (int i = 0; i < arrays.length; i++) {
        int rows = ownRows(i);
        if (rows > 0) {
          arrays[i] = Storages.allocate(types.get(i), ALIGNED + rows * pitch);
        }
      }
    }

    /** How many elements side by side an array of a chunk has; 0 if it is none. */
    private int ownRows(int array) {
      if (array < leaves.size()) {
        SidePlan.Leaf leaf = leaves.get(array);
        return leaf.isTiled() ? (leaf.isOfRow() ? 1 : plan.depth) : 0;
      } else if (array >= plan.firstOutput) {
        return tiles[array] != null ? plan.depth : 0;
      }
      return array < plan.firstResult ? plan.depth : 1;
    }

    /** Computes a block of a side, from this row of it on. */
    void run(int first, int side) {
      int rows = Math.min(block, plan.side - first);
      for (int i = 0; i < leaves.size(); i++) {
        SidePlan.Leaf leaf = leaves.get(i);
        int start = leaf.offset() + leaf.sides().at(side) + first * leaf.rowStride();
        if (!leaf.isTiled()) {
          positions[i] = start;
        } else if (filled != first || !leaf.isShared()) {
          if (leaf.rowStride() == plan.depth) {
            touch(given[i], start, rows);
          }
          requireNonNull(tiles[i]).run(rows, given[i], start, arrays[i], ALIGNED);
        }
      }
      filled = first;
      int row = side * plan.side + first;
      for (int i = plan.firstOutput; i < given.length; i++) {
        positions[i] =
            tiles[i] != null
                ? ALIGNED
                : plan.isFull(plan.roots.get(i - plan.firstOutput)) ? plan.start(row) : row;
      }
      for (Loop loop : loops) {
        loop.run(arrays, positions, 0, rows);
      }
      for (int i = plan.firstOutput; i < given.length; i++) {
        if (tiles[i] != null) {
          touch(given[i], row * plan.depth, rows);
          requireNonNull(tiles[i]).run(rows, arrays[i], ALIGNED, given[i], row * plan.depth);
        }
      }
    }

    private void touch(Object array, int start, int rows) {
      if (isFar) {
        sink[0] |= Storages.touch(array, start, start + rows * plan.depth);
      }
    }
  }

  /** Makes vectors ready now, slow as they may still be; for tests. */
  void prepare() {
    for (Loop loop : loops) {
      if (loop instanceof Tier tier) {
        tier.prepare();
      }
    }
  }

  /**
   * A block is read as a whole, each element for itself, before any of it is written; or an element
   * for the last time in the turn that writes there.
   */
  @Override
  public boolean mayOverwrite(int operand) {
    Node root = plan.roots.get(0);
    View itself = View.identity(plan.count * plan.depth);
    return outputs.size() == 1
        && plan.isFull(root)
        && (tiles[plan.firstOutput] != null || plan.levels.pass(root) == plan.passes - 1)
        && plan.leaves.keySet().stream()
            .map(Node.Read.class::cast)
            .filter(read -> read.input == operand)
            .allMatch(read -> read.view.equals(itself));
  }

  @Override
  public String describe() {
    return "fold rows "
        + plan.count
        + "x"
        + plan.depth
        + " side by side, blocks of "
        + block
        + ", passes "
        + plan.passes;
  }
}
