package org.hlo4j.interpreter.compiled.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.copy.BoxCopy;
import org.hlo4j.interpreter.compiled.expr.SingleOp;
import org.hlo4j.interpreter.compiled.indexing.RowScatterLoop;
import org.hlo4j.interpreter.compiled.indexing.ScalarBody;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Liveness;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * The kernel of reduce-window: {@code result[place] = body(... body(body(init, under[0]), under[1])
 * ..., under[n])}, a row of window positions at once. Sums of floats are kept in double and rounded
 * once.
 */
public final class ReduceWindowKernel implements Kernel {

  private final List<Shape.Array> shapes;
  private final ElementType type;
  private final WindowPositions positions;
  private final Optional<FloatWindowReductions> floats;
  private final Optional<WindowReduction> windowReduction;
  private final HloComputation body;
  private final List<BoxCopy> fills;
  private final int rows;
  private final int rowLength;
  private final boolean observesNanBits;
  private final long inputBytes;

  public ReduceWindowKernel(
      ReduceWindow op,
      List<Shape.Array> inputs,
      List<Shape.Array> shapes,
      HloComputation body,
      boolean observesNanBits) {
    this.observesNanBits = observesNanBits;
    this.shapes = shapes;
    this.type = inputs.get(0).elementType();
    this.positions = new WindowPositions(op.window(), inputs.get(0));
    this.inputBytes = inputs.stream().mapToLong(Liveness::bytes).sum();
    Optional<Elementwise.Kind> kind = inputs.size() == 1 ? SingleOp.of(body) : Optional.empty();
    this.floats =
        kind.filter(known -> FloatWindowReductions.isSupported(known, type))
            .map(known -> new FloatWindowReductions(known));
    this.body = body;
    this.rows = shapes.get(0).elementCount() == 0 ? 0 : positions.rows();
    this.rowLength = positions.rowLength();
    this.fills =
        shapes.stream().map(shape -> BoxCopy.fill(shape.elementType(), rowLength)).toList();
    this.windowReduction =
        WindowLoops.of(body, observesNanBits).map(loops -> new WindowReduction(positions, loops));
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    int count = shapes.size();
    List<Object> inputs = new ArrayList<>();
    List<Object> inits = new ArrayList<>();
    List<Object> results = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      inputs.add(operands[i].unsafeStorage());
      inits.add(operands[count + i].unsafeStorage());
      results.add(context.allocate(shapes.get(i)));
    }
    long work = Math.max(1, rowLength * positions.windowCount());
    int each = Math.clamp(Machine.GRAIN / work, 1, Math.max(1, rows));
    int chunks = Math.min(Math.ceilDiv(rows, each), context.workers().count());
    boolean isGenerated = windowReduction.isPresent() || floats.isPresent();
    Parallel range = new Parallel(context, isGenerated, rows, each);
    context.reserving(
        bytesOfChunks(chunks),
        this::describe,
        () -> range.run((from, end) -> reduce(inputs, inits, results, from, end, context)));
    if (observesNanBits) {
      floats.ifPresent(any -> Storages.quietNaNs(type, results.get(0)));
      for (int i = 0; i < count; i++) {
        copyInit(inits.get(i), results.get(i), shapes.get(i).elementType().componentCount());
      }
    }
    return Storages.result(shapes, results);
  }

  /** Returns about as many bytes as some chunks at a time need beside operands and results. */
  private long bytesOfChunks(int chunks) {
    long sums = floats.isPresent() ? (long) Double.BYTES * rowLength : 0;
    long indices = windowReduction.map(all -> all.bytes(chunks, inputBytes)).orElse(0L);
    return chunks * sums + indices + positions.bytes();
  }

  private void reduce(
      List<Object> inputs,
      List<Object> inits,
      List<Object> results,
      int first,
      int end,
      KernelContext context) {
    WindowLoop vectors =
        windowReduction.map(loops -> loops.vectorLoopIfCompiled(end - first)).orElse(null);
    if (vectors != null || (windowReduction.isPresent() && floats.isEmpty())) {
      Object[] from = inputs.toArray();
      windowReduction.get().reduce(vectors, inits.toArray(), results.toArray(), from, first, end);
      return;
    }
    double[] values = new double[floats.isPresent() ? rowLength : 0];
    RowScatterLoop each = ScalarBody.combiningByCalls(body, false, context);
    Pieces pieces = new Pieces();
    for (int row = first; row < end; row++) {
      pieces.next(rowLength);
      int t = row * rowLength;
      if (floats.isPresent()) {
        FloatWindowReductions sums = floats.get();
        float[] input = (float[]) inputs.get(0);
        Arrays.fill(values, ((float[]) inits.get(0))[0]);
        positions.forEach(row, pieces, (span, from) -> sums.reduce(values, span, input, from));
        sums.store(values, (float[]) results.get(0), t, rowLength);
      } else {
        fill(inits, results, row);
        Object[] from = inputs.toArray();
        Object[] to = results.toArray();
        positions.forEach(row, pieces, (span, at) -> apply(each, from, at, to, t, span, pieces));
      }
    }
  }

  /**
   * Copies the initial value to window positions that cover no element, with the bits of its NaN.
   */
  private void copyInit(Object init, Object result, int cells) {
    Pieces pieces = new Pieces();
    boolean[] isComputed = new boolean[rowLength];
    for (int row = 0; row < rows; row++) {
      pieces.next(rowLength);
      Arrays.fill(isComputed, false);
      positions.forEach(
          row,
          pieces,
          (span, from) -> {
            for (int i = 0; i < span.count(); i++) {
              isComputed[span.first() + i * span.step()] = true;
            }
          });
      for (int i = 0; i < rowLength; i++) {
        if (!isComputed[i]) {
          for (int cell = 0; cell < cells; cell++) {
            int to = (row * rowLength + i) * cells + cell;
            Storages.setBits(result, to, Storages.bits(init, cell));
          }
        }
      }
    }
  }

  private void fill(List<Object> inits, List<Object> results, int row) {
    for (int k = 0; k < fills.size(); k++) {
      int cells = shapes.get(k).elementType().componentCount();
      fills.get(k).run(inits.get(k), 0, results.get(k), row * rowLength * cells);
    }
  }

  private static void apply(
      RowScatterLoop each,
      Object[] from,
      int f,
      Object[] to,
      int t,
      WindowPositions.Span span,
      Pieces pieces) {
    for (int n = 0; n < span.count(); n++) {
      pieces.next(1);
      int[] position = {t + span.first() + n * span.step()};
      int[] under = {f + n * span.fromStep()};
      each.scatter(to, position, from, under, 0, 1, 0, 1);
    }
  }

  @Override
  public String describe() {
    boolean loops = windowReduction.isPresent();
    String strategy = loops ? "loops" : floats.isPresent() ? "double" : "calls";
    return "reduce-window of " + rows + " rows of " + rowLength + " by " + strategy;
  }
}
