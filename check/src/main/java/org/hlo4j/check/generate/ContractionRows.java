package org.hlo4j.check.generate;

import static org.hlo4j.check.generate.Sources.shape;

import com.google.common.collect.ImmutableMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Window;

/** The rows of sums of products. */
final class ContractionRows {
  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put("convolution", ContractionRows::convolution)
          .put("dot", ContractionRows::dot)
          .put("ragged-dot", ContractionRows::raggedDot)
          .put("scaled-dot", ContractionRows::scaledDot)
          .buildOrThrow();

  /** The most products of an instruction. */
  private static final long MAX_PRODUCTS = 100_000;

  /** No dimension is at this place. */
  private static final int BEYOND = Integer.MAX_VALUE;

  private ContractionRows() {}

  private static void requireFew(Block block, long products) {
    HloException.require(products * block.times() <= MAX_PRODUCTS, "", "too many products");
  }

  /** Returns the type of the other operand, mostly the same. */
  private static ElementType other(Choices choices, ElementType type) {
    return choices.chance(8) ? choices.anyType() : type;
  }

  /** The roles of the dimensions of two operands: batch, contracting, and free ones. */
  private record Roles(Dims batch, Dims contracted, Dims rhsBatch, Dims rhsContracted, Dims rhs) {
    /** Chooses the roles of the dimensions of lhs, and a shape of rhs. */
    static Roles of(Block block, Shape.Array lhs) {
      Choices choices = block.choices();
      Dims order = choices.permutation(lhs.rank());
      int batch = choices.chance(2) ? 0 : choices.below(order.count() + 1);
      int contracted = batch + choices.below(order.count() + 1 - batch);
      Dims shared = order.subList(0, contracted);
      Dims sizes = lhs.sizes().at(shared);
      long room = Sources.most(block) / Math.max(1, sizes.product());
      Dims all = sizes.concat(choices.sizes(choices.below(Math.max(1, 4 - sizes.count())), room));
      requireFew(
          block,
          Math.max(1, lhs.elementCount())
              * Math.max(1, all.product() / Math.max(1, sizes.product())));
      Dims where = choices.permutation(all.count());
      Dims place = where.inverse();
      return new Roles(
          order.subList(0, batch),
          order.subList(batch, contracted),
          place.subList(0, batch),
          place.subList(batch, contracted),
          all.at(where));
    }

    /**
     * Returns the roles as attributes; of rhs with one more dimension at a place, if it is given.
     */
    ImmutableMap<String, Object> given(int at) {
      return ImmutableMap.of(
          "lhs_batch_dims",
          batch,
          "lhs_contracting_dims",
          contracted,
          "rhs_batch_dims",
          Sources.shifted(rhsBatch, at),
          "rhs_contracting_dims",
          Sources.shifted(rhsContracted, at));
    }
  }

  private static void dot(Block block, Choices choices) {
    HloInstruction lhs = Sources.array(block);
    ElementType type = shape(lhs).elementType();
    Roles roles = Roles.of(block, shape(lhs));
    HloInstruction rhs = Sources.value(block, Shape.of(other(choices, type), roles.rhs()));
    Row.add(block, "dot", roles.given(BEYOND), List.of(lhs, rhs));
  }

  /** The ragged dimension is any of lhs; sizes of groups for all, or for each index before it. */
  private static void raggedDot(Block block, Choices choices) {
    HloInstruction lhs = Sources.line(block);
    ElementType type = shape(lhs).elementType();
    Roles roles = Roles.of(block, shape(lhs));
    int ragged = choices.below(shape(lhs).rank());
    boolean isFree = !roles.batch().contains(ragged) && !roles.contracted().contains(ragged);
    long groups = choices.between(isFree ? 0 : 1, 3);
    int at = isFree ? choices.below(roles.rhs().count() + 1) : BEYOND;
    Dims rhsSizes = isFree ? roles.rhs().inserted(at, groups) : roles.rhs();
    Map<String, Object> given = new HashMap<>(roles.given(at));
    given.put("lhs_ragged_dims", Dims.of(ragged));
    given.put("rhs_group_dims", isFree ? Dims.of(at) : Dims.of());
    RaggedDot op = (RaggedDot) Row.op(block, "ragged-dot", given, List.of(lhs));
    Dims family = op.family(shape(lhs).rank());
    Dims before = family.subList(0, family.indexOf(ragged));
    Dims prefix = roles.batch().contains(ragged) ? before : roles.batch().concat(before);
    Dims sizes = choices.chance(3) ? shape(lhs).sizes().at(prefix) : Dims.of();
    Shape.Array counts =
        Shape.of(choices.type(ElementType::isIntegral), sizes.inserted(sizes.count(), groups));
    block.add(
        op,
        lhs,
        Sources.value(block, Shape.of(other(choices, type), rhsSizes)),
        counts(block, counts, shape(lhs).size(ragged)));
  }

  /** Returns sizes of groups, which are not negative, and together at times more than there is. */
  private static HloInstruction counts(Block block, Shape.Array shape, long size) {
    long most = Math.min(shape.elementType().maxLong() & Integer.MAX_VALUE, size + 1);
    return Sources.given(block, block.choices().whole(shape, 0, Math.max(0, most)));
  }

  /** Each scale has a block of each dimension, or one of the scales is a scalar. */
  private static void scaledDot(Block block, Choices choices) {
    HloInstruction lhs = Sources.line(block, ElementType::isFloating);
    ElementType type = shape(lhs).elementType();
    Dims order = choices.permutation(shape(lhs).rank());
    int batch = choices.below(order.count());
    Dims shared = shape(lhs).sizes().at(order.subList(0, batch + 1));
    Dims all = shared.concat(choices.sizes(choices.below(2), 12));
    requireFew(block, shape(lhs).elementCount() * 12);
    Dims where = choices.permutation(all.count());
    Dims place = where.inverse();
    ElementType rhsType = choices.chance(3) ? choices.type(ElementType::isFloating) : type;
    Shape.Array rhs = Shape.of(rhsType, all.at(where));
    ElementType scale = choices.type(ElementType::isFloating);
    int scalar = choices.below(4);
    Roles roles =
        new Roles(
            order.subList(0, batch),
            Dims.of(order.get(batch)),
            place.subList(0, batch),
            Dims.of(place.get(batch)),
            all.at(where));
    Row.add(
        block,
        "scaled-dot",
        roles.given(BEYOND),
        List.of(
            lhs,
            Sources.value(block, rhs),
            Sources.value(block, blocks(choices, shape(lhs), scale, scalar == 0)),
            Sources.value(block, blocks(choices, rhs, scale, scalar == 1))));
  }

  private static Shape.Array blocks(
      Choices choices, Shape.Array operand, ElementType type, boolean isScalar) {
    if (isScalar) {
      return Shape.of(type);
    }
    return Shape.of(
        type, Dims.of(operand.sizes().stream().map(size -> divisor(choices, size)).toArray()));
  }

  private static long divisor(Choices choices, long size) {
    long any = Math.max(1, choices.between(1, Math.max(1, size)));
    return size == 0 ? 0 : choices.chance(2) ? size : size % any == 0 ? any : 1;
  }

  /** Dimension numbers in any order, groups of features or of the batch, any window. */
  private static void convolution(Block block, Choices choices) {
    int spatial = choices.below(4);
    long groups = choices.chance(2) ? 1 : choices.between(1, 4);
    boolean ofBatch = choices.chance(3);
    long batch = choices.between(0, 3) * (ofBatch ? groups : 1);
    long features = choices.between(choices.chance(6) ? 0 : 1, 6);
    long outputs = choices.between(choices.chance(6) ? 0 : 1, 6) * groups;
    Dims image = choices.sizes(spatial, 200);
    Window window = HigherOrderRows.window(choices, image, true);
    ElementType type = choices.anyType();
    Dims lhs = Dims.of(batch, features * (ofBatch ? 1 : groups)).concat(image);
    Dims rhs = Dims.of(outputs, features).concat(window.sizes());
    requireFew(
        block,
        Math.max(1, batch * outputs)
            * window.outputSizes(image).product()
            * rhs.subList(1, rhs.count()).product());
    Dims input = choices.permutation(lhs.count());
    Dims kernel = choices.permutation(rhs.count());
    Dims output = choices.permutation(lhs.count());
    Row.add(
        block,
        "convolution",
        ImmutableMap.of(
            "window",
            window,
            "dim_labels",
            numbers(input, kernel, output),
            "feature_group_count",
            ofBatch ? 1 : groups,
            "batch_group_count",
            ofBatch ? groups : 1),
        List.of(
            Sources.value(block, Shape.of(type, lhs.at(input.inverse()))),
            Sources.value(block, Shape.of(other(choices, type), rhs.at(kernel.inverse())))));
  }

  /** Returns the numbers that say where batch, feature and spatial dimensions are. */
  private static ConvolutionDimensionNumbers numbers(Dims input, Dims kernel, Dims output) {
    int rank = input.count();
    return new ConvolutionDimensionNumbers(
        input.getInt(0),
        input.getInt(1),
        input.subList(2, rank),
        kernel.getInt(1),
        kernel.getInt(0),
        kernel.subList(2, rank),
        output.getInt(0),
        output.getInt(1),
        output.subList(2, rank));
  }
}
