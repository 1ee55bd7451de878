package org.hlo4j.interpreter.compiled.expr;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Writes the code of expression graphs. The code of a node is written once, and its value is kept
 * for later uses. The caller supplies the terms of the nodes and the values of the inputs, so that
 * loops of any kind can use this class.
 *
 * @param <N> the type of the nodes
 */
public final class Expressions<N> {
  private final CodeEmitter emitter;
  private final Function<? super N, Term<N>> terms;
  private final Function<? super N, Value> inputWriter;
  private final BiFunction<? super N, Value, Value> postprocessor;
  private final Map<N, Value> values = new HashMap<>();

  /**
   * Creates a writer.
   *
   * @param emitter the emitter of the code
   * @param terms gives the term of a node
   * @param given writes the code of an input node
   */
  public Expressions(
      CodeEmitter emitter, Function<? super N, Term<N>> terms, Function<? super N, Value> given) {
    this(emitter, terms, given, (_, value) -> value);
  }

  /**
   * Creates a writer.
   *
   * @param emitter the emitter of the code
   * @param terms gives the term of a node
   * @param given writes the code of an input node
   * @param finish postprocesses the value of an op, such as to replace its NaNs
   */
  public Expressions(
      CodeEmitter emitter,
      Function<? super N, Term<N>> terms,
      Function<? super N, Value> given,
      BiFunction<? super N, Value, Value> finish) {
    this.emitter = emitter;
    this.terms = terms;
    this.inputWriter = given;
    this.postprocessor = finish;
  }

  /** Sets the value of a node that is known already, such as a value from an earlier stage. */
  public void put(N node, Value value) {
    values.put(node, value);
  }

  /** {@return the value of a node} Writes its code if necessary. */
  public Value value(N node) {
    Value known = values.get(node);
    if (known == null) {
      known =
          switch (terms.apply(node)) {
            case Term.Input<N> _ -> inputWriter.apply(node);
            case Term.Fixed<N> fixed -> emitter.constant(fixed.scalar());
            case Term.Applied<N> applied -> postprocessor.apply(node, applied(applied));
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
