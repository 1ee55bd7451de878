package org.hlo4j.interpreter.compiled.moves;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.hlo4j.interpreter.kernel.Workers;

/**
 * {@code result[start[scatter] + window] = body(result[...], updates[scatter, window])} for all
 * windows that lie in the result, in order.
 */
final class ScatterKernel implements Kernel {
  private static final int PARALLEL = 1 << 15;
  private static final int LEAST_RUN = 16;
  private static final int LEAST_COLUMNS = 32;
  private static final int MOST_WINDOWS = 1 << 12;

  private final List<Shape.Array> shapes;
  private final List<BoxCopy> copies;
  private final Starts starts;
  private final Walk sources;
  private final Walk windowTargets;
  private final Walk windowSources;
  private final int windowRun;
  private final Optional<Foldings> foldings;
  private final boolean overwrites;
  private final BoxCopy window;
  private final Cells cells;
  private final Body body;
  private final int windows;
  private final int each;

  ScatterKernel(Scatter op, List<Shape.Array> in, HloComputation body) {
    List<Shape.Array> inputs = in.subList(0, in.size() / 2);
    Shape.Array input = inputs.get(0);
    Shape.Array indices = in.get(inputs.size());
    Shape.Array updates = in.get(inputs.size() + 1);
    Dims windowDims = op.windowDims(input.rank());
    int[] sizes = Strides.ints(updates.sizes().at(op.updateWindowDims()));
    int[] from = Strides.at(Strides.of(updates), op.updateWindowDims());
    int[] to = Strides.at(Strides.of(input), windowDims);
    ElementType type = input.elementType();
    this.shapes = inputs;
    this.copies = inputs.stream().map(BoxCopy::whole).toList();
    this.starts =
        new Starts(
            input,
            op.windowSizes(input.rank(), updates.sizes()),
            indices,
            op.indexVectorDim(),
            op.scatterDimsToOperandDims(),
            op.inputBatchingDims(),
            op.scatterIndicesBatchingDims(),
            false);
    this.sources =
        Walk.along(op.updateScatterDims(updates.rank()), updates.sizes(), Strides.of(updates));
    this.foldings = Foldings.stepwise(body);
    this.overwrites = body.root().op() instanceof Parameter parameter && parameter.number() == 1;
    this.window = BoxCopy.of(type, sizes, from, to);
    this.cells = Cells.of(type);
    this.each = Cells.perElement(type);
    this.body = Body.combining(body);
    this.windows = updates.elementCount() == 0 ? 0 : sources.count();
    int last = sizes.length - 1;
    boolean runs = last >= 0 && from[last] == 1 && to[last] == 1;
    int[] outer = runs ? Arrays.copyOf(sizes, last) : sizes;
    this.windowRun = runs ? sizes[last] : 1;
    this.windowSources = new Walk(outer, from);
    this.windowTargets = new Walk(outer, to);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    int count = shapes.size();
    List<Object> results = new ArrayList<>();
    List<Object> updates = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      results.add(copy(operands[i].unsafeStorage(), i, context));
      updates.add(operands[count + 1 + i].unsafeStorage());
    }
    Object indices = operands[count].unsafeStorage();
    if (overwrites && count == 1) {
      overwrite(results.get(0), indices, updates.get(0), context);
    } else {
      combine(results.toArray(), indices, updates.toArray(), context);
    }
    List<Literal> literals = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      literals.add(Literal.unsafeOf(shapes.get(i), results.get(i)));
    }
    return count == 1 ? literals.get(0) : Literal.tuple(literals);
  }

  private Object copy(Object operand, int i, KernelContext context) {
    Object result = context.allocate(shapes.get(i));
    if (result != operand) {
      copies.get(i).run(operand, 0, result, 0, context.workers());
    }
    return result;
  }

  private void overwrite(Object to, Object indices, Object from, KernelContext context) {
    for (int first = 0; first < windows; first += MOST_WINDOWS) {
      int many = Math.min(MOST_WINDOWS, windows - first);
      int[] at = starts.of(indices, first, many);
      context.checkLimits();
      if (windowRun == 1 && windowSources.count() == 1 && each == 1 && sources.isEven(1)) {
        cells.put(from, first, at, many, to);
        continue;
      }
      for (int i = 0; i < many; i++) {
        if (at[i] >= 0) {
          window.run(from, sources.at(first + i) * each, to, at[i] * each);
        }
      }
    }
  }

  private void combine(Object[] to, Object indices, Object[] from, KernelContext context) {
    int[] windowTo = windowTargets.all();
    int[] windowFrom = windowSources.all();
    boolean points = windowRun == 1 && windowFrom.length == 1 && sources.isEven(1);
    boolean runs = foldings.isPresent() && windowRun >= LEAST_RUN;
    for (int first = 0; first < windows; first += MOST_WINDOWS) {
      int many = Math.min(MOST_WINDOWS, windows - first);
      int[] at = starts.of(indices, first, many);
      context.checkLimits();
      if (points) {
        body.scattering(context).scatter(to, at, from, first, many);
      } else if (runs) {
        runs(foldings.get(), to, at, windowTo, from, first, windowFrom, context.workers());
      } else {
        elements(to, at, windowTo, from, first, windowFrom, context);
      }
    }
  }

  /** Whole windows in order; the threads share the columns of long runs. */
  private void runs(
      Foldings loops,
      Object[] to,
      int[] at,
      int[] windowTo,
      Object[] from,
      int first,
      int[] windowFrom,
      Workers workers) {
    boolean large = (long) at.length * windowRun * windowFrom.length >= PARALLEL;
    int parts = large ? Math.clamp(windowRun / LEAST_COLUMNS, 1, workers.count()) : 1;
    int columns = Math.ceilDiv(windowRun, parts);
    workers.run(
        parts,
        part -> {
          int column = part * columns;
          int width = Math.min(columns, windowRun - column);
          int[] source = new int[1];
          for (int i = 0; i < at.length; i++) {
            int start = sources.at(first + i) + column;
            for (int k = 0; k < windowFrom.length && at[i] >= 0; k++) {
              source[0] = start + windowFrom[k];
              loops.fold(to, at[i] + windowTo[k] + column, from, source, 1, width);
            }
          }
        });
  }

  private void elements(
      Object[] to,
      int[] at,
      int[] windowTo,
      Object[] from,
      int first,
      int[] windowFrom,
      KernelContext context) {
    Scattering each = body.scattering(context);
    int[] places = new int[windowRun];
    for (int i = 0; i < at.length; i++) {
      int source = sources.at(first + i);
      for (int k = 0; k < windowFrom.length && at[i] >= 0; k++) {
        for (int j = 0; j < windowRun; j++) {
          places[j] = at[i] + windowTo[k] + j;
        }
        each.scatter(to, places, from, source + windowFrom[k], windowRun);
      }
    }
  }

  @Override
  public boolean mayOverwrite(int operand) {
    return operand == 0 && shapes.size() == 1;
  }

  @Override
  public String describe() {
    String how = overwrites ? "overwriting" : body.isGenerated() ? "by loops" : "by calls";
    return "scatter of " + windows + " windows " + how + ", each " + window;
  }
}
