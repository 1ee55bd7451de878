package org.hlo4j.interpreter.compiled.folds;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * Folds what lies side by side: the innermost dimension is folded. Goes through a plan's passes
 * with one result at a time, or a few if little is folded into each.
 */
final class RowKernel extends FoldKernel {
  private static final int STRIP = 2048;
  private static final int BLOCK = 2048;

  /** Elements of a long row that are folded by themselves, a multiple of all accumulators. */
  private static final int PIECE = 64 * 1024;

  private static final int FEW = 8;

  private final int depth;
  private final int block;
  private final int strip;
  private final RowPass[] passes;

  /** A pass, and for each of its steps how it deals, or null. */
  private record RowPass(Pass pass, @Nullable Dealt[] dealt) {
    static RowPass of(Pass pass) {
      return new RowPass(
          pass,
          pass.steps().stream()
              .map(step -> step.how() == Step.How.DEALT ? new Dealt(step) : null)
              .toArray(Dealt[]::new));
    }
  }

  RowKernel(Plan plan) {
    super(plan);
    depth = Math.toIntExact(space.depth());
    block = Math.clamp(BLOCK / Math.max(1, depth), 1, Math.max(1, space.kept().count()));
    strip = plan.hasStrips() ? Math.min(STRIP, space.inner()) : space.inner();
    passes = plan.passes().stream().map(RowPass::of).toArray(RowPass[]::new);
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
    if (chunks < FEW && depth >= 2 * PIECE && isSplittable()) {
      runPieces(arrays, context);
      return;
    }
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

  private boolean isSplittable() {
    return plan.before().isEmpty()
        && plan.passes().size() == 1
        && plan.passes().get(0).steps().stream().allMatch(step -> step.how() == Step.How.DEALT);
  }

  /** Few long rows: each in pieces of its own, folded together in order. */
  private void runPieces(Object[] arrays, KernelContext context) {
    RowPass rowPass = passes[0];
    Pass pass = rowPass.pass();
    @Nullable Dealt[] dealt = rowPass.dealt();
    int rows = space.kept().count();
    int steps = dealt.length;
    int pieces = Math.ceilDiv(depth, PIECE);
    Number[][] parts = new Number[rows * steps][pieces];
    context
        .workers()
        .run(
            rows * pieces,
            chunk -> {
              Frame frame = frame(arrays, 1, 0, strip);
              int row = chunk / pieces;
              int from = chunk % pieces * PIECE;
              for (Dealt each : dealt) {
                requireNonNull(each).start(frame);
              }
              runRange(rowPass, frame, row, from, Math.min(depth, from + PIECE));
              for (int k = 0; k < steps; k++) {
                parts[row * steps + k][chunk % pieces] = requireNonNull(dealt[k]).together(frame);
              }
              context.checkLimits();
            });
    Frame frame = frame(arrays, 1, 0, 0);
    for (int row = 0; row < rows; row++) {
      frame.kept = row;
      for (int k = 0; k < steps; k++) {
        requireNonNull(dealt[k]).finish(frame, parts[row * steps + k]);
      }
      if (pass.after().isPresent()) {
        after(pass.after().get(), frame, row, row + 1);
      }
    }
  }

  private void runBlock(Frame frame, int first, int end) {
    if (plan.before().isPresent()) {
      after(plan.before().get(), frame, first, end);
    }
    for (RowPass pass : passes) {
      for (int row = first; row < end; row++) {
        runRow(pass, frame, row, row - first);
      }
      if (pass.pass().after().isPresent()) {
        after(pass.pass().after().get(), frame, first, end);
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

  private void runRow(RowPass pass, Frame frame, int row, int local) {
    frame.kept = row;
    frame.local = local;
    ImmutableList<Step> steps = pass.pass().steps();
    for (int k = 0; k < steps.size(); k++) {
      Dealt dealt = pass.dealt()[k];
      if (dealt != null) {
        dealt.start(frame);
      } else {
        start(frame, steps.get(k), 1);
      }
    }
    frame.saved = local * depth;
    runRange(pass, frame, row, 0, depth);
    for (int k = 0; k < steps.size(); k++) {
      Dealt dealt = pass.dealt()[k];
      if (dealt != null) {
        dealt.finish(frame);
      } else {
        finish(frame, steps.get(k), 1);
      }
    }
  }

  /** Runs along the elements of a row from one to before another, strip by strip. */
  private void runRange(RowPass pass, Frame frame, int row, int from, int to) {
    int start = space.kept().at(row);
    int saved = frame.saved;
    for (int element = from; element < to; ) {
      int folded = element / space.inner();
      frame.group = (start + space.folded().at(folded)) / space.inner();
      frame.saved = saved + folded * space.inner();
      frame.column = element - folded * space.inner();
      int count = Math.min(Math.min(strip, space.inner() - frame.column), to - element);
      runStrip(pass, frame, count);
      element += count;
    }
  }

  private static void runStrip(RowPass pass, Frame frame, int count) {
    if (pass.pass().strip().isPresent()) {
      pass.pass().strip().get().run(frame, count);
    }
    for (int k = 0; k < pass.dealt().length; k++) {
      Dealt dealt = pass.dealt()[k];
      if (dealt != null) {
        dealt.fold(frame, count);
      } else {
        fold(frame, pass.pass().steps().get(k), count);
      }
    }
  }

  private static void fold(Frame frame, Step step, int count) {
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
