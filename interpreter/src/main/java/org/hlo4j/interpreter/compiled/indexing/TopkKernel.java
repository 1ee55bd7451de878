package org.hlo4j.interpreter.compiled.indexing;

import java.util.Arrays;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.interpreter.compiled.copy.CellCopies;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * A kernel of a top-k: {@code values[line, i]} is the i-th best element of a line, and {@code
 * indices[line, i]} its index in the line.
 */
public final class TopkKernel implements Kernel {
  private static final int MAX_INSERTED = 128;
  private static final int CHUNK = 1 << 13;

  private final Shape.Array values;
  private final Shape.Array indices;
  private final SortKey key;
  private final CellCopies cells;
  private final int lines;
  private final int size;
  private final int k;
  private final boolean isSorted;

  private TopkKernel(Topk op, SortKey key, Shape.Array operand, Shape.Tuple shape) {
    this.values = (Shape.Array) shape.elements().get(0);
    this.indices = (Shape.Array) shape.elements().get(1);
    this.key = key;
    this.cells = CellCopies.of(operand.elementType());
    this.size = operand.sizes().getInt(operand.rank() - 1);
    this.k = (int) op.k();
    this.isSorted = k > MAX_INSERTED || key.isLong();
    this.lines = k == 0 ? 0 : (int) operand.elementCount() / size;
  }

  /** Returns the kernel, if the elements have code for a sort key. */
  public static KernelChoice of(Topk op, Shape.Array operand, Shape.Tuple shape) {
    ElementType type = operand.elementType();
    return KernelChoice.of(
        SortKey.of(type, op.largest()).map(key -> new TopkKernel(op, key, operand, shape)),
        "no key to sort " + type + " by");
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object from = operands[0].unsafeStorage();
    Object to = context.allocate(values);
    int[] positions = (int[]) context.allocate(indices);
    int each = Math.max(1, CHUNK / Math.max(1, size));
    long bytes = isSorted ? key.bytesPerElement() * size : 0;
    new Parallel(context, lines, each)
        .reserving(bytes, this::describe)
        .run((first, end) -> {
          for (int line = first; line < end; line++) {
            line(from, to, positions, line, context);
          }
        });
    return Literal.tuple(Literal.unsafeOf(values, to), Literal.unsafeOf(indices, positions));
  }

  private void line(Object from, Object to, int[] positions, int line, KernelContext context) {
    int first = line * size;
    int[] best =
        isSorted
            ? SortOrder.byKey(key, from, first, size, 1, context).orElseThrow()
            : best(from, first);
    int[] at = new int[k];
    for (int i = 0; i < k; i++) {
      positions[line * k + i] = best[i];
      at[i] = first + best[i];
    }
    cells.gatherAll(from, at, to, line * k, 1);
  }

  /**
   * Returns the indices of the k best elements. It keeps the k best so far in order; in a long
   * line, few elements are better than the last of these.
   */
  private int[] best(Object from, int first) {
    Object[] all = {from};
    int[] keys = new int[Math.min(size, Pieces.MAX)];
    Object[] target = {keys};
    Best kept = new Best(k);
    new Pieces(0, size)
        .run((at, end) -> {
          key.mapping().map(all, first + at, 1, target, end - at);
          for (int i = at; i < end; i++) {
            kept.add(keys[i - at], i);
          }
        });
    return kept.indices();
  }

  /** The best elements so far, in order, by a key in the upper half and an index in the lower. */
  private static final class Best {
    private final long[] kept;
    private int count;
    private int last = Integer.MAX_VALUE;

    Best(int k) {
      kept = new long[k];
    }

    void add(int key, int index) {
      if (key >= last && count == kept.length) {
        return;
      }
      long packed = ((long) key << 32) | index;
      int at = count < kept.length ? count++ : kept.length - 1;
      for (; at > 0 && kept[at - 1] > packed; at--) {
        kept[at] = kept[at - 1];
      }
      kept[at] = packed;
      last = (int) (kept[kept.length - 1] >> 32);
    }

    int[] indices() {
      return Arrays.stream(kept).mapToInt(packed -> (int) packed).toArray();
    }
  }

  @Override
  public String describe() {
    return "topk " + k + " of " + lines + " lines of " + size;
  }
}
