package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.jspecify.annotations.Nullable;

/**
 * The lowering of ops that take sizes as operands. Each becomes its static counterpart, since the
 * sizes are known once the shapes of the module's arguments are known.
 */
final class DynamicLowerings {
  private DynamicLowerings() {}

  static void addTo(Lowerings table) {
    table
        .one("stablehlo.dynamic_broadcast_in_dim", DynamicLowerings::broadcastInDim)
        .checkedBy(DynamicLowerings::checkBroadcastInDim)
        .onlyCheckedIf(op -> op.isSymbolic(1))
        .inferring(DynamicLowerings::ofOperandType);
    table
        .one("stablehlo.dynamic_conv", DynamicLowerings::conv)
        .checkedBy(DynamicLowerings::checkConv)
        .onlyCheckedIf(op -> op.isSymbolic(2))
        .inferring(DynamicLowerings::shapeOfConv);
    table
        .one(
            "stablehlo.dynamic_gather",
            op -> MovementLowerings.gather(op, sizes(op, 2, "slice_sizes")))
        .checkedBy(DynamicLowerings::checkGather)
        .onlyCheckedIf(op -> op.isSymbolic(2))
        .inferring(DynamicLowerings::shapeOfGather);
    table
        .one("stablehlo.dynamic_iota", DynamicLowerings::iota)
        .checkedBy(DynamicLowerings::checkIota)
        .onlyCheckedIf(op -> op.isSymbolic(0));
    table
        .one("stablehlo.dynamic_pad", DynamicLowerings::pad)
        .checkedBy(DynamicLowerings::checkPad)
        .onlyCheckedIf(op -> op.isSymbolic(2, 3, 4))
        .inferring(op -> SizeRules.symbolic(op.array(0), Dims.range(0, op.array(0).rank())));
    table
        .one("stablehlo.dynamic_reshape", DynamicLowerings::reshape)
        .checkedBy(DynamicLowerings::checkReshape)
        .onlyCheckedIf(op -> op.isSymbolic(1))
        .inferring(DynamicLowerings::ofOperandType);
    table
        .one("stablehlo.real_dynamic_slice", DynamicLowerings::slice)
        .checkedBy(DynamicLowerings::checkSlice)
        .onlyCheckedIf(op -> op.isSymbolic(1, 2, 3))
        .inferring(op -> SizeRules.symbolic(op.array(0), Dims.range(0, op.array(0).rank())));
  }

  /** Returns the elements of an operand that has to be known. */
  static Dims sizes(OpImport op, int operand, String name) {
    long[] known = op.known(op.operand(operand));
    if (known == null) {
      throw new HloException(
          UNSUPPORTED,
          name
              + " got "
              + op.operand(operand)
              + ", whose value is not known, want sizes that follow from the shapes of the"
              + " arguments; StableHlo.specialize takes them");
    }
    return Dims.of(known);
  }

  private static Shape ofOperandType(OpImport op) {
    return SizeRules.declared(op).withElementType(op.array(0).elementType());
  }

  private static void checkGather(OpImport op) {
    SizeRules.requireCount(op, 2, op.array(0).rank(), "dynamic_gather C20");
  }

  private static Shape shapeOfGather(OpImport op) {
    Shape.Array operand = op.array(0);
    long[] least = new long[operand.rank()];
    Arrays.setAll(least, i -> operand.isUnbounded(i) ? 1 : Math.min(1, operand.size(i)));
    Op gather = MovementLowerings.gatherOp(op, Dims.of(least));
    Shape gathered = gather.infer(HloInstruction.inputs(op.operands(0, 2), List.of()));
    Dims offsets = op.fields().struct("dimension_numbers").ints("offset_dims");
    return SizeRules.symbolic((Shape.Array) gathered, offsets);
  }

  private static Shape.Array shape(OpImport op, int operand, String name) {
    return Shape.of(op.declaredElementType(), sizes(op, operand, name));
  }

  private static void checkBroadcastInDim(OpImport op) {
    SizeRules.requireShapeOperand(op, 1, "dynamic_broadcast_in_dim C7");
    SizeRules.requireHints(op);
    MovementLowerings.requireBroadcast(
        op.array(0), SizeRules.declared(op), op.fields().ints("broadcast_dimensions"));
  }

  private static HloInstruction broadcastInDim(OpImport op) {
    Shape.Array result = shape(op, 1, "output_dimensions");
    return MovementLowerings.emitBroadcastInDim(
        op, op.operand(0), result, op.fields().ints("broadcast_dimensions"));
  }

  private static void checkConv(OpImport op) {
    int rank = ProductLowerings.spatialRank(op);
    Shape.Array padding = op.array(2);
    require(
        padding.rank() == 2 && padding.size(1) == 2 && padding.elementType().isIntegral(),
        VERIFY,
        "padding got %s, want a pair of integers for each spatial dimension",
        padding);
    require(
        padding.isDynamic(0) || padding.size(0) == rank,
        "dynamic_conv C4",
        "padding got %s, want a pair for each of %s spatial dimensions",
        padding,
        rank);
  }

  private static Shape shapeOfConv(OpImport op) {
    Dims none = Dims.filled(ProductLowerings.spatialRank(op), 0);
    Op convolution = ProductLowerings.convolutionOp(op, List.of(none, none));
    Shape shape = convolution.infer(HloInstruction.inputs(op.operands(0, 2), List.of()));
    Dims spatial = op.fields().struct("dimension_numbers").ints("output_spatial_dimensions");
    return SizeRules.symbolic((Shape.Array) shape, spatial);
  }

  private static HloInstruction conv(OpImport op) {
    int rank = ProductLowerings.spatialRank(op);
    Dims flat = sizes(op, 2, "padding");
    List<Long> low = new ArrayList<>();
    List<Long> high = new ArrayList<>();
    for (int i = 0; i < rank; i++) {
      low.add(flat.get(2 * i));
      high.add(flat.get(2 * i + 1));
    }
    return ProductLowerings.convolution(op, List.of(Dims.copyOf(low), Dims.copyOf(high)));
  }

  private static void checkIota(OpImport op) {
    SizeRules.requireShapeOperand(op, 0, "dynamic_iota C2");
    int dimension = op.fields().int32("iota_dimension");
    require(
        dimension >= 0 && dimension < SizeRules.declared(op).rank(),
        "dynamic_iota C1",
        "iota_dimension got %s, want a dimension of %s",
        dimension,
        SizeRules.declared(op));
  }

  private static HloInstruction iota(OpImport op) {
    return op.emit(new Iota(shape(op, 0, "output_shape"), op.fields().int32("iota_dimension")));
  }

  private static void checkPad(OpImport op) {
    SizeRules.requireCounts(op, 2, 5, "dynamic_pad C2");
    require(
        op.array(1).isScalar() && op.array(1).elementType() == op.array(0).elementType(),
        "dynamic_pad C1",
        "padding_value got %s, want a scalar of the element type of %s",
        op.array(1),
        op.array(0));
  }

  private static HloInstruction pad(OpImport op) {
    return op.emit(
        new Pad(
            new PadConfig(
                sizes(op, 2, "edge_padding_low"),
                sizes(op, 3, "edge_padding_high"),
                sizes(op, 4, "interior_padding"))),
        op.operand(0),
        op.operand(1));
  }

  private static void checkReshape(OpImport op) {
    SizeRules.requireShapeOperand(op, 1, "dynamic_reshape C4");
    SizeRules.requireCount(op, 1, SizeRules.declared(op).rank(), "dynamic_reshape C4");
    Shape.Array operand = op.array(0);
    require(
        operand.isDynamic()
            || SizeRules.declared(op).isDynamic()
            || operand.elementCount() == SizeRules.declared(op).elementCount(),
        "dynamic_reshape C2",
        "result got %s, want as many elements as %s",
        SizeRules.declared(op),
        operand);
  }

  private static HloInstruction reshape(OpImport op) {
    Shape.Array declared = SizeRules.declared(op);
    return op.known(op.operand(1)) == null && !declared.hasUnbounded()
        ? boundedReshape(op, declared)
        : op.emit(new Reshape(shape(op, 1, "output_shape")), op.operand(0));
  }

  /** Lowers a dynamic reshape with bounded sizes; HLO takes each size as a separate operand. */
  private static HloInstruction boundedReshape(OpImport op, Shape.Array shape) {
    List<HloInstruction> operands = new ArrayList<>();
    operands.add(op.operand(0));
    HloInstruction sizes = op.converted(op.operand(1), ElementType.S32);
    for (int i = 0; i < shape.rank(); i++) {
      operands.add(MovementLowerings.emitElement(op, sizes, i));
    }
    return op.emit(new DynamicReshape(shape), operands, List.of());
  }

  private static void checkSlice(OpImport op) {
    SizeRules.requireCounts(op, 1, 4, "real_dynamic_slice C2");
  }

  /**
   * Lowers a slice. With unknown starts it becomes a dynamic-slice, provided that the limits have a
   * known distance from the starts.
   */
  private static HloInstruction slice(OpImport op) {
    Dims strides = sizes(op, 3, "strides");
    if (op.known(op.operand(1)) != null && op.known(op.operand(2)) != null) {
      Dims starts = sizes(op, 1, "start_indices");
      Dims limits = sizes(op, 2, "limit_indices");
      return MovementLowerings.emitSlice(op, op.operand(0), starts, limits, strides);
    }
    long[] distance = distance(op, op.operand(2), op.operand(1));
    if (distance == null || strides.stream().anyMatch(stride -> stride != 1)) {
      sizes(op, 1, "start_indices");
      sizes(op, 2, "limit_indices");
      throw new HloException(UNSUPPORTED, "strides got " + strides + ", want ones");
    }
    List<HloInstruction> operands = new ArrayList<>();
    operands.add(op.operand(0));
    operands.addAll(scalars(op, op.operand(1)));
    return op.emit(new DynamicSlice(Dims.of(distance)), operands, List.of());
  }

  /** Returns the known value whose sum with {@code from} is {@code to}, or null. */
  private static long @Nullable [] distance(OpImport op, HloInstruction to, HloInstruction from) {
    if (!(to.op() instanceof Elementwise elementwise)
        || elementwise.kind() != Elementwise.Kind.ADD) {
      return null;
    }
    HloInstruction a = to.operands().get(0);
    HloInstruction b = to.operands().get(1);
    return a == from ? op.known(b) : b == from ? op.known(a) : null;
  }

  private static List<HloInstruction> scalars(OpImport op, HloInstruction vector) {
    Shape.Array shape = OpImport.arrayShape(vector);
    List<HloInstruction> scalars = new ArrayList<>();
    for (int i = 0; i < shape.size(0); i++) {
      scalars.add(MovementLowerings.emitElement(op, vector, i));
    }
    return scalars;
  }

  /**
   * Returns whether a custom call is one of the dynamic ops that StableHLO expresses by custom
   * calls.
   */
  static boolean isDynamic(String target) {
    return target.startsWith("stablehlo.dynamic_") || target.equals("shape_assertion");
  }

  static ImmutableList<HloInstruction> customCall(OpImport op, String target) {
    return switch (target) {
      case "shape_assertion" -> assertion(op);
      case "stablehlo.dynamic_reduce_window" -> reduceWindow(op);
      case "stablehlo.dynamic_rng_bit_generator" -> rngBitGenerator(op);
      case "stablehlo.dynamic_top_k" -> dynamicTopK(op);
      case "stablehlo.dynamic_approx_top_k" -> dynamicApproxTopK(op);
      default -> throw new HloException(UNSUPPORTED, "call_target_name got " + target);
    };
  }

  /**
   * Evaluates an assertion. If it does not hold, it is refused with the user's message, in which
   * values replace {@code {0}}, {@code {1}} and so on.
   */
  private static ImmutableList<HloInstruction> assertion(OpImport op) {
    Dims holds = sizes(op, 0, "assertion");
    if (holds.get(0) == 0) {
      String message = op.fields().string("error_message");
      for (int i = 1; i < op.operandCount(); i++) {
        String value = Long.toString(sizes(op, i, "value").get(0));
        message =
            message.replaceAll("\\{" + (i - 1) + "(?::[^}]*)?\\}", Matcher.quoteReplacement(value));
      }
      // The message is the user's: no place in the file comes before it.
      throw new HloException(HloException.Kind.ARGUMENT, message)
          .withInstruction("stablehlo.custom_call");
    }
    return ImmutableList.of();
  }

  private static ImmutableList<HloInstruction> dynamicTopK(OpImport op) {
    require(op.operandCount() == 2, VERIFY, "operands got %s, want 2", op.operandCount());
    return op.elements(op.emit(new Topk(scalar(op, 1, "k"), true, true), op.operand(0)));
  }

  /** Lowers an ApproxTopK whose last operand is k. */
  private static ImmutableList<HloInstruction> dynamicApproxTopK(OpImport op) {
    int last = op.operandCount() - 1;
    return ApproxTopKs.lower(op, op.operands(0, last), scalar(op, last, "k"));
  }

  /** Returns the element of an operand that has to be a known scalar. */
  private static long scalar(OpImport op, int operand, String name) {
    Dims known = sizes(op, operand, name);
    require(
        known.count() == 1,
        VERIFY,
        "%s got %s, want one number",
        name,
        op.operand(operand).shape());
    return known.get(0);
  }

  private static ImmutableList<HloInstruction> rngBitGenerator(OpImport op) {
    String algorithm =
        op.fields().has("rng_algorithm")
            ? op.fields()
                .find("rng_algorithm", Attribute.Word.class)
                .map(Attribute.Word::value)
                .get()
            : "DEFAULT";
    ElementType type =
        op.resultType(1) instanceof Type.Tensor tensor
            ? Shapes.elementType(tensor.element())
            : ElementType.U32;
    Shape shape = Shape.tuple(op.operand(0).shape(), Shape.of(type, sizes(op, 1, "output_shape")));
    return op.elements(
        op.emit(
            new RngBitGenerator(shape, RngBitGenerator.Algorithm.valueOf("RNG_" + algorithm)),
            op.operand(0)));
  }

  /**
   * Lowers a dynamic reduce-window. Its operands are inputs, initial values and five tensors of
   * sizes; its body is a function.
   */
  private static ImmutableList<HloInstruction> reduceWindow(OpImport op) {
    int operands = op.operandCount();
    int first = operands - 5;
    require(first >= 2 && first % 2 == 0, VERIFY, "operands got %s, want 2n + 5", operands);
    Dims sizes = sizes(op, first, "window_dimensions");
    Dims padding = sizes(op, first + 4, "padding");
    int rank = sizes.count();
    long[] low = new long[rank];
    long[] high = new long[rank];
    Arrays.setAll(low, i -> padding.get(2 * i));
    Arrays.setAll(high, i -> padding.get(2 * i + 1));
    Window window =
        new Window(
            sizes,
            sizes(op, first + 1, "window_strides"),
            Dims.of(low),
            Dims.of(high),
            sizes(op, first + 2, "base_dilations"),
            sizes(op, first + 3, "window_dilations"),
            Window.of(sizes).reversal());
    HloComputation body = CustomCalls.calledComputations(op).get(0);
    return op.results(op.emit(new ReduceWindow(window), op.operands(0, first), List.of(body)));
  }
}
