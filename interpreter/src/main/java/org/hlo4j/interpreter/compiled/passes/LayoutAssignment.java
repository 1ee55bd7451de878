package org.hlo4j.interpreter.compiled.passes;

import static java.util.Objects.requireNonNull;
import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.Effects;
import org.jspecify.annotations.Nullable;

/**
 * Layout assignment: images whose features are not the last dimension, such as those that PyTorch
 * exports, are stored with features last from one convolution to the next. Convolutions read and
 * write such images in place and can be fused with what follows. Element-wise ops, windows,
 * reductions and movements between them work on the same layout; only where an image enters or
 * leaves is it transposed. If that would be more often than there are convolutions, nothing
 * changes.
 */
final class LayoutAssignment extends Pass {
  @Override
  boolean mayApply(HloModule module) {
    return anyMatch(module, LayoutAssignment::hasFeaturesInside);
  }

  /** Returns whether an instruction convolves images with features between batch and space. */
  private static boolean hasFeaturesInside(HloInstruction instruction) {
    return instruction.op() instanceof Convolution op
        && !DynamicShapes.hasDynamicShape(instruction)
        && op.window().rank() > 0
        && Stream.of(imageOrder(op.dimLabels()), resultOrder(op.dimLabels()))
            .allMatch(order -> order.get(0) == 0 && !order.isStrictlyIncreasing());
  }

  private static Dims imageOrder(ConvolutionDimensionNumbers labels) {
    return Dims.of(labels.inputBatchDimension())
        .concat(labels.inputSpatialDimensions())
        .concat(Dims.of(labels.inputFeatureDimension()));
  }

  private static Dims kernelOrder(ConvolutionDimensionNumbers labels) {
    return labels
        .kernelSpatialDimensions()
        .concat(
            Dims.of(labels.kernelInputFeatureDimension(), labels.kernelOutputFeatureDimension()));
  }

  private static Dims resultOrder(ConvolutionDimensionNumbers labels) {
    return Dims.of(labels.outputBatchDimension())
        .concat(labels.outputSpatialDimensions())
        .concat(Dims.of(labels.outputFeatureDimension()));
  }

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    return (computation, rewriter) -> {
      Map<HloInstruction, Dims> layouts = layouts(computation, session.effects());
      long convolutions =
          computation.instructions().stream().filter(LayoutAssignment::hasFeaturesInside).count();
      if (convolutions == 0 || transposes(computation, layouts) > convolutions) {
        return rewriteEach((_, current, _) -> current).rewrite(computation, rewriter);
      }
      session.count("layout");
      return new Layouts(layouts, rewriter).rewrite(computation);
    };
  }

  /**
   * Returns the order in which the dimensions of values are stored. The values that are not in the
   * map are stored as they are, and read values that are.
   */
  private static Map<HloInstruction, Dims> layouts(HloComputation computation, Effects effects) {
    Map<HloInstruction, Dims> layouts = new HashMap<>();
    for (HloInstruction each : computation.instructions()) {
      Dims read = effects.isPure(each) ? read(each, layouts) : null;
      if (read != null) {
        layouts.put(each, written(each, read));
      }
    }
    return layouts;
  }

  /** Returns the order in which an instruction reads images; null if as they are. */
  private static @Nullable Dims read(
      HloInstruction instruction, Map<HloInstruction, Dims> layouts) {
    if (hasFeaturesInside(instruction)) {
      return imageOrder(((Convolution) instruction.op()).dimLabels());
    }
    for (HloInstruction operand : instruction.operands()) {
      Dims order = layouts.get(operand);
      if (order != null && !order.isStrictlyIncreasing() && opInOrder(instruction, order) != null) {
        return order;
      }
    }
    return null;
  }

  /** Returns the op that does the same to images stored in an order; null if there is none. */
  private static @Nullable Op opInOrder(HloInstruction instruction, Dims order) {
    return switch (instruction.op()) {
      case Pointwise op
          when instruction.operands().stream()
              .map(Simplification::array)
              .allMatch(
                  each -> each.isScalar() || each.sizes().equals(array(instruction).sizes())) ->
          op;
      case SelectAndScatter op when keepsOrder(op.window(), order) ->
          new SelectAndScatter(window(op.window(), order));
      case ReduceWindow op
          when instruction.operands().size() == 2 && keepsOrder(op.window(), order) ->
          new ReduceWindow(window(op.window(), order));
      case Reduce op
          when instruction.operands().size() == 2 && areInOrder(order, op.dimensions()::contains) ->
          new Reduce(order.inverse().at(Dims.of(op.dimensions().stream().sorted().toArray())));
      default -> MovementRules.permuted(instruction.op(), order);
    };
  }

  private static boolean keepsOrder(Window window, Dims order) {
    return areInOrder(order, d -> window.sizes().get((int) d) > 1);
  }

  private static Window window(Window window, Dims order) {
    return new Window(
        window.sizes().at(order),
        window.strides().at(order),
        window.paddingLow().at(order),
        window.paddingHigh().at(order),
        window.baseDilation().at(order),
        window.windowDilation().at(order),
        IntStream.range(0, order.count())
            .mapToObj(d -> window.reversal().get(order.getInt(d)))
            .collect(ImmutableList.toImmutableList()));
  }

  /** Returns whether some dimensions are stored in their own order: sums over them keep theirs. */
  private static boolean areInOrder(Dims order, LongPredicate dimensions) {
    return Dims.of(order.stream().filter(dimensions).toArray()).isStrictlyIncreasing();
  }

  /** Returns the order in which the result of an instruction is stored that reads images in one. */
  private static Dims written(HloInstruction instruction, Dims read) {
    if (instruction.op() instanceof Convolution op) {
      return resultOrder(op.dimLabels());
    } else if (instruction.op() instanceof Reduce op) {
      List<Long> kept = read.stream().filter(d -> !op.dimensions().contains(d)).boxed().toList();
      List<Long> sorted = kept.stream().sorted().toList();
      return Dims.copyOf(kept.stream().map(sorted::indexOf).toList());
    }
    return read;
  }

  /** Returns how many values have to be transposed, apart from kernels. */
  private static int transposes(HloComputation computation, Map<HloInstruction, Dims> layouts) {
    Set<List<Object>> needed = new HashSet<>();
    Set<HloInstruction> asTheyAre = new HashSet<>(Set.of(computation.root()));
    for (HloInstruction each : computation.instructions()) {
      Dims read = layouts.containsKey(each) ? requireNonNull(read(each, layouts)) : null;
      if (read != null) {
        images(each).stream()
            .filter(image -> !read.equals(layouts.get(image)) && !isFree(image, read))
            .forEach(image -> needed.add(List.of(image, read)));
      } else if (!(MovementRules.permutation(each) != null || each.op() instanceof Convolution)) {
        asTheyAre.addAll(each.operands());
      }
    }
    asTheyAre.stream()
        .filter(each -> layouts.containsKey(each) && !layouts.get(each).isStrictlyIncreasing())
        .forEach(each -> needed.add(List.of(each)));
    return needed.size();
  }

  /** Returns the operands that an instruction reads in the order of its images. */
  private static List<HloInstruction> images(HloInstruction instruction) {
    int count =
        switch (instruction.op()) {
          case Convolution _, Reduce _, ReduceWindow _ -> 1;
          case SelectAndScatter _ -> 2;
          default -> instruction.operands().size();
        };
    return instruction.operands().subList(0, count).stream()
        .filter(each -> !array(each).isScalar())
        .toList();
  }

  private static boolean isFree(HloInstruction value, Dims order) {
    return value.op() instanceof Constant || MovementRules.broadcast(value, order) != null;
  }

  /** The rewriting of one computation. */
  private static final class Layouts {
    private final Map<HloInstruction, Dims> layouts;
    private final Rewriter rewriter;
    private final Map<HloInstruction, HloInstruction> stored = new HashMap<>();
    private final Map<List<Object>, HloInstruction> transposed = new HashMap<>();

    Layouts(Map<HloInstruction, Dims> layouts, Rewriter rewriter) {
      this.layouts = layouts;
      this.rewriter = rewriter;
    }

    HloComputation rewrite(HloComputation computation) {
      for (HloInstruction each : computation.instructions()) {
        if (layouts.containsKey(each)) {
          stored.put(each, stored(each, requireNonNull(read(each, layouts))));
        } else if (each.op() instanceof Convolution op && !DynamicShapes.hasDynamicShape(each)) {
          rewriter.replace(each, convolution(each, op));
        } else {
          each.operands().forEach(this::asItIs);
          rewriter.replace(each, rewriter.updated(each));
        }
      }
      asItIs(computation.root());
      return rewriter.finish(computation);
    }

    /** Returns a value with its dimensions in their own order. */
    private HloInstruction asItIs(HloInstruction value) {
      HloInstruction image = stored.get(value);
      if (image != null && !transposed.containsKey(ImmutableList.<Object>of(value))) {
        Dims back = requireNonNull(layouts.get(value)).inverse();
        transposed.put(ImmutableList.of(value), image);
        rewriter.replace(value, rewriter.transpose(image, back));
      }
      return rewriter.current(value);
    }

    /** Returns a value stored in an order. */
    private HloInstruction inOrder(HloInstruction value, Dims order) {
      if (order.equals(order(value))) {
        return stored.containsKey(value) ? requireNonNull(stored.get(value)) : asItIs(value);
      }
      HloInstruction known = transposed.get(ImmutableList.<Object>of(value, order));
      if (known == null) {
        known = transposed(value, order);
        transposed.put(ImmutableList.of(value, order), known);
      }
      return known;
    }

    private HloInstruction transposed(HloInstruction value, Dims order) {
      Op broadcast = stored.containsKey(value) ? null : MovementRules.broadcast(value, order);
      return broadcast == null
          ? rewriter.transpose(asItIs(value), order)
          : rewriter.add(broadcast, asItIs(value.operands().get(0)));
    }

    /**
     * Returns a convolution of sides in other orders: that of the result if it is stored, otherwise
     * those in which the sides are stored.
     */
    private HloInstruction convolution(HloInstruction instruction, Convolution op) {
      ConvolutionDimensionNumbers labels = op.dimLabels();
      HloInstruction lhs = instruction.operands().get(0);
      HloInstruction rhs = instruction.operands().get(1);
      boolean isStored = layouts.containsKey(instruction);
      Dims image = isStored ? imageOrder(labels) : order(lhs);
      Dims kernel = isStored ? kernelOrder(labels) : order(rhs);
      return replacement(
          instruction,
          op.withDimensionNumbers(relabelled(labels, image, kernel, order(instruction))),
          ImmutableList.of(inOrder(lhs, image), inOrder(rhs, kernel)));
    }

    /** Returns the order in which a value is stored. */
    private Dims order(HloInstruction value) {
      return layouts.getOrDefault(value, Dims.range(0, array(value).rank()));
    }

    /** Returns the dimension numbers for sides and a result that are stored in other orders. */
    private static ConvolutionDimensionNumbers relabelled(
        ConvolutionDimensionNumbers labels, Dims image, Dims kernel, Dims result) {
      Dims lhs = image.inverse();
      Dims rhs = kernel.inverse();
      Dims to = result.inverse();
      return new ConvolutionDimensionNumbers(
          lhs.getInt(labels.inputBatchDimension()),
          lhs.getInt(labels.inputFeatureDimension()),
          lhs.at(labels.inputSpatialDimensions()),
          rhs.getInt(labels.kernelInputFeatureDimension()),
          rhs.getInt(labels.kernelOutputFeatureDimension()),
          rhs.at(labels.kernelSpatialDimensions()),
          to.getInt(labels.outputBatchDimension()),
          to.getInt(labels.outputFeatureDimension()),
          to.at(labels.outputSpatialDimensions()));
    }

    private HloInstruction replacement(
        HloInstruction replaced, Op op, List<HloInstruction> operands) {
      ImmutableList<HloComputation> called = rewriter.currentCalled(replaced);
      Shape shape = op.infer(HloInstruction.inputs(operands, called));
      return rewriter.place(
          HloInstruction.create(
              rewriter.currentName(replaced), op, operands, called, shape, replaced.metadata()));
    }

    /** Returns the instruction that computes the result as it is stored. */
    private HloInstruction stored(HloInstruction instruction, Dims order) {
      if (instruction.op() instanceof Convolution op) {
        return convolution(instruction, op);
      }
      ImmutableSet<HloInstruction> images = ImmutableSet.copyOf(images(instruction));
      List<HloInstruction> operands =
          instruction.operands().stream()
              .map(each -> images.contains(each) ? inOrder(each, order) : asItIs(each))
              .toList();
      return replacement(instruction, requireNonNull(opInOrder(instruction, order)), operands);
    }
  }
}
