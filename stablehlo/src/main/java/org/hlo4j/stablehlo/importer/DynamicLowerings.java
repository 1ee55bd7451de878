package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
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
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
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
    add(
            table,
            "dynamic_broadcast_in_dim",
            op -> resized(op, "broadcast_in_dim", "output_dimensions"))
        .checkedBy(DynamicLowerings::checkBroadcastInDim)
        .inferring(DynamicLowerings::ofOperandType);
    add(table, "dynamic_conv", op -> withAttributes(op, "convolution", "padding"))
        .checkedBy(DynamicLowerings::checkConv)
        .inferring(DynamicLowerings::shapeOfConv);
    add(table, "dynamic_gather", op -> withAttributes(op, "gather", "slice_sizes"))
        .checkedBy(op -> SizeRules.requireCount(op, 2, op.array(0).rank(), "dynamic_gather C20"))
        .inferring(DynamicLowerings::shapeOfGather);
    add(table, "dynamic_iota", op -> resized(op, "iota", "output_shape"))
        .checkedBy(DynamicLowerings::checkIota);
    add(
            table,
            "dynamic_pad",
            op ->
                withAttributes(
                    op, "pad", "edge_padding_low", "edge_padding_high", "interior_padding"))
        .checkedBy(DynamicLowerings::checkPad)
        .inferring(DynamicLowerings::ofOperandRank);
    add(table, "dynamic_reshape", DynamicLowerings::reshape)
        .checkedBy(DynamicLowerings::checkReshape)
        .inferring(DynamicLowerings::ofOperandType);
    add(table, "real_dynamic_slice", DynamicLowerings::slice)
        .checkedBy(op -> SizeRules.requireCounts(op, 1, 4, "real_dynamic_slice C2"))
        .inferring(DynamicLowerings::ofOperandRank);
    call(table, "shape_assertion", DynamicLowerings::assertion);
    call(table, "stablehlo.dynamic_reduce_window", DynamicLowerings::reduceWindow);
    call(table, "stablehlo.dynamic_rng_bit_generator", DynamicLowerings::rngBitGenerator);
    call(table, "stablehlo.dynamic_top_k", DynamicLowerings::topK);
    call(table, "stablehlo.dynamic_approx_top_k", DynamicLowerings::approxTopK);
  }

  private static void call(
      Lowerings table, String target, Function<OpImport, ImmutableList<HloInstruction>> lowered) {
    table.many(Lowerings.call(target), lowered).onlyChecked();
  }

  /** Adds an op that is only checked where the sizes that it takes are not known. */
  private static Lowering add(
      Lowerings table, String name, Function<OpImport, HloInstruction> instruction) {
    return table
        .one("stablehlo." + name, instruction)
        .onlyCheckedIf(op -> op.isSymbolic() || !SizeRules.areKnown(op));
  }

  /** Lowers the static op that has attributes in place of the operands that are sizes. */
  private static HloInstruction withAttributes(OpImport op, String name, String... attributes) {
    int taken = op.operandCount() - attributes.length;
    return lowered(op, name, taken, op.operation().resultTypes(), attributes(op, attributes))
        .get(0);
  }

  /** Returns the attributes of an op, and those that the last operands hold. */
  private static Map<String, Attribute> attributes(OpImport op, String... names) {
    int first = op.operandCount() - names.length;
    Map<String, Attribute> all = new HashMap<>(op.fields().entries());
    for (int i = 0; i < names.length; i++) {
      Dims sizes = sizes(op, first + i, names[i]);
      boolean arePairs = names[i].equals("padding");
      verify(!arePairs || sizes.count() % 2 == 0, "%s got %s, want pairs", names[i], sizes);
      all.put(names[i], arePairs ? AttributeFactory.pairs(sizes) : AttributeFactory.ints(sizes));
    }
    return all;
  }

  /** Lowers the static op whose result has the sizes that the last operand holds. */
  private static HloInstruction resized(OpImport op, String name, String sizes) {
    int last = op.operandCount() - 1;
    List<Type> result = List.of(sized(op, 0, last, sizes));
    return lowered(op, name, last, result, op.fields().entries()).get(0);
  }

  /** Returns the type of a result with the sizes that an operand holds. */
  private static Type sized(OpImport op, int result, int operand, String name) {
    return Type.Tensor.of(
        Shapes.element(op.resultType(result)), AttributeFactory.list(sizes(op, operand, name)));
  }

  private static ImmutableList<HloInstruction> lowered(
      OpImport op, String name, int taken, List<Type> results, Map<String, Attribute> attributes) {
    return op.replaced(
            "stablehlo." + name, op.operation().operands().subList(0, taken), results, attributes)
        .lower();
  }

  /** Returns the elements of an operand that has to be known. */
  static Dims sizes(OpImport op, int operand, String name) {
    long[] known = op.known(op.operand(operand));
    if (known == null) {
      throw new HloException(
          UNSUPPORTED,
          "%s got %s, whose value is not known, want sizes that follow from the shapes of the"
              + " arguments; StableHlo.specialize takes them",
          name,
          op.operand(operand));
    }
    return Dims.of(known);
  }

  private static Shape ofOperandType(OpImport op) {
    return SizeRules.declared(op).withElementType(op.array(0).elementType());
  }

  private static Shape ofOperandRank(OpImport op) {
    return SizeRules.symbolic(op.array(0), Dims.range(0, op.array(0).rank()));
  }

  private static Shape shapeOfGather(OpImport op) {
    Shape.Array operand = op.array(0);
    long[] least = new long[operand.rank()];
    Arrays.setAll(least, i -> operand.isUnbounded(i) ? 1 : Math.min(1, operand.size(i)));
    MovementLowerings.checkGather(op);
    Op gather = op.mirrored("stablehlo.gather", Map.of("slice_sizes", Dims.of(least)));
    Shape gathered = gather.infer(HloInstruction.inputs(op.operands(0, 2), List.of()));
    Dims offsets = op.fields().struct("dimension_numbers").ints("offset_dims");
    return SizeRules.symbolic((Shape.Array) gathered, offsets);
  }

  private static void checkBroadcastInDim(OpImport op) {
    SizeRules.requireShapeOperand(op, 1, "dynamic_broadcast_in_dim C7");
    SizeRules.requireHints(op);
    MovementLowerings.requireBroadcast(
        op.array(0), SizeRules.declared(op), op.fields().ints("broadcast_dimensions"));
  }

  private static void checkConv(OpImport op) {
    int rank = ProductLowerings.spatialRank(op);
    Shape.Array padding = op.array(2);
    verify(
        padding.rank() == 2 && padding.size(1) == 2 && padding.elementType().isIntegral(),
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
    Shape shape =
        ProductLowerings.convolution(op).infer(HloInstruction.inputs(op.operands(0, 2), List.of()));
    Dims spatial = op.fields().struct("dimension_numbers").ints("output_spatial_dimensions");
    return SizeRules.symbolic((Shape.Array) shape, spatial);
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

  private static void checkPad(OpImport op) {
    SizeRules.requireCounts(op, 2, 5, "dynamic_pad C2");
    require(
        op.array(1).isScalar() && op.array(1).elementType() == op.array(0).elementType(),
        "dynamic_pad C1",
        "padding_value got %s, want a scalar of the element type of %s",
        op.array(1),
        op.array(0));
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
        : resized(op, "reshape", "output_shape");
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

  /**
   * Lowers a slice. With unknown starts it becomes a dynamic-slice, provided that the limits have a
   * known distance from the starts.
   */
  private static HloInstruction slice(OpImport op) {
    Dims strides = sizes(op, 3, "strides");
    if (op.known(op.operand(1)) != null && op.known(op.operand(2)) != null) {
      return withAttributes(op, "slice", "start_indices", "limit_indices", "strides");
    }
    long[] distance = distance(op, op.operand(2), op.operand(1));
    if (distance == null || strides.stream().anyMatch(stride -> stride != 1)) {
      sizes(op, 1, "start_indices");
      sizes(op, 2, "limit_indices");
      throw new HloException(UNSUPPORTED, "strides got %s, want ones", strides);
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
      throw new HloException(ARGUMENT, message).withInstruction("stablehlo.custom_call");
    }
    return ImmutableList.of();
  }

  private static ImmutableList<HloInstruction> topK(OpImport op) {
    verify(op.operandCount() == 2, "operands got %s, want 2", op.operandCount());
    return op.elements(op.emit(new Topk(scalar(op, 1, "k"), true, true), op.operand(0)));
  }

  /** Lowers an ApproxTopK whose last operand is k. */
  private static ImmutableList<HloInstruction> approxTopK(OpImport op) {
    int last = op.operandCount() - 1;
    verify(last > 0, "operands got %s, want 2n + 1", op.operandCount());
    return ApproxTopKs.lower(op, op.operands(0, last), scalar(op, last, "k"));
  }

  /** Returns the element of an operand that has to be a known scalar. */
  private static long scalar(OpImport op, int operand, String name) {
    Dims known = sizes(op, operand, name);
    verify(known.count() == 1, "%s got %s, want one number", name, op.operand(operand).shape());
    return known.get(0);
  }

  private static ImmutableList<HloInstruction> rngBitGenerator(OpImport op) {
    Map<String, Attribute> attributes = new HashMap<>(op.fields().entries());
    attributes.putIfAbsent(
        "rng_algorithm", new Attribute.Word("stablehlo", "rng_algorithm", "DEFAULT"));
    Type state = op.operation().operand(0).type();
    return lowered(
        op, "rng_bit_generator", 1, List.of(state, sized(op, 1, 1, "output_shape")), attributes);
  }

  /**
   * Lowers a dynamic reduce-window. Its operands are inputs, initial values and five tensors of
   * sizes; its body is a function.
   */
  private static ImmutableList<HloInstruction> reduceWindow(OpImport op) {
    int operands = op.operandCount();
    int first = operands - 5;
    verify(first >= 2 && first % 2 == 0, "operands got %s, want 2n + 5", operands);
    OpImport plain =
        op.replaced(
            "stablehlo.reduce_window",
            op.operation().operands().subList(0, first),
            op.operation().resultTypes(),
            attributes(
                op,
                "window_dimensions",
                "window_strides",
                "base_dilations",
                "window_dilations",
                "padding"));
    Window window = ReductionLowerings.window(plain, plain.fields().ints("window_dimensions"));
    HloComputation body = CustomCalls.calledComputations(op).get(0);
    return op.results(op.emit(new ReduceWindow(window), plain.operands(), List.of(body)));
  }
}
