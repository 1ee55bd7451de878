package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ownership.HandedOut;

/**
 * The arrays of what leaves a run. Those of a result are nobody else's: whoever gets the result may
 * have another run write to them. What is fed out or sent has no array of an argument, which its
 * owner may write to after the run: of none of the devices, as devices exchange their arrays.
 */
final class OwnArrays {
  private final Set<Object> arguments;
  private final Set<Object> results = Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * Creates the arrays of a run.
   *
   * @param arguments the {@link #arrays} of the arguments of all devices
   */
  OwnArrays(Set<Object> arguments) {
    this.arguments = arguments;
  }

  /** Returns the arrays of the arguments of each device. */
  static Set<Object> arrays(List<Literal[]> arguments) {
    Set<Object> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
    arguments.stream()
        .flatMap(Arrays::stream)
        .flatMap(argument -> argument.arrays().stream())
        .filter(array -> !array.isElided())
        .forEach(array -> arrays.add(array.unsafeStorage()));
    return arrays;
  }

  /**
   * Returns a value that is fed out or sent, with copies of the arrays that are arguments.
   *
   * @param reserving called with the shape of an array that is to be copied
   */
  Literal detached(Literal value, Consumer<Shape> reserving) {
    return copied(value, arguments::contains, reserving);
  }

  /**
   * Returns a result, with copies of the arrays that are arguments, were handed to somebody, or are
   * there twice.
   *
   * @param reserving called with the shape of an array that is to be copied
   */
  Literal result(Literal value, Consumer<Shape> reserving) {
    return copied(value, this::isOthers, reserving);
  }

  private boolean isOthers(Object storage) {
    return HandedOut.contains(storage) || arguments.contains(storage) || !results.add(storage);
  }

  private static Literal copied(
      Literal value, Predicate<Object> isCopied, Consumer<Shape> reserving) {
    if (value.shape() instanceof Shape.Tuple tuple) {
      ImmutableList.Builder<Literal> elements = ImmutableList.builder();
      value.elements().forEach(each -> elements.add(copied(each, isCopied, reserving)));
      return Literal.unsafeTuple(tuple, elements.build());
    }
    if (!(value.shape() instanceof Shape.Array array) || !isCopied.test(value.unsafeStorage())) {
      return value;
    }
    reserving.accept(array);
    return copy(array, value);
  }

  private static Literal copy(Shape.Array shape, Literal value) {
    Object storage = LiteralBuilder.newStorage(shape);
    copy(value.unsafeStorage(), storage);
    return Literal.unsafeOf(shape, storage);
  }

  /** Copies an array, which may be longer than the elements that it holds. */
  private static void copy(Object from, Object to) {
    System.arraycopy(from, 0, to, 0, Array.getLength(to));
  }

  /** Returns zeros in arrays of their own. */
  static Literal zeros(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> Literal.zeros(requireStatic(array));
      case Shape.Tuple tuple ->
          Literal.tuple(tuple.elements().stream().map(OwnArrays::zeros).toList());
      case Shape.Token _ -> Literal.token();
      case Shape.Buffer _, Shape.Opaque _ ->
          throw new HloException("", "newResult: result got " + shape + ", want arrays");
    };
  }

  private static Shape.Array requireStatic(Shape.Array array) {
    require(!array.isDynamic(), "", "newResult: result got %s, want static sizes", array);
    return array;
  }

  /**
   * Throws if a literal may not be written to as the result of a run: if it has another shape, or
   * shares an array with itself or with an argument, or somebody was handed it.
   */
  static void requireWritable(Literal result, Shape root, Literal[] arguments) {
    require(result != null, "", "run: result is null, want a literal of %s", root);
    require(result.shape().equals(root), "", "run: result got %s, want %s", result.shape(), root);
    OwnArrays others = new OwnArrays(arrays(List.<Literal[]>of(arguments)));
    for (Literal array : result.arrays()) {
      Object storage = array.unsafeStorage();
      require(
          !others.isOthers(storage),
          "",
          "run: result got an array of %s that is also a constant, an argument, bound, handed out"
              + " or there twice, want one of its own, as newResult() makes them",
          array.shape());
    }
  }

  /**
   * Copies the elements of one value into the arrays of another, except where both share an array.
   */
  static void copy(Literal from, Literal to) {
    List<Literal> sources = from.arrays();
    List<Literal> targets = to.arrays();
    for (int i = 0; i < sources.size(); i++) {
      Object source = sources.get(i).unsafeStorage();
      Object target = targets.get(i).unsafeStorage();
      if (source != target) {
        copy(source, target);
      }
    }
  }
}
