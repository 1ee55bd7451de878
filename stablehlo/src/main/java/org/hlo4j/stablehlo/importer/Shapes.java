package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;

import com.google.common.collect.ImmutableSortedSet;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/** Shapes of HLO for types of MLIR. */
final class Shapes {
  private Shapes() {}

  /** The shape of a value of a type. */
  static Shape of(Type type) {
    return switch (type) {
      case Type.Tensor tensor -> array(tensor);
      case Type.Tuple tuple -> tuple(tuple.elements());
      case Type.Dialect dialect when dialect.equals(Type.TOKEN) -> Shape.token();
      case Type.MemRef memref ->
          Shape.buffer(array(new Type.Tensor(memref.sizes(), memref.element(), Optional.empty())));
      case Type.Int other -> throw unsupported(other);
      case Type.Floating other -> throw unsupported(other);
      case Type.Simple other -> throw unsupported(other);
      case Type.Complex other -> throw unsupported(other);
      case Type.UnrankedTensor other -> throw unsupported(other);
      case Type.Function other -> throw unsupported(other);
      case Type.Quantized other -> throw unsupported(other);
      case Type.Dialect other -> throw unsupported(other);
    };
  }

  /** One shape for one type, the shape of a tuple for any other number. */
  static Shape ofResults(List<Type> types) {
    return types.size() == 1 ? of(types.get(0)) : tuple(types);
  }

  static Shape tuple(List<Type> types) {
    return new Shape.Tuple(types.stream().map(Shapes::of).collect(toImmutableList()));
  }

  /** The shape of a tensor; sizes that are not known need a bound. */
  static Shape.Array array(Type.Tensor tensor) {
    ElementType element = elementType(tensor.element());
    long[] sizes = tensor.sizes().stream().mapToLong(Long::longValue).toArray();
    ImmutableSortedSet.Builder<Integer> dynamic = ImmutableSortedSet.naturalOrder();
    List<Long> bounds = bounds(tensor);
    for (int i = 0; i < sizes.length; i++) {
      if (sizes[i] == Type.DYNAMIC) {
        HloException.require(
            i < bounds.size() && bounds.get(i) != Type.DYNAMIC,
            UNSUPPORTED,
            "got %s, want sizes that are known: make the module static for the shapes of its"
                + " arguments first",
            tensor);
        sizes[i] = bounds.get(i);
        dynamic.add(i);
      }
    }
    return new Shape.Array(element, Dims.of(sizes), dynamic.build(), Optional.empty());
  }

  /** The shape of a type, sizes that are not known left open. */
  static Shape open(Type type) {
    if (!(type instanceof Type.Tensor tensor) || tensor.isStatic()) {
      return of(type);
    }
    ImmutableSortedSet.Builder<Integer> dynamic = ImmutableSortedSet.naturalOrder();
    for (int i = 0; i < tensor.rank(); i++) {
      if (tensor.sizes().get(i) == Type.DYNAMIC) {
        dynamic.add(i);
      }
    }
    return new Shape.Array(
        elementType(tensor.element()),
        Dims.copyOf(tensor.sizes()),
        dynamic.build(),
        Optional.empty());
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

  /** Whether a value of a shape has a type; sizes that the type leaves open may be any. */
  static boolean fits(Shape shape, Type type) {
    if (type instanceof Type.Tuple tuple && shape instanceof Shape.Tuple elements) {
      boolean fits = tuple.elements().size() == elements.elements().size();
      for (int i = 0; fits && i < elements.elements().size(); i++) {
        fits = fits(elements.elements().get(i), tuple.elements().get(i));
      }
      return fits;
    }
    if (!(type instanceof Type.Tensor tensor) || !(shape instanceof Shape.Array array)) {
      return of(type).compatible(shape);
    }
    boolean fits =
        tensor.rank() == array.rank() && elementType(tensor.element()) == array.elementType();
    for (int i = 0; fits && i < array.rank(); i++) {
      long size = tensor.sizes().get(i);
      fits = size == Type.DYNAMIC || array.isDynamic(i) || size == array.size(i);
    }
    return fits;
  }

  /** A shape as a type of MLIR. */
  static String text(Shape shape) {
    return shape instanceof Shape.Array array && !array.isDynamic()
        ? Type.Tensor.of(Types.of(array.elementType()), array.sizes().stream().boxed().toList())
            .toString()
        : shape.toString();
  }

  /** The element type of HLO that a type is. */
  static ElementType elementType(Type type) {
    return Types.elementType(Quantization.storage(type))
        .orElseThrow(() ->
            new HloException(UNSUPPORTED, "element type got " + type + ", want one that HLO has"));
  }

  private static HloException unsupported(Type type) {
    return new HloException(UNSUPPORTED, "type got " + type + ", want a tensor, tuple or token");
  }
}
