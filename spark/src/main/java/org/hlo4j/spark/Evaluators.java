package org.hlo4j.spark;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.pjrt.PjrtClient;
import org.hlo4j.pjrt.PjrtExecutable;
import org.hlo4j.pjrt.PjrtOptions;
import org.hlo4j.pjrt.PjrtPlugin;
import scala.runtime.AbstractFunction1;

/** Evaluators by name. */
final class Evaluators {
  static final String COMPILED = "compiled";
  private static final String REFERENCE = "reference";
  private static final String PJRT = "pjrt:";

  private Evaluators() {}

  /** Whether there is such a name, as params ask. */
  static final class Names extends AbstractFunction1<String, Object> implements Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public Object apply(String name) {
      return name.equals(COMPILED) || name.equals(REFERENCE) || name.matches(PJRT + ".+");
    }
  }

  /** Returns what compiles modules for the evaluator of a name. */
  static Function<HloModule, Function<Literal[], Literal>> of(String name, int threads) {
    if (name.startsWith(PJRT)) {
      try {
        return Plugins.client(name.substring(PJRT.length()));
      } catch (NoClassDefFoundError absent) {
        throw new HloException(
            Kind.UNSUPPORTED,
            "evaluator: got " + name + " without hlo4j-pjrt, want its jar on the class path");
      }
    }
    EvaluatorOptions options = EvaluatorOptions.builder().threads(threads).build();
    Evaluator evaluator =
        name.equals(REFERENCE) ? Interpreter.reference(options) : Interpreter.compiled(options);
    return module -> evaluator.compile(module)::run;
  }

  /** The plugins of this JVM, in a class of its own: hlo4j-pjrt may be absent. */
  private static final class Plugins {
    private static final Map<String, PjrtClient> CLIENTS = new ConcurrentHashMap<>();

    static Function<HloModule, Function<Literal[], Literal>> client(String plugin) {
      PjrtClient client =
          CLIENTS.computeIfAbsent(
              plugin, name -> PjrtPlugin.load(PjrtPlugin.locate(name)).client(PjrtOptions.DEFAULT));
      return module -> program(client.compile(module), module);
    }

    private static Function<Literal[], Literal> program(
        PjrtExecutable executable, HloModule module) {
      boolean isTuple = module.entry().root().shape() instanceof Shape.Tuple;
      return arguments -> {
        List<Literal> results = executable.run(arguments);
        return isTuple ? Literal.tuple(results) : results.get(0);
      };
    }
  }
}
