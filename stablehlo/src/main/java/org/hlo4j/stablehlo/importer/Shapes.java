package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.MapMaker;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.dialect.StandardDialects;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.MlirParser;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/** The conversion of MLIR types to HLO shapes. */
final class Shapes {
  /** The shapes of tuples in use, by identity; a type may occur in itself often. */
  private static final ConcurrentMap<Type.Tuple, Shape> STATIC =
      new MapMaker().weakKeys().makeMap();

  private static final ConcurrentMap<Type.Tuple, Shape> SYMBOLIC =
      new MapMaker().weakKeys().makeMap();

  private Shapes() {}

  /** Returns the shape of a value of a type. */
  static Shape of(Type type) {
    return of(type, false);
  }

  /** Returns the shape of a type, in which unknown sizes without a bound stay unknown. */
  static Shape symbolicShape(Type type) {
    return of(type, true);
  }

  private static Shape of(Type type, boolean isSymbolic) {
    return switch (type) {
      case Type.Tensor tensor -> isSymbolic ? symbolicArray(tensor) : array(tensor);
      case Type.Tuple tuple -> {
        ConcurrentMap<Type.Tuple, Shape> tuples = isSymbolic ? SYMBOLIC : STATIC;
        Shape known = tuples.get(tuple);
        Shape shape = known == null ? new Shape.Tuple(all(tuple.elements(), isSymbolic)) : known;
        tuples.put(tuple, shape);
        yield shape;
      }
      case Type.Dialect token when token.equals(Type.TOKEN) -> Shape.token();
      case Type.Dialect future when isFuture(future) ->
          joined(all(futureTypes(future), isSymbolic));
      case Type.Dialect shape when isOfShapes(shape, "shape") && isSymbolic ->
          symbolicArray(Type.Tensor.of(Type.Simple.INDEX, List.of(Type.DYNAMIC)));
      case Type.Dialect size when isOfShapes(size, "size") -> Shape.of(ElementType.S64);
      case Type.Dialect witness when isOfShapes(witness, "witness") -> Shape.of(ElementType.PRED);
      case Type.MemRef memref ->
          Shape.buffer(array(new Type.Tensor(memref.sizes(), memref.element(), Optional.empty())));
      case Type.Int _, Type.Floating _ -> Shape.of(elementType(type));
      case Type.Simple index when index == Type.Simple.INDEX -> Shape.of(elementType(index));
      case Type.Simple _,
          Type.Complex _,
          Type.UnrankedTensor _,
          Type.Function _,
          Type.Quantized _,
          Type.Dialect _ ->
          throw new HloException(UNSUPPORTED, "type got %s, want a tensor, tuple or token", type);
    };
  }

  private static ImmutableList<Shape> all(List<Type> types, boolean isSymbolic) {
    return types.stream().map(type -> of(type, isSymbolic)).collect(toImmutableList());
  }

  /** Returns the only shape, or that of a tuple for any other number. */
  static Shape joined(ImmutableList<Shape> shapes) {
    return shapes.size() == 1 ? shapes.get(0) : new Shape.Tuple(shapes);
  }

  /** Returns the shape of a tensor; unknown sizes need a bound. */
  static Shape.Array array(Type.Tensor tensor) {
    Shape.Array shape = symbolicArray(tensor);
    require(
        !shape.hasUnbounded(),
        UNSUPPORTED,
        "got %s, want sizes that are known: make the module static for the shapes of its"
            + " arguments first",
        tensor);
    return shape;
  }

  /** Returns whether a type is one of MLIR's dialect of shapes. */
  private static boolean isOfShapes(Type.Dialect type, String mnemonic) {
    return type.dialect().equals("shape") && type.mnemonic().equals(mnemonic);
  }

  /** Returns the type of the elements of a tensor, or of a number that is no tensor. */
  static Type element(Type type) {
    return type instanceof Type.Tensor tensor ? tensor.element() : type;
  }

  /** Returns whether a type is a future, the result of an asynchronous op. */
  static boolean isFuture(Type type) {
    return type instanceof Type.Dialect dialect
        && dialect.dialect().equals("stablehlo")
        && dialect.mnemonic().equals("future");
  }

  /** Returns the types of the values of a future. */
  static ImmutableList<Type> futureTypes(Type.Dialect future) {
    return MlirParser.types(future.body(), StandardDialects.INSTANCE);
  }

  /** Returns whether tensors have the same sizes; an unknown size matches any. */
  static boolean haveSameSizes(Type.Tensor a, Type.Tensor b) {
    return mayBeEqual(a.sizes(), b.sizes());
  }

  /** Returns whether arrays have the same sizes; an unknown size matches any. */
  static boolean haveSameSizes(Shape.Array a, Shape.Array b) {
    return mayBeEqual(sizes(a), sizes(b));
  }

  private static List<Long> sizes(Shape.Array array) {
    return IntStream.range(0, array.rank())
        .mapToObj(i -> array.isDynamic(i) ? Type.DYNAMIC : array.size(i))
        .toList();
  }

  private static boolean mayBeEqual(List<Long> sizes, List<Long> others) {
    return pairwise(sizes, others, (a, b) -> a.equals(b) || a == Type.DYNAMIC || b == Type.DYNAMIC);
  }

  /** Returns the refusal of the first type that HLO lacks. */
  static Optional<HloException> lacking(List<Type> types) {
    for (Type type : types) {
      try {
        symbolicShape(type);
      } catch (HloException refusal) {
        return Optional.of(refusal);
      }
    }
    return Optional.empty();
  }

  /** Returns a shape that represents a type, even one that HLO lacks. */
  static Shape placeholder(Type type) {
    try {
      return symbolicShape(type);
    } catch (HloException unsupported) {
      return Shape.token();
    }
  }

  private static Shape.Array symbolicArray(Type.Tensor tensor) {
    long[] sizes = tensor.sizes().stream().mapToLong(Long::longValue).toArray();
    ImmutableSortedSet.Builder<Integer> dynamic = ImmutableSortedSet.naturalOrder();
    List<Long> bounds = bounds(tensor);
    for (int i = 0; i < sizes.length; i++) {
      if (sizes[i] == Type.DYNAMIC) {
        sizes[i] = i < bounds.size() ? bounds.get(i) : Shape.UNBOUNDED;
        dynamic.add(i);
      }
    }
    return new Shape.Array(
        elementType(tensor.element()), Dims.of(sizes), dynamic.build(), Optional.empty());
  }

  private static List<Long> bounds(Type.Tensor tensor) {
    return tensor
        .encoding()
        .map(encoding ->
            encoding instanceof Attribute.Struct struct
                    && struct.mnemonic().equals("bounds")
                    && struct.fields().get("bounds") instanceof Attribute.DenseArray list
                ? list.values()
                : List.<Long>of())
        .orElse(List.of());
  }

  /** Returns the largest size that a dimension may have. */
  static long bound(Type.Tensor tensor, int dimension) {
    long size = tensor.sizes().get(dimension);
    List<Long> bounds = bounds(tensor);
    long bound = dimension < bounds.size() ? bounds.get(dimension) : Type.DYNAMIC;
    return size != Type.DYNAMIC ? size : bound != Type.DYNAMIC ? bound : Long.MAX_VALUE;
  }

  /** Returns whether a value of a shape has a type; an unknown size of the type matches any. */
  static boolean fits(Shape shape, Type type) {
    if (type instanceof Type.Tuple tuple && shape instanceof Shape.Tuple elements) {
      if (placeholder(type).equals(shape)) {
        return true;
      }
      return pairwise(elements.elements(), tuple.elements(), Shapes::fits);
    }
    if (type instanceof Type.Dialect sizes && isOfShapes(sizes, "shape")) {
      return fits(shape, Type.Tensor.of(Type.Simple.INDEX, List.of(Type.DYNAMIC)));
    }
    if (!(type instanceof Type.Tensor tensor) || !(shape instanceof Shape.Array array)) {
      return placeholder(type).compatible(shape);
    }
    return elementType(tensor.element()) == array.elementType()
        && mayBeEqual(tensor.sizes(), sizes(array));
  }

  /**
   * Returns whether types are compatible; an unknown size of either matches any. Quantized numbers
   * have to be of the same type: their storage does not say what they stand for.
   */
  static boolean areCompatible(Type got, Type want) {
    return got.equals(want)
        || (got instanceof Type.Tensor
            && want instanceof Type.Tensor
            && Quantization.quantized(got).equals(Quantization.quantized(want))
            && fits(placeholder(got), want))
        || (got instanceof Type.Tuple tuple
            && want instanceof Type.Tuple other
            && areCompatible(tuple.elements(), other.elements()));
  }

  static boolean areCompatible(List<? extends Type> got, List<? extends Type> want) {
    return pairwise(got, want, Shapes::areCompatible);
  }

  /** Returns whether lists are of the same length, and something holds of each pair. */
  static <A, B> boolean pairwise(
      List<? extends A> all, List<? extends B> others, BiPredicate<A, B> holds) {
    return all.size() == others.size()
        && IntStream.range(0, all.size()).allMatch(i -> holds.test(all.get(i), others.get(i)));
  }

  /** Returns what a message shows of a shape: a type of MLIR if there is one. */
  static Object text(Shape shape) {
    return shape instanceof Shape.Array array && !array.isDynamic()
        ? Type.Tensor.of(Types.of(array.elementType()), array.sizes().stream().boxed().toList())
        : shape;
  }

  /** Returns HLO's element type for an MLIR type. */
  static ElementType elementType(Type type) {
    if (type == Type.Simple.INDEX) {
      return ElementType.S64;
    }
    return Types.elementType(Quantization.storage(type))
        .orElseThrow(() ->
            new HloException(UNSUPPORTED, "element type got %s, want one that HLO has", type));
  }
}
