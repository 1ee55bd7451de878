package org.hlo4j.stablehlo.jax;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
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

    private void addText(StringBuilder text) {
      String open = name.equals("list") ? "[" : name.equals("tuple") ? "(" : name + "(";
      text.append(open);
      for (int i = 0; i < children.size(); i++) {
        PyTree.addText(children.get(i), text.append(i == 0 ? "" : ", "));
      }
      text.append(name.equals("tuple") && children.size() == 1 ? "," : "");
      text.append(name.equals("list") ? ']' : ')');
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

    private void addText(StringBuilder text) {
      text.append('{');
      for (int i = 0; i < keys.size(); i++) {
        text.append(i == 0 ? "" : ", ").append('\'').append(keys.get(i)).append("': ");
        PyTree.addText(children.get(i), text);
      }
      text.append('}');
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
      case Sequence sequence -> sequence.addText(text);
      case Dictionary dictionary -> dictionary.addText(text);
    }
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
    switch (this) {
      case Leaf leaf -> all.add(prefix);
      case None none -> {}
      case Sequence sequence -> {
        for (int i = 0; i < sequence.children.size(); i++) {
          sequence.children.get(i).addLeaves(prefix + "[" + i + "]", all);
        }
      }
      case Dictionary dictionary -> {
        for (int i = 0; i < dictionary.children.size(); i++) {
          dictionary.children.get(i).addLeaves(prefix + "['" + dictionary.keys.get(i) + "']", all);
        }
      }
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
    return switch (this) {
      case Leaf leaf -> {
        if (value instanceof Literal literal) {
          yield ImmutableList.of(literal);
        }
        boolean isJava =
            value instanceof Number
                || value instanceof Boolean
                || (value != null && value.getClass().isArray());
        throw wrong(path, value, isJava ? "a Literal: Literal.of(…)" : "a Literal");
      }
      case None none -> {
        if (value == None.NONE) {
          yield ImmutableList.of();
        }
        throw wrong(path, value, "PyTree.None.NONE");
      }
      case Sequence sequence -> {
        if (value instanceof List<?> list && list.size() == sequence.children.size()) {
          ImmutableList.Builder<Literal> all = ImmutableList.builder();
          for (int i = 0; i < list.size(); i++) {
            all.addAll(sequence.children.get(i).flatten(list.get(i), path + "[" + i + "]"));
          }
          yield all.build();
        }
        throw wrong(path, value, "a List of " + sequence.children.size() + ": " + this);
      }
      case Dictionary dictionary -> {
        if (value instanceof Map<?, ?> map
            && map.keySet().equals(new java.util.HashSet<>(dictionary.keys))) {
          ImmutableList.Builder<Literal> all = ImmutableList.builder();
          for (int i = 0; i < dictionary.keys.size(); i++) {
            String key = dictionary.keys.get(i);
            all.addAll(dictionary.children.get(i).flatten(map.get(key), path + "['" + key + "']"));
          }
          yield all.build();
        }
        throw wrong(path, value, "a Map with the keys " + dictionary.keys);
      }
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
    return new HloException(HloException.Kind.ARGUMENT, path + ": got " + got + ", want " + wanted);
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
