package org.hlo4j.interpreter.compiled.passes;

import com.google.common.base.Splitter;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;

/** Applies passes to HLO text, and returns text without layouts and indentation. */
final class Rewrites {
  private static final PrintOptions PLAIN =
      PrintOptions.SHORT_PARSABLE.without(PrintOptions.Part.LAYOUTS);

  private Rewrites() {}

  /** {@return the body of the entry after a pass and the removal of dead code} */
  static String entry(Pass pass, String body) {
    return entry(pass, "", body);
  }

  /** {@return the same for a module with other computations before the entry} */
  static String entry(Pass pass, String computations, String body) {
    String text = text(pass, computations, body);
    String after = text.substring(text.indexOf("ENTRY"));
    return lines(after.substring(after.indexOf('\n'), after.lastIndexOf('}')));
  }

  /** {@return all computations after a pass and the removal of dead code} */
  static String text(Pass pass, String computations, String body) {
    HloModule module = module(computations, body);
    Verifier.lenient().verify(module);
    Session session = new Session(module);
    HloModule after = new DeadCode().run(pass.run(module, session), session);
    Verifier.lenient().verify(after);
    String text = Printer.print(after, PLAIN);
    return text.substring(text.indexOf("\n\n") + 2);
  }

  static HloModule module(String computations, String body) {
    return Parser.parse(
        "HloModule test\n\n" + computations + "\n\nENTRY entry {\n" + body + "\n}\n");
  }

  /** {@return the lines of a text that are not blank, each without the blanks around it} */
  static String lines(String text) {
    return StreamSupport.stream(Splitter.on('\n').split(text).spliterator(), false)
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /** {@return the opcodes of the entry, sorted, without parameters and constants} */
  static String ops(HloModule module) {
    Set<String> ops =
        module.entry().instructions().stream()
            .map(instruction -> instruction.op().opcode())
            .filter(opcode -> !opcode.equals("parameter") && !opcode.equals("constant"))
            .collect(Collectors.toCollection(TreeSet::new));
    return String.join(" ", ops);
  }
}
