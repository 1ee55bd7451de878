package org.hlo4j.stablehlo.jax;

import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.ownership.HandedOut;
import org.jspecify.annotations.Nullable;

/**
 * The first positional arguments and some keyword arguments of an exported function, which are the
 * same in each call.
 *
 * @param export the function
 * @param first the first positional arguments
 * @param keywords the keyword arguments
 */
record BoundArguments(
    JaxExport export, ImmutableList<Object> first, ImmutableMap<String, Object> keywords) {
  private PyTree.Sequence positionalTree() {
    return (PyTree.Sequence) ((PyTree.Sequence) export.inTree()).children().get(0);
  }

  private PyTree.Dictionary keywordTree() {
    return (PyTree.Dictionary) ((PyTree.Sequence) export.inTree()).children().get(1);
  }

  /**
   * Returns these arguments and more.
   *
   * @throws org.hlo4j.hlo.HloException if there are too many, a keyword is unknown or bound
   *     already, or an argument does not have the form of the function's
   */
  BoundArguments and(@Nullable List<?> more, @Nullable Map<String, ?> named) {
    require(more != null, Kind.ARGUMENT, "bind: arguments got null, want a list");
    require(named != null, Kind.ARGUMENT, "bind: keywords got null, want a map");
    List<?> added = requireNonNull(more);
    ImmutableList<PyTree> trees = positionalTree().children();
    int open = trees.size() - first.size();
    require(
        added.size() <= open,
        Kind.ARGUMENT,
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
    return new BoundArguments(export, all.build(), allNamed.buildOrThrow());
  }

  private PyTree keywordTree(String name) {
    PyTree.Dictionary all = keywordTree();
    List<String> open = all.keys().stream().filter(key -> !keywords.containsKey(key)).toList();
    require(
        open.contains(name),
        Kind.ARGUMENT,
        "bind: got the keyword %s, want some of %s, which are not bound",
        name,
        open);
    return all.children().get(all.keys().indexOf(name));
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
    named
        .keySet()
        .forEach(name ->
            require(
                !keywords.containsKey(name),
                Kind.ARGUMENT,
                "call: got the keyword %s, which is bound",
                name));
    List<Object> positional = new ArrayList<>(first);
    positional.addAll(others);
    Map<String, Object> all = new LinkedHashMap<>(named);
    all.putAll(keywords);
    return export.call(positional, all, "cpu");
  }

  /** Returns the numbers of the function's inputs that are bound. */
  BitSet inputs() {
    BitSet inputs = new BitSet();
    int next = 0;
    for (int i = 0; i < positionalTree().children().size(); i++) {
      int end = next + positionalTree().children().get(i).leafCount();
      inputs.set(next, end, i < first.size());
      next = end;
    }
    for (int i = 0; i < keywordTree().keys().size(); i++) {
      int end = next + keywordTree().children().get(i).leafCount();
      inputs.set(next, end, keywords.containsKey(keywordTree().keys().get(i)));
      next = end;
    }
    return inputs;
  }
}
