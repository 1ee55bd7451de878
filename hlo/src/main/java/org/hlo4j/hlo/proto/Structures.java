package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Window;

/** The conversion of attributes that are messages of their own. */
final class Structures {
  private Structures() {}

  /** Reads a shape and drops a default layout. */
  static Shape shape(ProtoMessage message) {
    Shape shape = Shapes.read(message);
    Shape plain = shape.withoutLayout();
    return shape.equals(plain.withDefaultLayout()) ? plain : shape;
  }

  private static Dims column(List<ProtoMessage> rows, String field) {
    return column(rows, row -> row.integer(field));
  }

  private static Dims column(List<ProtoMessage> rows, ToLongFunction<ProtoMessage> field) {
    return Dims.of(rows.stream().mapToLong(field).toArray());
  }

  /** Reads a field of each row. Like XLA, it takes 1 for a missing stride or dilation. */
  private static Dims positives(List<ProtoMessage> rows, String field) {
    return column(rows, row -> row.integer(field) == 0 ? 1 : row.integer(field));
  }

  static Window window(ProtoMessage from, String field) {
    List<ProtoMessage> rows = from.messageOrEmpty(field).messages("dimensions");
    return new Window(
        column(rows, "size"),
        positives(rows, "stride"),
        column(rows, "padding_low"),
        column(rows, "padding_high"),
        positives(rows, "base_dilation"),
        positives(rows, "window_dilation"),
        rows.stream().map(row -> row.bool("window_reversal")).collect(toImmutableList()));
  }

  static void writeWindow(ProtoBuilder to, String field, Window window) {
    ProtoBuilder message = to.at(field);
    for (int i = 0; i < window.rank(); i++) {
      message.put(
          "dimensions",
          ProtoBuilder.of("WindowDimension")
              .put("size", window.sizes().get(i))
              .put("stride", window.strides().get(i))
              .put("padding_low", window.paddingLow().get(i))
              .put("padding_high", window.paddingHigh().get(i))
              .put("window_dilation", window.windowDilation().get(i))
              .put("base_dilation", window.baseDilation().get(i))
              .put("window_reversal", window.reversal().get(i)));
    }
  }

  static SliceRanges slice(ProtoMessage from, String field) {
    List<ProtoMessage> rows = from.messages(field);
    return new SliceRanges(column(rows, "start"), column(rows, "limit"), column(rows, "stride"));
  }

  static void writeSlice(ProtoBuilder to, String field, SliceRanges slice) {
    for (int i = 0; i < slice.startIndices().count(); i++) {
      to.put(
          field,
          ProtoBuilder.of("SliceDimensions")
              .put("start", slice.startIndices().get(i))
              .put("limit", slice.limitIndices().get(i))
              .put("stride", slice.strides().get(i)));
    }
  }

  static PadConfig padding(ProtoMessage from, String field) {
    List<ProtoMessage> rows = from.messageOrEmpty(field).messages("dimensions");
    return new PadConfig(
        column(rows, "edge_padding_low"),
        column(rows, "edge_padding_high"),
        column(rows, "interior_padding"));
  }

  static void writePadding(ProtoBuilder to, String field, PadConfig padding) {
    ProtoBuilder message = to.at(field);
    for (int i = 0; i < padding.edgePaddingLow().count(); i++) {
      message.put(
          "dimensions",
          ProtoBuilder.of("PaddingConfigDimension")
              .put("edge_padding_low", padding.edgePaddingLow().get(i))
              .put("edge_padding_high", padding.edgePaddingHigh().get(i))
              .put("interior_padding", padding.interiorPadding().get(i)));
    }
  }

  static ConvolutionDimensionNumbers convolution(ProtoMessage from, String field) {
    ProtoMessage numbers = from.messageOrEmpty(field);
    return new ConvolutionDimensionNumbers(
        numbers.smallInteger("input_batch_dimension"),
        numbers.smallInteger("input_feature_dimension"),
        numbers.dims("input_spatial_dimensions"),
        numbers.smallInteger("kernel_input_feature_dimension"),
        numbers.smallInteger("kernel_output_feature_dimension"),
        numbers.dims("kernel_spatial_dimensions"),
        numbers.smallInteger("output_batch_dimension"),
        numbers.smallInteger("output_feature_dimension"),
        numbers.dims("output_spatial_dimensions"));
  }

  static void writeConvolution(ProtoBuilder to, String field, ConvolutionDimensionNumbers numbers) {
    to.at(field)
        .put("input_batch_dimension", numbers.inputBatchDimension())
        .put("input_feature_dimension", numbers.inputFeatureDimension())
        .put("input_spatial_dimensions", numbers.inputSpatialDimensions())
        .put("kernel_input_feature_dimension", numbers.kernelInputFeatureDimension())
        .put("kernel_output_feature_dimension", numbers.kernelOutputFeatureDimension())
        .put("kernel_spatial_dimensions", numbers.kernelSpatialDimensions())
        .put("output_batch_dimension", numbers.outputBatchDimension())
        .put("output_feature_dimension", numbers.outputFeatureDimension())
        .put("output_spatial_dimensions", numbers.outputSpatialDimensions());
  }

  /** Reads pairs of source and target; a field of integers holds slice sizes instead. */
  static ImmutableList<Dims> pairs(ProtoMessage from, String field) {
    if (from.type().field(field).typeName().equals("int")) {
      return boxes(from, field);
    }
    return from.messages(field).stream()
        .map(pair -> Dims.of(pair.integer("source"), pair.integer("target")))
        .collect(toImmutableList());
  }

  static void writePairs(ProtoBuilder to, String field, ImmutableList<Dims> pairs) {
    if (to.type().field(field).typeName().equals("int")) {
      writeBoxes(to, field, pairs);
      return;
    }
    for (Dims pair : pairs) {
      HloException.require(
          pair.count() == 2, "", "proto: %s got %s, want pairs of devices", field, pair);
      ProtoBuilder message = ProtoBuilder.of("SourceTarget");
      message.put("source", pair.get(0)).put("target", pair.get(1));
      to.put(field, message);
    }
  }

  /**
   * Reads the sizes of several slices, concatenated, with one number for each dimension of the
   * result.
   */
  private static ImmutableList<Dims> boxes(ProtoMessage from, String field) {
    Dims all = from.dims(field);
    if (all.isEmpty()) {
      return ImmutableList.of();
    }
    Shape shape = shape(from.messageOrEmpty("shape"));
    Shape result =
        shape instanceof Shape.Tuple tuple && tuple.elements().size() > 1
            ? tuple.elements().get(1)
            : shape;
    int rank = result instanceof Shape.Array array ? array.rank() : 0;
    if (rank == 0 || all.count() % rank != 0) {
      throw from.refusal(
          field, "got " + all.count() + " sizes, want some for each dimension of " + result);
    }
    return IntStream.range(0, all.count() / rank)
        .mapToObj(i -> all.subList(i * rank, (i + 1) * rank))
        .collect(toImmutableList());
  }

  private static void writeBoxes(ProtoBuilder to, String field, ImmutableList<Dims> boxes) {
    for (Dims box : boxes) {
      HloException.require(
          box.count() > 0 && box.count() == boxes.get(0).count(),
          "",
          "proto: %s got %s, want boxes of the same rank, above 0",
          field,
          box);
    }
    to.put(field, Dims.of(boxes.stream().flatMapToLong(Dims::stream).toArray()));
  }

  static ImmutableList<Aliasing> aliasing(ProtoMessage from, String field) {
    return from.messages(field).stream()
        .map(pair ->
            new Aliasing(
                pair.dims("output_shape_index"),
                pair.smallInteger("operand_index"),
                pair.dims("operand_shape_index")))
        .collect(toImmutableList());
  }

  static void writeAliasing(ProtoBuilder to, String field, ImmutableList<Aliasing> pairs) {
    for (Aliasing pair : pairs) {
      to.put(
          field,
          ProtoBuilder.of("OutputOperandAliasing")
              .put("output_shape_index", pair.output())
              .put("operand_index", pair.operand())
              .put("operand_shape_index", pair.operandIndex()));
    }
  }
}
