package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The lowering of MLIR's dialects {@code tensor}, {@code shape} and {@code cf}, by which other
 * compilers get the sizes that StableHLO's dynamic ops take. A shape is a vector of s64, a size an
 * s64, a witness a pred. Where the shapes of the arguments are known, so are these values, and an
 * assertion on them holds or the program is refused.
 */
final class SizeLowerings {
  private static final Dims ONE = Dims.of(1);

  private SizeLowerings() {}

  static void addTo(Lowerings table) {
    for (String name : List.of("tensor.dim", "shape.dim")) {
      size(table, name, SizeLowerings::dim).onlyCheckedIf(op -> !isKnown(op, 1));
    }
    table.one("tensor.rank", op -> index(op, op.array(0).rank()));
    table.one("tensor.cast", SizeLowerings::cast);
    table.one("tensor.from_elements", SizeLowerings::elements);
    table.one("tensor.extract", SizeLowerings::extract);
    table.one("shape.shape_of", SizeLowerings::shapeOf);
    table.one("shape.const_shape", SizeLowerings::constShape);
    table.one("shape.const_size", op -> index(op, op.fields().int64("value")));
    table.one("shape.const_witness", op -> pred(op, op.fields().bool("passing")));
    for (String name :
        List.of("any", "index_to_size", "size_to_index", "to_extent_tensor", "value_as_shape")) {
      table.one("shape." + name, op -> op.operand(0));
    }
    table.one("shape.from_extents", op -> vector(op, op.operands()));
    table.one("shape.concat", op -> MovementLowerings.emitJoined(op, op.operands()));
    table.one("shape.rank", op -> index(op, op.array(0).size(0)));
    size(table, "shape.get_extent", SizeLowerings::extent)
        .onlyCheckedIf(op -> op.isSymbolic() || !isKnown(op, 1));
    table.many("shape.split_at", SizeLowerings::split).onlyChecked();
    size(table, "shape.num_elements", SizeLowerings::product).onlyCheckedIf(OpImport::isSymbolic);
    table
        .one("shape.broadcast", SizeLowerings::broadcast)
        .checkedBy(op -> verify(op.operandCount() > 0, "operands got 0, want shapes"))
        .onlyCheckedIf(OpImport::isSymbolic);
    table.one("shape.div", op -> ArithLowerings.quotient(op, true, false));
    ElementwiseLowerings.kinds("add=add mul=multiply max=maximum min=minimum")
        .forEach((name, kind) ->
            table.one(
                "shape." + name, op -> op.emit(new Elementwise(kind), op.operands(), List.of())));
    property(table, "is_broadcastable", op -> pred(op, areBroadcastable(shapes(op))));
    property(table, "shape_eq", op -> pred(op, areEqual(shapes(op))));
    property(
        table,
        "cstr_broadcastable",
        op -> witness(op, SizeLowerings::areBroadcastable, "that broadcast"));
    property(table, "cstr_eq", op -> witness(op, SizeLowerings::areEqual, "that are equal"));
    table
        .one(
            "shape.cstr_require",
            op -> {
              assertion(op);
              return pred(op, true);
            })
        .onlyChecked();
    table.one("shape.assuming_all", op -> pred(op, true));
    table.many("shape.assuming", op -> op.target().lower(op.block(0)));
    table.many("cf.assert", SizeLowerings::assertion).onlyChecked();
  }

  /** Adds an op that gives a size, which is not known where what it follows from is not. */
  private static Lowering size(
      Lowerings table, String name, Function<OpImport, HloInstruction> size) {
    return table.one(name, size).inferring(op -> Shape.of(ElementType.S64));
  }

  /** Adds an op that gives a property of shapes, which are not known in a verified module. */
  private static void property(
      Lowerings table, String name, Function<OpImport, HloInstruction> property) {
    table.one("shape." + name, property).onlyCheckedIf(op -> !areKnown(op));
  }

  private static boolean isKnown(OpImport op, int operand) {
    return op.known(op.operand(operand)) != null;
  }

  private static HloInstruction pred(OpImport op, boolean value) {
    return op.emit(new Constant(Literal.of(value)));
  }

  private static HloInstruction index(OpImport op, long value) {
    return op.emit(new Constant(Literal.of(value)));
  }

  private static HloInstruction indices(OpImport op, Dims values) {
    Shape shape = Shape.of(ElementType.S64, values.count());
    return op.emit(new Constant(Literal.of(shape, values.toArray())));
  }

  private static HloInstruction constShape(OpImport op) {
    Attribute.Dense shape =
        op.fields()
            .find("shape", Attribute.Dense.class)
            .filter(dense -> dense.type().rank() == 1)
            .orElseThrow(
                () -> new HloException(VERIFY, "shape got no vector, want one of indices"));
    return indices(op, Dims.of(Fields.numbers("shape", shape)));
  }

  /** Returns the size of a dimension: a constant, or what the program asks for at run time. */
  private static HloInstruction dim(OpImport op) {
    long dimension = DynamicLowerings.sizes(op, 1, "index").get(0);
    Shape.Array shape = op.array(0);
    verify(
        dimension >= 0 && dimension < shape.rank(),
        "index got %s, want a dimension of %s",
        dimension,
        shape);
    return size(op, (int) dimension);
  }

  private static HloInstruction size(OpImport op, int dimension) {
    Shape.Array shape = op.array(0);
    if (!shape.isDynamic(dimension)) {
      return index(op, shape.size(dimension));
    }
    HloInstruction size = op.emit(new GetDimensionSize(Dims.of(dimension)), op.operand(0));
    return op.converted(size, ElementType.S64);
  }

  private static HloInstruction cast(OpImport op) {
    Type.Tensor from = op.operandTensor(0);
    Type to = op.resultType(0);
    verify(Shapes.areCompatible(from, to), "result got %s, want sizes of %s", to, from);
    return op.operand(0);
  }

  private static HloInstruction elements(OpImport op) {
    Shape.Array shape = op.resultArray();
    verify(
        shape.elementCount() == op.operandCount(),
        "operands got %s, want one for each element of %s",
        op.operandCount(),
        shape);
    return op.operandCount() == 0
        ? op.emit(new Constant(Literal.zeros(shape)))
        : op.emit(new Reshape(shape), vector(op, op.operands()));
  }

  /** Returns the vector of scalars; there is one at least unless they are sizes. */
  private static HloInstruction vector(OpImport op, List<HloInstruction> scalars) {
    return scalars.isEmpty()
        ? indices(op, Dims.of())
        : MovementLowerings.emitJoined(
            op,
            scalars.stream()
                .map(scalar ->
                    op.emit(new Reshape(OpImport.arrayShape(scalar).withSizes(ONE)), scalar))
                .toList());
  }

  /** Returns an element: a slice if its place is known. */
  private static HloInstruction extract(OpImport op) {
    Shape.Array shape = op.array(0);
    verify(
        op.operandCount() == shape.rank() + 1,
        "indices got %s, want one for each dimension of %s",
        op.operandCount() - 1,
        shape);
    boolean isKnown =
        op.operands(1, op.operandCount()).stream().allMatch(index -> op.known(index) != null);
    Dims ones = Dims.filled(shape.rank(), 1);
    HloInstruction one =
        isKnown
            ? slice(op, shape, ones)
            : op.emit(new DynamicSlice(ones), op.operands(), List.of());
    return op.emit(new Reshape(Shape.of(shape.elementType())), one);
  }

  private static HloInstruction slice(OpImport op, Shape.Array shape, Dims ones) {
    long[] start = new long[shape.rank()];
    for (int i = 0; i < start.length; i++) {
      start[i] = DynamicLowerings.sizes(op, i + 1, "index").get(0);
      verify(
          start[i] >= 0 && (shape.isDynamic(i) || start[i] < shape.size(i)),
          "index %s got %s, want one of dimension %s of %s",
          i,
          start[i],
          i,
          shape);
    }
    Dims from = Dims.of(start);
    return op.emit(Slice.of(from, from.plus(ones), ones), op.operand(0));
  }

  private static HloInstruction shapeOf(OpImport op) {
    Shape.Array shape = op.array(0);
    return shape.isDynamic()
        ? vector(op, IntStream.range(0, shape.rank()).mapToObj(i -> size(op, i)).toList())
        : indices(op, shape.sizes());
  }

  private static HloInstruction extent(OpImport op) {
    long dimension = DynamicLowerings.sizes(op, 1, "dim").get(0);
    long rank = op.array(0).size(0);
    verify(dimension >= 0 && dimension < rank, "dim got %s, want 0 to %s", dimension, rank - 1);
    return MovementLowerings.emitElement(op, op.operand(0), dimension);
  }

  /** Returns both parts of a shape; a negative place counts from its end. */
  private static ImmutableList<HloInstruction> split(OpImport op) {
    long given = DynamicLowerings.sizes(op, 1, "index").get(0);
    long rank = op.array(0).size(0);
    long place = given < 0 ? given + rank : given;
    verify(place >= 0 && place <= rank, "index got %s, want one up to %s", given, rank);
    HloInstruction shape = op.operand(0);
    return ImmutableList.of(
        op.emit(Slice.of(Dims.of(0), Dims.of(place), ONE), shape),
        op.emit(Slice.of(Dims.of(place), Dims.of(rank), ONE), shape));
  }

  private static HloInstruction product(OpImport op) {
    HloInstruction product = index(op, 1);
    for (int i = 0; i < op.array(0).size(0); i++) {
      HloInstruction factor = MovementLowerings.emitElement(op, op.operand(0), i);
      product = op.emit(new Elementwise(Elementwise.Kind.MULTIPLY), product, factor);
    }
    return product;
  }

  /** Returns the shape that shapes broadcast to: of two sizes the one that is not 1. */
  private static HloInstruction broadcast(OpImport op) {
    if (areKnown(op)) {
      requireShapes(op, SizeLowerings::areBroadcastable, "that broadcast");
    }
    long rank =
        op.operands().stream().mapToLong(each -> OpImport.arrayShape(each).size(0)).max().orElse(0);
    HloInstruction all = padded(op, op.operand(0), rank);
    for (int i = 1; i < op.operandCount(); i++) {
      HloInstruction next = padded(op, op.operand(i), rank);
      all =
          op.inlineLibraryFunction(
              x -> x.get(0).eq(1).select(x.get(1), x.get(0)), List.of(all, next));
    }
    return all;
  }

  /** Puts ones in front of a shape. */
  private static HloInstruction padded(OpImport op, HloInstruction shape, long rank) {
    int missing = (int) (rank - OpImport.arrayShape(shape).size(0));
    return missing == 0
        ? shape
        : MovementLowerings.emitJoined(op, List.of(indices(op, Dims.filled(missing, 1)), shape));
  }

  private static boolean areBroadcastable(List<Dims> shapes) {
    int rank = shapes.stream().mapToInt(Dims::count).max().orElse(0);
    return IntStream.rangeClosed(1, rank)
        .allMatch(fromEnd ->
            shapes.stream()
                    .filter(shape -> shape.count() >= fromEnd)
                    .map(shape -> shape.get(shape.count() - fromEnd))
                    .filter(size -> size != 1)
                    .distinct()
                    .count()
                <= 1);
  }

  private static boolean areEqual(List<Dims> shapes) {
    return shapes.stream().distinct().count() <= 1;
  }

  private static boolean areKnown(OpImport op) {
    return op.operands().stream().allMatch(shape -> op.known(shape) != null);
  }

  /** Returns the shapes that an op takes, which have to be known. */
  private static List<Dims> shapes(OpImport op) {
    return IntStream.range(0, op.operandCount())
        .mapToObj(i -> DynamicLowerings.sizes(op, i, "shape"))
        .toList();
  }

  private static HloInstruction witness(
      OpImport op, Predicate<List<Dims>> property, String wanted) {
    requireShapes(op, property, wanted);
    return pred(op, true);
  }

  private static void requireShapes(OpImport op, Predicate<List<Dims>> property, String wanted) {
    List<Dims> shapes = shapes(op);
    require(property.test(shapes), ARGUMENT, "shapes got %s, want shapes %s", shapes, wanted);
  }

  /** Evaluates an assertion; if it does not hold, it is refused with the program's message. */
  private static ImmutableList<HloInstruction> assertion(OpImport op) {
    boolean holds = DynamicLowerings.sizes(op, 0, "assertion").get(0) != 0;
    require(holds, ARGUMENT, "%s", op.fields().string("msg"));
    return ImmutableList.of();
  }
}
