package org.hlo4j.interpreter.compiled.indexing;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.interpreter.compiled.copy.CellCopies;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Workers;

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

  private TopkKernel(Topk op, SortKey key, Shape.Array operand, Shape.Tuple shape) {
    this.values = (Shape.Array) shape.elements().get(0);
    this.indices = (Shape.Array) shape.elements().get(1);
    this.key = key;
    this.cells = CellCopies.of(operand.elementType());
    this.size = operand.sizes().getInt(operand.rank() - 1);
    this.k = (int) op.k();
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
    context
        .workers()
        .run(
            Math.ceilDiv(lines, each),
            chunk -> {
              int end = Math.min(lines, (chunk + 1) * each);
              for (int line = chunk * each; line < end; line++) {
                line(from, to, positions, line, context.workers());
              }
            });
    return Literal.tuple(Literal.unsafeOf(values, to), Literal.unsafeOf(indices, positions));
  }

  private void line(Object from, Object to, int[] positions, int line, Workers workers) {
    int first = line * size;
    int[] best =
        k <= MAX_INSERTED && !key.isLong()
            ? best(from, first)
            : SortOrder.byKey(key, from, first, size, 1, workers).orElseThrow();
    int[] at = new int[k];
    for (int i = 0; i < k; i++) {
      positions[line * k + i] = best[i];
      at[i] = first + best[i];
    }
    cells.gather(from, at, k, to, line * k, 1);
  }

  /**
   * Returns the indices of the k best elements. It keeps the k best so far in order; in a long
   * line, few elements are better than the last of these.
   */
  private int[] best(Object from, int first) {
    int[] keys = new int[size];
    key.mapping().map(new Object[] {from}, first, 1, new Object[] {keys}, size);
    long[] kept = new long[k];
    int count = 0;
    int last = Integer.MAX_VALUE;
    for (int i = 0; i < size; i++) {
      if (keys[i] >= last && count == k) {
        continue;
      }
      long packed = ((long) keys[i] << 32) | i;
      int at = count < k ? count++ : k - 1;
      for (; at > 0 && kept[at - 1] > packed; at--) {
        kept[at] = kept[at - 1];
      }
      kept[at] = packed;
      last = (int) (kept[k - 1] >> 32);
    }
    int[] best = new int[k];
    for (int i = 0; i < k; i++) {
      best[i] = (int) kept[i];
    }
    return best;
  }

  @Override
  public String describe() {
    return "topk " + k + " of " + lines + " lines of " + size;
  }
}
