package org.hlo4j.interpreter.compiled.expr;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Writes the code of formulas: each node once, its value kept for who uses it next. What a node is,
 * and what is given, the caller says; so loops of any kind can use it.
 *
 * @param <N> the nodes
 */
public final class Expressions<N> {
  private final CodeEmitter emitter;
  private final Function<? super N, Term<N>> terms;
  private final Function<? super N, Value> given;
  private final BiFunction<? super N, Value, Value> finish;
  private final Map<N, Value> values = new HashMap<>();

  /**
   * A writer.
   *
   * @param emitter where to write
   * @param terms says what nodes are
   * @param given writes the code of a node that is given
   */
  public Expressions(
      CodeEmitter emitter, Function<? super N, Term<N>> terms, Function<? super N, Value> given) {
    this(emitter, terms, given, (_, value) -> value);
  }

  /**
   * A writer.
   *
   * @param emitter where to write
   * @param terms says what nodes are
   * @param given writes the code of a node that is given
   * @param finish writes what else becomes of the value of an op
   */
  public Expressions(
      CodeEmitter emitter,
      Function<? super N, Term<N>> terms,
      Function<? super N, Value> given,
      BiFunction<? super N, Value, Value> finish) {
    this.emitter = emitter;
    this.terms = terms;
    this.given = given;
    this.finish = finish;
  }

  /** A value that is known already, such as that of an earlier stage. */
  public void put(N node, Value value) {
    values.put(node, value);
  }

  /** {@return the value of a node} */
  public Value value(N node) {
    Value known = values.get(node);
    if (known == null) {
      known =
          switch (terms.apply(node)) {
            case Term.Given<N> _ -> given.apply(node);
            case Term.Fixed<N> fixed -> emitter.constant(fixed.scalar());
            case Term.Applied<N> applied -> finish.apply(node, applied(applied));
          };
      values.put(node, known);
    }
    return known;
  }

  private Value applied(Term.Applied<N> applied) {
    ImmutableList.Builder<Value> operands = ImmutableList.builder();
    applied.operands().forEach(operand -> operands.add(value(operand)));
    return applied.write(emitter, operands.build());
  }
}
