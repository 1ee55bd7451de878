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
 * Values, and all that they are computed from.
 *
 * @param <N> the nodes
 */
public final class Formula<N> {
  private final ImmutableMap<N, Term<N>> terms;
  private final ImmutableList<N> results;

  /**
   * A formula.
   *
   * @param given nodes that are its parameters, used or not
   * @param results what it computes
   * @param terms says what nodes are
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
    all.put(node, term); // behind its operands
  }

  /** {@return all nodes, each behind its operands, and what they are} */
  public ImmutableMap<N, Term<N>> terms() {
    return terms;
  }

  /** {@return what it computes} */
  public ImmutableList<N> results() {
    return results;
  }

  /** {@return the ops} */
  public Stream<Term.Applied<N>> applied() {
    return terms.values().stream()
        .filter(Term.Applied.class::isInstance)
        .map(term -> (Term.Applied<N>) term);
  }

  /** {@return whether there is code for all of it} */
  public boolean isSupported() {
    return terms.values().stream().noneMatch(term -> term.type().isComplex())
        && applied().allMatch(each -> each.traits().isSupported());
  }

  /** {@return whether vectors can do all of it} */
  public boolean isVector() {
    return applied().allMatch(each -> each.traits().isVector());
  }

  /** {@return bits of the widest lane in it} */
  public int widestBits() {
    int carried =
        terms.values().stream().mapToInt(term -> Lane.of(term.type()).bits()).max().orElse(0);
    int used = applied().mapToInt(each -> each.traits().widestBits()).max().orElse(0);
    return Math.max(carried, used);
  }

  /**
   * {@return what two formulas share if the same code does for both}
   *
   * @param given says the same of a node that is given, where it is found
   */
  public List<Object> structure(Function<? super N, String> given) {
    Map<N, Integer> numbers = new HashMap<>();
    List<Object> all = new ArrayList<>();
    terms.forEach((node, term) -> {
      all.add(term.type());
      switch (term) {
        case Term.Given<N> _ -> all.add(given.apply(node));
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
