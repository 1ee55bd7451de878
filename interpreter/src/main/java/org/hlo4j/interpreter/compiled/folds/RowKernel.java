package org.hlo4j.interpreter.compiled.folds;

import com.google.common.collect.ImmutableList;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * Folds what lies side by side: the innermost dimension is folded. Goes through a plan's passes
 * with one result at a time, or a few if little is folded into each.
 */
final class RowKernel extends FoldKernel {
  private static final int STRIP = 2048;
  private static final int BLOCK = 2048;

  private final int depth;
  private final int block;
  private final int strip;

  RowKernel(Plan plan) {
    super(plan);
    depth = Math.toIntExact(space.depth());
    block = Math.clamp(BLOCK / Math.max(1, depth), 1, Math.max(1, space.kept().count()));
    strip = plan.hasStrips() ? Math.min(STRIP, space.inner()) : space.inner();
  }

  @Override
  public String describe() {
    return "fold rows " + space.kept().count() + "x" + depth + ", passes " + plan.passes().size();
  }

  @Override
  void run(Object[] arrays, KernelContext context) {
    int rows = space.kept().count();
    int rowsPerChunk = Math.max(block, CHUNK / Math.max(1, depth));
    int chunks = Math.ceilDiv(rows, rowsPerChunk);
    context
        .workers()
        .run(
            chunks,
            chunk -> {
              Frame frame = frame(arrays, block, block * depth, strip);
              int end = Math.min(rows, (chunk + 1) * rowsPerChunk);
              for (int row = chunk * rowsPerChunk; row < end; row += block) {
                runBlock(frame, row, Math.min(end, row + block));
                context.checkLimits();
              }
            });
  }

  private void runBlock(Frame frame, int first, int end) {
    if (plan.before().isPresent()) {
      after(plan.before().get(), frame, first, end);
    }
    for (Pass pass : plan.passes()) {
      for (int row = first; row < end; row++) {
        runRow(pass, frame, row, row - first);
      }
      if (pass.after().isPresent()) {
        after(pass.after().get(), frame, first, end);
      }
    }
  }

  private static void after(Strip strip, Frame frame, int first, int end) {
    frame.group = 0;
    frame.column = first;
    frame.kept = first;
    frame.local = 0;
    strip.run(frame, end - first);
  }

  private void runRow(Pass pass, Frame frame, int row, int local) {
    frame.kept = row;
    frame.local = local;
    ImmutableList<Step> steps = pass.steps();
    for (int k = 0; k < steps.size(); k++) {
      startRow(frame, steps.get(k));
    }
    int start = space.kept().at(row);
    int groups = space.folded().count();
    for (int folded = 0; folded < groups; folded++) {
      frame.group = space.inner() == 0 ? 0 : (start + space.folded().at(folded)) / space.inner();
      frame.saved = local * depth + folded * space.inner();
      for (int column = 0; column < space.inner(); column += strip) {
        frame.column = column;
        runStrip(pass, frame, Math.min(strip, space.inner() - column));
      }
    }
    for (int k = 0; k < steps.size(); k++) {
      finishRow(frame, steps.get(k));
    }
  }

  private static void runStrip(Pass pass, Frame frame, int count) {
    if (pass.strip().isPresent()) {
      pass.strip().get().run(frame, count);
    }
    for (int k = 0; k < pass.steps().size(); k++) {
      fold(frame, pass.steps().get(k), count);
    }
  }

  private static void startRow(Frame frame, Step step) {
    if (step.how() == Step.How.DEALT) {
      Dealt.start(frame, step);
    } else {
      start(frame, step, 1);
    }
  }

  private static void finishRow(Frame frame, Step step) {
    if (step.how() == Step.How.DEALT) {
      Dealt.finish(frame, step);
    } else {
      finish(frame, step, 1);
    }
  }

  private static void fold(Frame frame, Step step, int count) {
    if (step.how() == Step.How.DEALT) {
      Dealt.fold(frame, step, count);
      return;
    }
    int inputs = step.sources().size();
    Object[] arrays = new Object[2 * inputs];
    int[] positions = new int[2 * inputs];
    for (int k = 0; k < inputs; k++) {
      arrays[k] = frame.arrays[step.sources().get(k).slot()];
      positions[k] = step.sources().get(k).at(frame);
      Place result = step.results().get(k);
      arrays[inputs + k] = frame.arrays[step.isSum() ? step.accumulators() : result.slot()];
      positions[inputs + k] = step.isSum() ? 0 : result.at(frame);
    }
    step.loop().run(arrays, positions, 0, count);
  }
}
