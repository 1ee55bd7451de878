package org.hlo4j.interpreter.compiled.expr;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hlo4j.interpreter.compiled.codegen.Lane;

/**
 * An expression graph: some results, and all nodes that they are computed from.
 *
 * @param <N> the type of the nodes
 */
public final class Formula<N> {
  private final ImmutableMap<N, Term<N>> terms;
  private final ImmutableList<N> results;

  /**
   * Creates an expression graph.
   *
   * @param given the nodes that are inputs, used or not
   * @param results the nodes that are computed
   * @param terms gives the term of a node
   */
  public Formula(
      Collection<? extends N> given,
      Collection<? extends N> results,
      Function<? super N, Term<N>> terms) {
    Map<N, Term<N>> all = new LinkedHashMap<>();
    given.forEach(node -> all.put(node, terms.apply(node)));
    results.forEach(result -> collect(result, terms, all));
    this.terms = ImmutableMap.copyOf(all);
    this.results = ImmutableList.copyOf(results);
  }

  private static <N> void collect(N node, Function<? super N, Term<N>> terms, Map<N, Term<N>> all) {
    if (all.containsKey(node)) {
      return;
    }
    Term<N> term = terms.apply(node);
    if (term instanceof Term.Applied<N> applied) {
      applied.operands().forEach(operand -> collect(operand, terms, all));
    }
    all.put(node, term); // after its operands
  }

  /** {@return the terms of all nodes; each node comes after its operands} */
  public ImmutableMap<N, Term<N>> terms() {
    return terms;
  }

  /** {@return the nodes that are computed} */
  public ImmutableList<N> results() {
    return results;
  }

  /** {@return the terms that apply an op} */
  public Stream<Term.Applied<N>> applied() {
    return terms.values().stream()
        .filter(Term.Applied.class::isInstance)
        .map(term -> (Term.Applied<N>) term);
  }

  /** {@return whether all of it has code} */
  public boolean isSupported() {
    return terms.values().stream().noneMatch(term -> term.type().isComplex())
        && applied().allMatch(each -> each.traits().isSupported());
  }

  /** {@return whether all of it has a vector form} */
  public boolean isVectorizable() {
    return applied().allMatch(each -> each.traits().isVectorizable());
  }

  /** {@return the number of bits of the widest lane in it} */
  public int widestBits() {
    int carried =
        terms.values().stream().mapToInt(term -> Lane.of(term.type()).bits()).max().orElse(0);
    int used = applied().mapToInt(each -> each.traits().widestBits()).max().orElse(0);
    return Math.max(carried, used);
  }

  /**
   * {@return a key that is equal for formulas that can share the same code}
   *
   * @param given gives the part of the key for an input: where the code finds it
   */
  public List<Object> structure(Function<? super N, String> given) {
    Map<N, Integer> numbers = new HashMap<>();
    List<Object> all = new ArrayList<>();
    terms.forEach((node, term) -> {
      all.add(term.type());
      switch (term) {
        case Term.Input<N> _ -> all.add(given.apply(node));
        case Term.Fixed<N> fixed -> all.add(fixed.scalar().bitsAt(0));
        case Term.Applied<N> applied -> {
          all.add(applied.op());
          all.add(applied.isAtMostZero());
          all.add(applied.operands().stream().map(numbers::get).toList());
        }
      }
      numbers.put(node, numbers.size());
    });
    all.add(results.stream().map(numbers::get).toList());
    return all;
  }
}
