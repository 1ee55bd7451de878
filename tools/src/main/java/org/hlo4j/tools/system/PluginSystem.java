package org.hlo4j.tools.system;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.nio.file.Path;
import java.util.List;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner.OtherSystem;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.pjrt.PjrtEvaluator;
import org.hlo4j.pjrt.PjrtException;

/** A plugin in a process of its own as the system that is compared. */
record PluginSystem(PjrtEvaluator evaluator) implements OtherSystem {
  /** Of a process that does not answer; other errors are of a module that no proto carries. */
  private static final ImmutableSet<HloException.Kind> BROKEN =
      Sets.immutableEnumSet(
          HloException.Kind.ENDED,
          HloException.Kind.LIMIT,
          HloException.Kind.INTERRUPTED,
          HloException.Kind.IO);

  @Override
  public Literal run(Program program) {
    return program.run(evaluator);
  }

  @Override
  public boolean takesText() {
    return true;
  }

  /** Returns whether it compiles a program; what hlo4j's parser refuses cannot be given to it. */
  @Override
  public boolean accepts(String hlo, List<Path> inputs) {
    HloModule module;
    try {
      module = Parser.parse(hlo);
    } catch (HloException unreadable) {
      throw new HloException(
          HloException.Kind.UNSUPPORTED, "hlo4j reads no such program: " + unreadable.summary());
    }
    try {
      evaluator.requireCompiles(module);
      return true;
    } catch (PjrtException refused) {
      return false;
    } catch (HloException other) {
      throw BROKEN.contains(other.kind())
          ? other
          : new HloException(HloException.Kind.UNSUPPORTED, other.summary());
    }
  }

  @Override
  public void close() {
    evaluator.close();
  }
}
