package org.hlo4j.tools.graph;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A topological order of instructions that keeps scopes together as far as possible. If scopes are
 * divided into stretches of this order, no two stretches depend on each other mutually.
 *
 * <p>The next instruction is taken from the innermost scope around the previous instruction that
 * has ready instructions. The first one of that scope itself is preferred, since others may depend
 * on it; otherwise it is the first one of its inner scopes.
 */
final class GraphOrder {
  /** A scope, with its own ready instructions and those of the scopes within it. */
  private static final class Scope {
    private final @Nullable Scope parent;
    private final Map<String, Scope> inner = new HashMap<>();
    private final TreeSet<Integer> ready = new TreeSet<>();
    private final TreeSet<Integer> own = new TreeSet<>();

    Scope(@Nullable Scope parent) {
      this.parent = parent;
    }
  }

  private final List<Scope> scopes = new ArrayList<>();
  private final Scope root = new Scope(null);

  private GraphOrder(List<ImmutableList<String>> paths) {
    for (ImmutableList<String> path : paths) {
      Scope scope = root;
      for (String part : path) {
        Scope outer = scope;
        scope = scope.inner.computeIfAbsent(part, _ -> new Scope(outer));
      }
      scopes.add(scope);
    }
  }

  /** Returns the order of all instructions. */
  static ImmutableList<Integer> of(
      List<ImmutableList<String>> paths, List<? extends List<Integer>> users) {
    return new GraphOrder(paths).order(users);
  }

  private ImmutableList<Integer> order(List<? extends List<Integer>> users) {
    int[] waiting = new int[users.size()];
    users.forEach(all -> all.forEach(user -> waiting[user]++));
    for (int i = 0; i < waiting.length; i++) {
      if (waiting[i] == 0) {
        setReady(i);
      }
    }
    ImmutableList.Builder<Integer> order = ImmutableList.builder();
    Scope scope = root;
    while (!root.ready.isEmpty()) {
      int next = nextFrom(scope);
      scope = scopes.get(next);
      order.add(next);
      for (int user : users.get(next)) {
        if (--waiting[user] == 0) {
          setReady(user);
        }
      }
    }
    return order.build();
  }

  private void setReady(int instruction) {
    scopes.get(instruction).own.add(instruction);
    for (Scope scope = scopes.get(instruction); scope != null; scope = scope.parent) {
      scope.ready.add(instruction);
    }
  }

  private int nextFrom(Scope current) {
    Scope from = current;
    while (from.ready.isEmpty() && from.parent != null) {
      from = from.parent;
    }
    int next = from.own.isEmpty() ? from.ready.first() : from.own.first();
    scopes.get(next).own.remove(next);
    for (Scope scope = scopes.get(next); scope != null; scope = scope.parent) {
      scope.ready.remove(next);
    }
    return next;
  }
}
