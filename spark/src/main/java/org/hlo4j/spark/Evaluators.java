package org.hlo4j.spark;

import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.pjrt.Pjrt;
import org.hlo4j.pjrt.PjrtPlugin;
import scala.Function1;

/** Evaluators by name. */
final class Evaluators {
  static final String COMPILED = "compiled";
  private static final String REFERENCE = "reference";
  private static final String PJRT = "pjrt:";

  private Evaluators() {}

  /** Whether there is such a name. */
  static final IsName IS_NAME =
      name -> name.equals(COMPILED) || name.equals(REFERENCE) || name.matches(PJRT + ".+");

  /** What a param asks of a value. */
  interface IsName extends Function1<String, Object>, Serializable {}

  /** Returns the evaluator of a name. */
  static Evaluator of(String name, int threads) {
    EvaluatorOptions options = EvaluatorOptions.builder().threads(threads).build();
    try {
      return switch (name) {
        case COMPILED -> Interpreter.compiled(options);
        case REFERENCE -> Interpreter.reference(options);
        default -> Plugins.of(name.substring(PJRT.length()));
      };
    } catch (NoClassDefFoundError absent) {
      throw new HloException(
          Kind.UNSUPPORTED,
          "evaluator: got " + name + " without hlo4j-pjrt, want its jar on the class path");
    }
  }

  /** The plugins of this JVM, in a class of its own: hlo4j-pjrt may be absent. */
  private static final class Plugins {
    private static final Map<String, Evaluator> EVALUATORS = new ConcurrentHashMap<>();

    static Evaluator of(String plugin) {
      return EVALUATORS.computeIfAbsent(
          plugin, name -> Pjrt.evaluator(PjrtPlugin.load(PjrtPlugin.locate(name)).client()));
    }
  }
}
