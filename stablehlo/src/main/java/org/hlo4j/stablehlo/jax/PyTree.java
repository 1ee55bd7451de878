package org.hlo4j.stablehlo.jax;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.toCollection;
import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.jspecify.annotations.Nullable;

/**
 * The nesting of a JAX function's arguments or results.
 *
 * <p>In Java, a leaf is a {@link Literal}, a tuple or list is a {@link List}, a dictionary is a
 * {@link Map} with strings as keys, and None is {@link None#NONE}. An instance of a custom class
 * (named tuple, dataclass) is the {@link List} of its children.
 */
public sealed interface PyTree {
  /** An array. */
  enum Leaf implements PyTree {
    /** The only one. */
    LEAF;

    @Override
    public String toString() {
      return "*";
    }
  }

  /** Python's None. */
  enum None implements PyTree {
    /** The only one. */
    NONE;

    @Override
    public String toString() {
      return "None";
    }
  }

  /**
   * A tuple, list or custom class.
   *
   * @param name {@code tuple}, {@code list}, or the name of the class
   * @param children its elements
   */
  record Sequence(String name, ImmutableList<PyTree> children) implements PyTree {
    @Override
    public String toString() {
      return text(this);
    }
  }

  /**
   * A dictionary.
   *
   * @param keys the keys, sorted
   * @param children the values, in the order of the keys
   */
  record Dictionary(ImmutableList<String> keys, ImmutableList<PyTree> children) implements PyTree {
    @Override
    public String toString() {
      return text(this);
    }
  }

  private static String text(PyTree tree) {
    StringBuilder text = new StringBuilder();
    addText(tree, text);
    return text.toString();
  }

  private static void addText(PyTree tree, StringBuilder text) {
    switch (tree) {
      case Leaf leaf -> text.append(leaf);
      case None none -> text.append(none);
      case Sequence(String name, ImmutableList<PyTree> children) when name.equals("list") ->
          addText("[", tree, "]", text);
      case Sequence(String name, ImmutableList<PyTree> children) when name.equals("tuple") ->
          addText("(", tree, children.size() == 1 ? ",)" : ")", text);
      case Sequence sequence -> addText(sequence.name + "(", tree, ")", text);
      case Dictionary _ -> addText("{", tree, "}", text);
    }
  }

  private static void addText(String open, PyTree tree, String close, StringBuilder text) {
    text.append(open);
    for (int i = 0; i < tree.parts().size(); i++) {
      text.append(i == 0 ? "" : ", ");
      text.append(tree instanceof Dictionary all ? "'" + all.keys.get(i) + "': " : "");
      addText(tree.parts().get(i), text);
    }
    text.append(close);
  }

  /** Returns the trees in this one. */
  private ImmutableList<PyTree> parts() {
    return switch (this) {
      case Leaf _, None _ -> ImmutableList.of();
      case Sequence sequence -> sequence.children;
      case Dictionary dictionary -> dictionary.children;
    };
  }

  /** Returns the path of a tree in this one. */
  private String step(int part) {
    return this instanceof Dictionary all ? "['" + all.keys.get(part) + "']" : "[" + part + "]";
  }

  /** {@return the number of arrays} */
  default int leafCount() {
    return leaves("").size();
  }

  /**
   * Returns the path of each array, such as {@code [0]['w']}.
   *
   * @param prefix the text before each path
   * @return the paths, in order
   */
  default ImmutableList<String> leaves(String prefix) {
    ImmutableList.Builder<String> all = ImmutableList.builder();
    addLeaves(prefix, all);
    return all.build();
  }

  private void addLeaves(String prefix, ImmutableList.Builder<String> all) {
    if (this == Leaf.LEAF) {
      all.add(prefix);
    }
    for (int i = 0; i < parts().size(); i++) {
      parts().get(i).addLeaves(prefix + step(i), all);
    }
  }

  /**
   * Flattens a value of this form to its arrays, in order.
   *
   * @param value nested lists, maps and literals
   * @param path the name of the value in a refusal
   * @return the arrays
   * @throws HloException if the value is not of this form
   */
  default ImmutableList<Literal> flatten(@Nullable Object value, String path) {
    if (this == Leaf.LEAF && value instanceof Literal literal) {
      return ImmutableList.of(literal);
    }
    @Nullable List<?> values =
        switch (this) {
          case Leaf _ -> null;
          case None none -> value == none ? List.of() : null;
          case Sequence(_, ImmutableList<PyTree> children) ->
              value instanceof List<?> list && list.size() == children.size() ? list : null;
          case Dictionary(ImmutableList<String> keys, _) ->
              value instanceof Map<?, ?> map && map.keySet().equals(new HashSet<>(keys))
                  ? keys.stream().map(map::get).collect(toCollection(ArrayList::new))
                  : null;
        };
    if (values == null) {
      throw wrong(path, value, wanted(value));
    }
    ImmutableList.Builder<Literal> all = ImmutableList.builder();
    for (int i = 0; i < values.size(); i++) {
      all.addAll(parts().get(i).flatten(values.get(i), path + step(i)));
    }
    return all.build();
  }

  private String wanted(@Nullable Object value) {
    return switch (this) {
      case Leaf _ ->
          value instanceof Number
                  || value instanceof Boolean
                  || (value != null && value.getClass().isArray())
              ? "a Literal: Literal.of(…)"
              : "a Literal";
      case None _ -> "PyTree.None.NONE";
      case Sequence sequence -> "a List of " + sequence.children.size() + ": " + this;
      case Dictionary dictionary -> "a Map with the keys " + dictionary.keys;
    };
  }

  private static HloException wrong(String path, @Nullable Object value, String wanted) {
    String got =
        switch (value) {
          case Literal literal -> literal.shape().toString();
          case List<?> list -> "a List of " + list.size();
          case Map<?, ?> map -> "a Map with the keys " + new ArrayList<>(map.keySet());
          case null -> "null";
          case None none -> "None";
          default -> value.getClass().getSimpleName();
        };
    return new HloException(ARGUMENT, "%s: got %s, want %s", path, got, wanted);
  }

  /**
   * Nests arrays in this form.
   *
   * @param leaves the arrays; as many as the form has leaves are taken from the iterator
   * @return a literal, or nested lists and maps
   */
  default Object unflatten(Iterator<Literal> leaves) {
    return switch (this) {
      case Leaf leaf -> leaves.next();
      case None none -> none;
      case Sequence sequence ->
          sequence.children.stream()
              .map(child -> child.unflatten(leaves))
              .collect(toImmutableList());
      case Dictionary dictionary -> {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < dictionary.keys.size(); i++) {
          map.put(dictionary.keys.get(i), dictionary.children.get(i).unflatten(leaves));
        }
        yield map;
      }
    };
  }
}
