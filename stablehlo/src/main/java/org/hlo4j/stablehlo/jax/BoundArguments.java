package org.hlo4j.stablehlo.jax;

import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ownership.HandedOut;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of an exported function that are the same in each call.
 *
 * @param export the function
 * @param first the first positional arguments
 * @param keywords some keyword arguments
 * @param flat arrays of other arguments, by their index in {@link JaxExport#inputs}
 * @param arrays the arrays of all of these
 */
record BoundArguments(
    JaxExport export,
    ImmutableList<Object> first,
    ImmutableMap<String, Object> keywords,
    ImmutableSortedMap<Integer, Literal> flat,
    ImmutableSortedMap<Integer, Literal> arrays) {
  BoundArguments(
      JaxExport export,
      ImmutableList<Object> first,
      ImmutableMap<String, Object> keywords,
      ImmutableSortedMap<Integer, Literal> flat) {
    this(export, first, keywords, flat, arrays(export, first, keywords, flat));
  }

  static BoundArguments none(JaxExport export) {
    return new BoundArguments(
        export, ImmutableList.of(), ImmutableMap.of(), ImmutableSortedMap.of());
  }

  private static PyTree.Sequence positionalTree(JaxExport export) {
    return (PyTree.Sequence) ((PyTree.Sequence) export.inTree()).children().get(0);
  }

  private static PyTree.Dictionary keywordTree(JaxExport export) {
    return (PyTree.Dictionary) ((PyTree.Sequence) export.inTree()).children().get(1);
  }

  /**
   * Returns these arguments and more.
   *
   * @throws org.hlo4j.hlo.HloException if there are too many, a keyword is unknown or bound
   *     already, or an argument does not have the form of the function's
   */
  BoundArguments and(@Nullable List<?> more, @Nullable Map<String, ?> named) {
    require(more != null, ARGUMENT, "bind: the list of arguments is null");
    require(named != null, ARGUMENT, "bind: the map of keywords is null");
    requireTree("bind");
    List<?> added = requireNonNull(more);
    ImmutableList<PyTree> trees = positionalTree(export).children();
    int open = trees.size() - first.size();
    require(
        added.size() <= open,
        ARGUMENT,
        "bind: got %s positional arguments, want at most %s: %s",
        added.size(),
        open,
        export);
    ImmutableList.Builder<Object> all = ImmutableList.<Object>builder().addAll(first);
    for (int i = 0; i < added.size(); i++) {
      int number = first.size() + i;
      all.add(copy(trees.get(number), added.get(i), "args[" + number + "]"));
    }
    ImmutableMap.Builder<String, Object> allNamed =
        ImmutableMap.<String, Object>builder().putAll(keywords);
    requireNonNull(named)
        .forEach((name, value) ->
            allNamed.put(name, copy(keywordTree(name), value, "kwargs['" + name + "']")));
    return new BoundArguments(export, all.build(), allNamed.buildOrThrow(), flat);
  }

  /**
   * Returns these arguments and arrays of others.
   *
   * @throws org.hlo4j.hlo.HloException if there is no such input, or it is bound already
   */
  BoundArguments andFlat(Map<Integer, Literal> more) {
    Map<Integer, Literal> all = new TreeMap<>(flat);
    more.forEach((input, array) -> {
      require(
          input >= 0 && input < export.inputs().size() && !arrays.containsKey(input),
          ARGUMENT,
          "bindFlat: got input %s, want one of %s that is not bound",
          input,
          export);
      all.put(input, HandedOut.note(array));
    });
    return new BoundArguments(export, first, keywords, ImmutableSortedMap.copyOf(all));
  }

  private PyTree keywordTree(String name) {
    PyTree.Dictionary all = keywordTree(export);
    List<String> open = all.keys().stream().filter(key -> !keywords.containsKey(key)).toList();
    require(
        open.contains(name),
        ARGUMENT,
        "bind: got the keyword %s, want some of %s, which are not bound",
        name,
        open);
    return all.children().get(all.keys().indexOf(name));
  }

  private void requireTree(String method) {
    require(
        flat.isEmpty(),
        ARGUMENT,
        "%s: got arguments of %s, want %sFlat, for bindFlat bound some",
        method,
        export,
        method);
  }

  /**
   * Returns an argument in lists and maps that nobody changes, and of arrays that no run writes to;
   * refuses one of another form.
   */
  private static Object copy(PyTree tree, @Nullable Object value, String path) {
    return tree.unflatten(tree.flatten(value, path).stream().map(HandedOut::note).iterator());
  }

  /** Returns the call with these arguments and all others; refused if one is there twice. */
  JaxCall call(List<?> others, Map<String, ?> named) {
    requireTree("call");
    named
        .keySet()
        .forEach(name ->
            require(
                !keywords.containsKey(name),
                ARGUMENT,
                "call: got the keyword %s, which is bound",
                name));
    List<Object> positional = new ArrayList<>(first);
    positional.addAll(others);
    Map<String, Object> all = new LinkedHashMap<>(named);
    all.putAll(keywords);
    return export.call(positional, all, "cpu");
  }

  /** Returns the call with these arguments and the arrays of all others, in their order. */
  JaxCall callFlat(List<Literal> others) {
    int inputs = export.inputs().size();
    require(
        arrays.size() + others.size() == inputs,
        ARGUMENT,
        "callFlat: got %s arrays, want %s for those inputs of %s that are not bound",
        others.size(),
        inputs - arrays.size(),
        export);
    Iterator<Literal> next = others.iterator();
    List<Literal> all = new ArrayList<>();
    for (int i = 0; i < inputs; i++) {
      all.add(arrays.containsKey(i) ? requireNonNull(arrays.get(i)) : next.next());
    }
    return export.callFlat(all, "cpu");
  }

  private static ImmutableSortedMap<Integer, Literal> arrays(
      JaxExport export,
      ImmutableList<Object> first,
      ImmutableMap<String, Object> keywords,
      Map<Integer, Literal> flat) {
    Map<Integer, Literal> arrays = new TreeMap<>(flat);
    List<PyTree> positional = positionalTree(export).children();
    int next = 0;
    for (int i = 0; i < positional.size(); i++) {
      next = put(arrays, next, positional.get(i), i < first.size() ? first.get(i) : null);
    }
    PyTree.Dictionary named = keywordTree(export);
    for (int i = 0; i < named.keys().size(); i++) {
      next = put(arrays, next, named.children().get(i), keywords.get(named.keys().get(i)));
    }
    return ImmutableSortedMap.copyOf(arrays);
  }

  /** Adds the arrays of an argument, if it is bound, and returns the number of the next input. */
  private static int put(
      Map<Integer, Literal> arrays, int from, PyTree tree, @Nullable Object value) {
    if (value == null) {
      return from + tree.leafCount();
    }
    int next = from;
    for (Literal array : tree.flatten(value, "")) {
      arrays.put(next++, array);
    }
    return next;
  }
}
