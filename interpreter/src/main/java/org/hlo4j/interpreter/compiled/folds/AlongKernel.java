package org.hlo4j.interpreter.compiled.folds;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.lanes.TooLargeException;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * Folds rows of middle length along themselves, a few of them at a time: a generated loop for each
 * pass goes over rows and in it over elements, so that little is done for a row but its own work.
 */
final class AlongKernel implements Kernel {
  /**
   * Shorter rows are better folded side by side; for sums, half as long ones; if what follows for a
   * row is heavy, which is computed for one row at a time here, twice as long ones.
   */
  private static final int LEAST_ELEMENTS = 64;

  /** Longer rows with a result for each element are better computed by shorter loops, if heavy. */
  private static final int MOST_HEAVY_ELEMENTS = 1536;

  private static final int FEWEST_ROWS = 8;
  private static final int MOST_LEAVES = 30;

  /** About how many elements of several passes stay in the nearest cache. */
  private static final int BLOCK = 4 * 1024;

  private static final int CHUNK = 32 * 1024;
  private static final int MOST_CHUNKS = 64;

  private final SidePlan plan;
  private final ImmutableList<SidePlan.Leaf> leaves;
  private final ImmutableList<ElementType> types;
  private final ImmutableList<Literal> tables;
  private final ImmutableList<Shape.Array> outputs;
  private final boolean isTuple;
  private final int sides;
  private final int block;
  private final Loop[] loops;

  /** Where the whole turns of each pass end. */
  private final int[] ends;

  private AlongKernel(
      SidePlan plan,
      ImmutableList<Literal> tables,
      ImmutableList<Shape.Array> outputs,
      boolean isTuple) {
    this.plan = plan;
    this.leaves = ImmutableList.copyOf(plan.leaves.values());
    this.types =
        ImmutableList.<ElementType>builder()
            .addAll(plan.types())
            .addAll(AlongCode.scratch(plan))
            .build();
    this.tables = tables;
    this.outputs = outputs;
    this.isTuple = isTuple;
    this.sides = plan.count / plan.side;
    this.block = Math.clamp(BLOCK / plan.depth, 1, plan.side);
    this.loops =
        IntStream.range(0, plan.passes)
            .mapToObj(pass -> AlongLoop.of(plan, pass))
            .toArray(Loop[]::new);
    this.ends = IntStream.range(0, plan.passes).map(pass -> AlongLoop.end(plan, pass)).toArray();
  }

  /**
   * The kernel.
   *
   * @param graph the computation
   * @param roots its results
   * @param isFull for each whether it has an element for each that is folded
   * @param outputs their shapes
   * @param isTuple whether they are elements of a tuple
   * @return the kernel; empty if rows are short, long or few, do not lie along themselves, or are
   *     folded in an order
   */
  static Optional<Kernel> of(
      Graph graph,
      List<Node> roots,
      List<Boolean> isFull,
      ImmutableList<Shape.Array> outputs,
      boolean isTuple) {
    Collapsed space = graph.collapsed();
    int depth = space.inner();
    if (depth > AlongCode.LONGEST || space.kept().count() < FEWEST_ROWS) {
      return Optional.empty();
    }
    try {
      SidePlan plan = new SidePlan(graph, roots, isFull);
      if (!space.foldsInner()
          || depth < leastElements(plan)
          || depth > mostElements(plan)
          || plan.folds.isEmpty()
          || !plan.folds.stream().allMatch(fold -> fold.body().isUnordered())
          || !plan.leaves.values().stream().allMatch(AlongKernel::isAlong)
          || plan.leaves.size() > MOST_LEAVES) {
        return Optional.empty();
      }
      return Optional.of(
          new AlongKernel(plan, ImmutableList.copyOf(graph.tables()), outputs, isTuple));
    } catch (Unfit | TooLargeException planned) {
      return Optional.empty();
    }
  }

  private static int leastElements(SidePlan plan) {
    if (passes(plan).anyMatch(pass -> pass.weightOfRow() > SideKernel.HEAVY)) {
      return 2 * LEAST_ELEMENTS;
    }
    boolean areSums = plan.folds.stream().allMatch(fold -> fold.body().isSum());
    return areSums ? LEAST_ELEMENTS / 2 : LEAST_ELEMENTS;
  }

  private static int mostElements(SidePlan plan) {
    boolean isHeavy = passes(plan).anyMatch(pass -> pass.weight() > SideKernel.HEAVY);
    return isHeavy && plan.roots.stream().anyMatch(plan::isFull)
        ? MOST_HEAVY_ELEMENTS
        : AlongCode.LONGEST;
  }

  private static Stream<SidePass> passes(SidePlan plan) {
    return IntStream.range(0, plan.passes).mapToObj(pass -> new SidePass(plan, pass));
  }

  private static boolean isAlong(SidePlan.Leaf leaf) {
    return leaf.isOfRow() || leaf.elementStride() == 1;
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
    int blocks = Math.ceilDiv(plan.side, block);
    int units = blocks * sides;
    int unitsPerChunk =
        Math.clamp(CHUNK / (block * plan.depth), Math.ceilDiv(units, MOST_CHUNKS), units);
    context
        .workers()
        .run(
            Math.ceilDiv(units, unitsPerChunk),
            chunk -> {
              Blocks own = Optional.ofNullable(idle.poll()).orElseGet(() -> new Blocks(arrays));
              int end = Math.min(units, (chunk + 1) * unitsPerChunk);
              for (int unit = chunk * unitsPerChunk; unit < end; unit++) {
                own.run(unit % blocks * block, unit / blocks);
              }
              idle.add(own);
              context.checkLimits();
            });
    return isTuple ? Literal.tuple(results) : results.get(0);
  }

  /** The arrays of a run, and some that one chunk has at a time. */
  private final class Blocks {
    private final Object[] given;
    private final Object[] arrays;
    private final int[] positions = new int[AlongCode.stridePosition(plan, plan.arrays())];

    Blocks(Object[] given) {
      this.given = given;
      this.arrays = given.clone();
      for (int i = 0; i < plan.arrays(); i++) {
        boolean isLeaf = i < leaves.size();
        int stride = isLeaf ? leaves.get(i).rowStride() : plan.depth;
        positions[AlongCode.stridePosition(plan, i)] = stride;
        if (!isLeaf && !isFullOutput(i)) {
          int rows = i < plan.firstResult ? block * plan.depth : block;
          arrays[i] = Storages.allocate(types.get(i), rows + AlongCode.UNIT);
        }
      }
      for (int i = plan.arrays(); i < arrays.length; i++) {
        arrays[i] = Storages.allocate(types.get(i), AlongCode.UNIT);
      }
    }

    private boolean isFullOutput(int array) {
      return array >= plan.firstOutput && plan.isFull(plan.roots.get(array - plan.firstOutput));
    }

    /** Computes a block of a side, from this row of it on. */
    @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
    void run(int first, int side) {
      int rows = Math.min(block, plan.side - first);
      int row = side * plan.side + first;
      for (int i = 0; i < leaves.size(); i++) {
        SidePlan.Leaf leaf = leaves.get(i);
        positions[i] = leaf.offset() + leaf.sides().at(side) + first * leaf.rowStride();
      }
      for (int i = plan.firstOutput; i < plan.arrays(); i++) {
        positions[i] = isFullOutput(i) ? row * plan.depth : 0;
      }
      for (int pass = 0; pass < loops.length; pass++) {
        positions[AlongCode.endPosition(plan)] = ends[pass];
        loops[pass].run(arrays, positions, 0, rows);
      }
      for (int i = plan.firstOutput; i < plan.arrays(); i++) {
        if (!isFullOutput(i)) {
          System.arraycopy(arrays[i], 0, given[i], row, rows);
        }
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
   * An element is read for the last time in the turn that writes there, unless the last vector of a
   * row takes some again.
   */
  @Override
  public boolean mayOverwrite(int operand) {
    Node root = plan.roots.get(0);
    View itself = View.identity(plan.count * plan.depth);
    return outputs.size() == 1
        && plan.depth % AlongCode.UNIT == 0
        && plan.isFull(root)
        && plan.levels.pass(root) == plan.passes - 1
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
        + " along themselves, blocks of "
        + block
        + ", passes "
        + plan.passes;
  }
}
