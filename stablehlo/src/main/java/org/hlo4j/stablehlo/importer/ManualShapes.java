package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import java.util.function.LongBinaryOperator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The shapes on the two sides of a manual computation. Sizes that its types leave unknown are those
 * of the other side, divided or multiplied by the manual axes that a dimension is split along.
 *
 * @param shardings how each value is split
 * @param axes the names of the manual axes
 */
record ManualShapes(ImmutableList<MeshSharding> shardings, ImmutableSet<String> axes) {
  private static final Pattern NAME = Pattern.compile("(?<=\")[^\"]+(?=\"\\s*[,}])");

  /** Returns the shapes where values are split as an attribute of the op says. */
  static ManualShapes of(OpImport op, String shardings) {
    return new ManualShapes(
        op.target().module().meshes().shardings(op.fields().required(shardings)),
        NAME.matcher(op.fields().required("manual_axes").toString())
            .results()
            .map(found -> found.group())
            .collect(ImmutableSet.toImmutableSet()));
  }

  /** Returns the shapes of the parts that a device has. */
  ImmutableList<Shape> local(OpImport op, List<Type> types, List<Shape> whole) {
    return shapes(op, types, whole, Math::ceilDiv);
  }

  /** Returns the shapes of the whole arrays. */
  ImmutableList<Shape> whole(OpImport op, List<Type> types, List<Shape> local) {
    return shapes(op, types, local, Math::multiplyExact);
  }

  private ImmutableList<Shape> shapes(
      OpImport op, List<Type> types, List<Shape> others, LongBinaryOperator size) {
    return IntStream.range(0, types.size())
        .mapToObj(i ->
            isSymbolic(types.get(i)) && others.get(i) instanceof Shape.Array other
                ? sized(i, other, size)
                : op.target().module().shape(types.get(i)))
        .collect(toImmutableList());
  }

  private static boolean isSymbolic(Type type) {
    return Shapes.symbolicShape(type) instanceof Shape.Array array && array.hasUnbounded();
  }

  private Shape sized(int value, Shape.Array other, LongBinaryOperator size) {
    return other.hasUnbounded()
        ? other
        : other.withSizes(
            Dims.of(
                IntStream.range(0, other.rank())
                    .mapToLong(d -> size.applyAsLong(other.size(d), parts(value, d)))
                    .toArray()));
  }

  /** Returns into how many parts manual axes split a dimension. */
  private long parts(int value, int dimension) {
    if (value >= shardings.size() || dimension >= shardings.get(value).dimensions().size()) {
      return 1;
    }
    MeshSharding sharding = shardings.get(value);
    return sharding.dimensions().get(dimension).stream()
        .filter(axis -> axes.contains(sharding.mesh().names().get(axis.axis())))
        .mapToLong(sharding.mesh()::size)
        .reduce(1, (a, b) -> a * b);
  }
}
