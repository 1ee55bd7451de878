package org.hlo4j.stablehlo.importer;

import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.FormatMethod;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The lowering of MLIR's dialects {@code tensor}, {@code shape} and {@code cf}, by which other
 * compilers get the sizes that StableHLO's dynamic ops take. A shape is a vector of s64, a size an
 * s64, a witness a pred. Where the shapes of the arguments are known, so are these values, and an
 * assertion on them holds or the program is refused.
 */
final class SizeLowerings {
  private SizeLowerings() {}

  static void addTo(Lowerings table) {
    table.one("tensor.dim", SizeLowerings::dim);
    table.one("shape.dim", SizeLowerings::dim);
    table.one("tensor.rank", op -> ArithLowerings.index(op, op.array(0).rank()));
    table.one("tensor.cast", SizeLowerings::cast);
    table.one("tensor.from_elements", SizeLowerings::elements);
    table.one("tensor.extract", SizeLowerings::extract);
    table.one("shape.shape_of", SizeLowerings::shapeOf);
    table.one("shape.const_shape", op -> constShape(op));
    table.one("shape.const_size", op -> ArithLowerings.index(op, op.fields().int64("value")));
    table.one("shape.const_witness", op -> pred(op, op.fields().bool("passing")));
    for (String name : List.of("value_as_shape", "to_extent_tensor", "index_to_size")) {
      table.one("shape." + name, op -> op.operand(0));
    }
    table.one("shape.size_to_index", op -> op.operand(0));
    table.one("shape.any", op -> op.operand(0));
    table.one("shape.from_extents", op -> vector(op, op.operands()));
    table.one("shape.concat", op -> MovementLowerings.emitJoined(op, op.operands()));
    table.one("shape.rank", op -> ArithLowerings.index(op, op.array(0).size(0)));
    table.one("shape.get_extent", SizeLowerings::extent);
    table.many("shape.split_at", SizeLowerings::split);
    table.one("shape.num_elements", SizeLowerings::product);
    table.one("shape.broadcast", SizeLowerings::broadcast);
    table.one("shape.add", op -> sizes(op, Elementwise.Kind.ADD));
    table.one("shape.mul", op -> sizes(op, Elementwise.Kind.MULTIPLY));
    table.one("shape.div", ArithLowerings::sizeQuotient);
    table.one("shape.max", op -> sizes(op, Elementwise.Kind.MAXIMUM));
    table.one("shape.min", op -> sizes(op, Elementwise.Kind.MINIMUM));
    table.one("shape.is_broadcastable", op -> decided(op, areBroadcastable(op)));
    table.one("shape.shape_eq", op -> decided(op, areEqual(op)));
    table.one(
        "shape.cstr_broadcastable", op -> witness(op, areBroadcastable(op), "that broadcast"));
    table.one("shape.cstr_eq", op -> witness(op, areEqual(op), "that are equal"));
    table.one("shape.cstr_require", SizeLowerings::require);
    table.one("shape.assuming_all", op -> pred(op, true));
    table.many("shape.assuming", op -> op.target().lower(op.block(0)));
    table.many("cf.assert", SizeLowerings::asserted);
  }

  private static HloInstruction pred(OpImport op, boolean value) {
    return op.emit(new Constant(Literal.of(value)));
  }

  private static HloInstruction constShape(OpImport op) {
    Attribute.Dense shape =
        op.fields()
            .find("shape", Attribute.Dense.class)
            .filter(dense -> dense.type().rank() == 1)
            .orElseThrow(
                () -> new HloException(VERIFY, "shape got no vector, want one of indices"));
    return ArithLowerings.indices(op, Dims.of(Fields.numbers("shape", shape)));
  }

  /** Returns the size of a dimension: a constant, or what the program asks for at run time. */
  private static HloInstruction dim(OpImport op) {
    ElementwiseLowerings.requireOperands(op, 2);
    long[] known = op.known(op.operand(1));
    if (known == null && op.isVerifying()) {
      return op.placeholder(Shape.of(ElementType.S64));
    }
    long dimension = DynamicLowerings.sizes(op, 1, "index").get(0);
    Shape.Array shape = op.array(0);
    require(
        dimension >= 0 && dimension < shape.rank(),
        "index got %s, want a dimension of %s",
        dimension,
        shape);
    return size(op, (int) dimension);
  }

  @FormatMethod
  private static void require(boolean holds, String message, Object... parts) {
    if (!holds) {
      throw new HloException(VERIFY, String.format(message, parts));
    }
  }

  private static HloInstruction size(OpImport op, int dimension) {
    Shape.Array shape = op.array(0);
    if (!shape.isDynamic(dimension)) {
      return ArithLowerings.index(op, shape.size(dimension));
    }
    HloInstruction size = op.emit(new GetDimensionSize(Dims.of(dimension)), op.operand(0));
    return op.converted(size, ElementType.S64);
  }

  private static HloInstruction cast(OpImport op) {
    Type.Tensor from = op.operandTensor(0);
    Type to = op.resultType(0);
    require(Shapes.areCompatible(from, to), "result got %s, want sizes of %s", to, from);
    return ElementwiseLowerings.only(op);
  }

  private static HloInstruction elements(OpImport op) {
    Shape.Array shape = op.resultArray();
    require(
        shape.elementCount() == op.operandCount(),
        "operands got %s, want one for each element of %s",
        op.operandCount(),
        shape);
    return op.operandCount() == 0
        ? op.emit(new Constant(new LiteralBuilder(shape).build()))
        : op.emit(new Reshape(shape), vector(op, op.operands()));
  }

  /** Returns the vector of scalars; there is one at least unless they are sizes. */
  private static HloInstruction vector(OpImport op, List<HloInstruction> scalars) {
    if (scalars.isEmpty()) {
      return ArithLowerings.indices(op, Dims.of());
    }
    List<HloInstruction> rows = new ArrayList<>();
    for (HloInstruction scalar : scalars) {
      rows.add(op.emit(new Reshape(OpImport.arrayShape(scalar).withSizes(Dims.of(1))), scalar));
    }
    return MovementLowerings.emitJoined(op, rows);
  }

  /** Returns an element: a slice if its place is known. */
  private static HloInstruction extract(OpImport op) {
    Shape.Array shape = op.array(0);
    require(
        op.operandCount() == shape.rank() + 1,
        "indices got %s, want one for each dimension of %s",
        op.operandCount() - 1,
        shape);
    List<HloInstruction> indices = op.operands(1, op.operandCount());
    boolean isKnown = indices.stream().allMatch(index -> op.known(index) != null);
    Dims ones = Dims.filled(shape.rank(), 1);
    HloInstruction one =
        isKnown ? slice(op, shape, indices) : MovementLowerings.emitDynamicSlice(op, ones);
    return op.emit(new Reshape(Shape.of(shape.elementType())), one);
  }

  private static HloInstruction slice(
      OpImport op, Shape.Array shape, List<HloInstruction> indices) {
    long[] start =
        indices.stream().mapToLong(index -> requireNonNull(op.known(index))[0]).toArray();
    for (int i = 0; i < start.length; i++) {
      require(
          start[i] >= 0 && (shape.isDynamic(i) || start[i] < shape.size(i)),
          "index %s got %s, want one of dimension %s of %s",
          i,
          start[i],
          i,
          shape);
    }
    Dims limit = Dims.of(LongStream.of(start).map(each -> each + 1).toArray());
    return MovementLowerings.emitSlice(
        op, op.operand(0), Dims.of(start), limit, Dims.filled(shape.rank(), 1));
  }

  private static HloInstruction shapeOf(OpImport op) {
    Shape.Array shape = op.array(0);
    if (!shape.isDynamic()) {
      return ArithLowerings.indices(op, shape.sizes());
    }
    List<HloInstruction> sizes = new ArrayList<>();
    for (int i = 0; i < shape.rank(); i++) {
      sizes.add(size(op, i));
    }
    return vector(op, sizes);
  }

  /** Returns whether the rank of a shape is not known, in a module that is only verified. */
  private static boolean hasOpenRank(OpImport op) {
    return op.isVerifying()
        && op.operands().stream().anyMatch(each -> OpImport.arrayShape(each).hasUnbounded());
  }

  private static HloInstruction extent(OpImport op) {
    ElementwiseLowerings.requireOperands(op, 2);
    if (op.isVerifying() && (hasOpenRank(op) || op.known(op.operand(1)) == null)) {
      return op.placeholder(Shape.of(ElementType.S64));
    }
    long dimension = DynamicLowerings.sizes(op, 1, "dim").get(0);
    long rank = op.array(0).size(0);
    require(dimension >= 0 && dimension < rank, "dim got %s, want 0 to %s", dimension, rank - 1);
    return MovementLowerings.emitElement(op, op.operand(0), dimension);
  }

  /** Returns both parts of a shape; a negative place counts from its end. */
  private static ImmutableList<HloInstruction> split(OpImport op) {
    ElementwiseLowerings.requireOperands(op, 2);
    if (op.isVerifying()) {
      return op.placeholders();
    }
    long given = DynamicLowerings.sizes(op, 1, "index").get(0);
    long rank = op.array(0).size(0);
    long place = given < 0 ? given + rank : given;
    require(place >= 0 && place <= rank, "index got %s, want one up to %s", given, rank);
    Dims one = Dims.of(1);
    HloInstruction shape = op.operand(0);
    return ImmutableList.of(
        MovementLowerings.emitSlice(op, shape, Dims.of(0), Dims.of(place), one),
        MovementLowerings.emitSlice(op, shape, Dims.of(place), Dims.of(rank), one));
  }

  private static HloInstruction product(OpImport op) {
    if (hasOpenRank(op)) {
      return op.placeholder(Shape.of(ElementType.S64));
    }
    HloInstruction product = ArithLowerings.index(op, 1);
    for (int i = 0; i < op.array(0).size(0); i++) {
      HloInstruction factor = MovementLowerings.emitElement(op, op.operand(0), i);
      product = op.emit(new Elementwise(Elementwise.Kind.MULTIPLY), product, factor);
    }
    return product;
  }

  private static HloInstruction sizes(OpImport op, Elementwise.Kind kind) {
    ElementwiseLowerings.requireOperands(op, 2);
    return op.emit(new Elementwise(kind), op.operands(), List.of());
  }

  /** Returns the shape that shapes broadcast to: of two sizes the one that is not 1. */
  private static HloInstruction broadcast(OpImport op) {
    require(op.operandCount() > 0, "operands got 0, want shapes");
    if (hasOpenRank(op)) {
      return op.placeholders().get(0);
    }
    requireWhereKnown(op, areBroadcastable(op), "that broadcast");
    long rank =
        op.operands().stream().mapToLong(each -> OpImport.arrayShape(each).size(0)).max().orElse(0);
    HloInstruction all = padded(op, op.operand(0), rank);
    for (int i = 1; i < op.operandCount(); i++) {
      HloInstruction next = padded(op, op.operand(i), rank);
      HloInstruction isOne =
          op.emit(
              new Compare(Compare.Direction.EQ, Optional.empty()),
              all,
              ArithLowerings.like(op, all, 1));
      all = op.emit(new Select(), isOne, next, all);
    }
    return all;
  }

  /** Puts ones in front of a shape. */
  private static HloInstruction padded(OpImport op, HloInstruction shape, long rank) {
    long missing = rank - OpImport.arrayShape(shape).size(0);
    return missing == 0
        ? shape
        : MovementLowerings.emitJoined(
            op, List.of(ArithLowerings.indices(op, Dims.filled((int) missing, 1)), shape));
  }

  /** What is known of a property of shapes. */
  private enum Known {
    HOLDS,
    FAILS,
    OPEN
  }

  private static Known of(boolean holds) {
    return holds ? Known.HOLDS : Known.FAILS;
  }

  private static Known areBroadcastable(OpImport op) {
    List<long[]> shapes = shapes(op);
    if (shapes.contains(null)) {
      return Known.OPEN;
    }
    int rank = shapes.stream().mapToInt(shape -> shape.length).max().orElse(0);
    for (int i = 1; i <= rank; i++) {
      int fromEnd = i;
      long different =
          shapes.stream()
              .filter(shape -> shape.length >= fromEnd)
              .mapToLong(shape -> shape[shape.length - fromEnd])
              .filter(size -> size != 1)
              .distinct()
              .count();
      if (different > 1) {
        return Known.FAILS;
      }
    }
    return Known.HOLDS;
  }

  private static Known areEqual(OpImport op) {
    List<long[]> shapes = shapes(op);
    return shapes.contains(null)
        ? Known.OPEN
        : of(shapes.stream().allMatch(shape -> Arrays.equals(shape, shapes.get(0))));
  }

  private static List<long[]> shapes(OpImport op) {
    List<long[]> shapes = new ArrayList<>();
    op.operands().forEach(shape -> shapes.add(op.known(shape)));
    return shapes;
  }

  /** Returns a property that has to be known, unless the module is only verified. */
  private static HloInstruction decided(OpImport op, Known known) {
    requireKnown(op, known);
    return pred(op, known == Known.HOLDS);
  }

  private static HloInstruction witness(OpImport op, Known known, String wanted) {
    requireKnown(op, known);
    requireWhereKnown(op, known, wanted);
    return pred(op, true);
  }

  private static void requireKnown(OpImport op, Known known) {
    if (known == Known.OPEN && !op.isVerifying()) {
      for (int i = 0; i < op.operandCount(); i++) {
        DynamicLowerings.sizes(op, i, "shape");
      }
    }
  }

  private static void requireWhereKnown(OpImport op, Known known, String wanted) {
    if (known == Known.FAILS) {
      List<Dims> shapes = shapes(op).stream().map(Dims::of).toList();
      throw new HloException(ARGUMENT, "shapes got " + shapes + ", want shapes " + wanted);
    }
  }

  private static HloInstruction require(OpImport op) {
    asserted(op);
    return pred(op, true);
  }

  /** Evaluates an assertion; if it does not hold, it is refused with the program's message. */
  private static ImmutableList<HloInstruction> asserted(OpImport op) {
    if (!op.isVerifying()) {
      boolean holds = DynamicLowerings.sizes(op, 0, "assertion").get(0) != 0;
      HloException.require(holds, ARGUMENT, "%s", op.fields().string("msg"));
    }
    return ImmutableList.of();
  }
}
