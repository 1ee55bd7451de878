package org.hlo4j.hlo.text;

import java.util.Optional;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.source.Errors;
import org.hlo4j.hlo.source.ParseException;

/**
 * A parser of one computation: {@code name (parameters) -> shape { instructions }}, with an
 * optional signature. After an error in an instruction it continues with the next one.
 */
final class ComputationParser {
  /** The largest nesting depth of computations that are written inside others. */
  static final int MAX_NESTED = 200;

  private final Lexer text;
  private final Definitions definitions;
  private final Errors errors;
  private final Scope<HloInstruction> instructions = new Scope<>("instruction");
  private Optional<HloInstruction> root = Optional.empty();
  private boolean rootSaid;
  private boolean broken;

  ComputationParser(Lexer text, Definitions definitions) {
    this.text = text;
    this.definitions = definitions;
    this.errors = definitions.errors();
  }

  /** Reads and defines the computation; empty if something in it was refused. */
  Optional<HloComputation> computation() {
    Scope<HloComputation> computations = definitions.computations();
    int start = text.skipBlanks();
    String name = text.name("a computation");
    computations.requireNew(name, start);
    computations.reserve(name);
    Optional<Shape> result = signature();
    Optional<HloComputation> computation = body(name, start);
    if (computation.isEmpty()) {
      computations.markBroken(name);
      return Optional.empty();
    }
    checkResult(start, name, result, computation.get().root());
    computations.define(name, computation.get());
    return computation;
  }

  /** Reads what is in braces, without defining it; empty if something in it was refused. */
  Optional<HloComputation> body(String name, int start) {
    text.expect("{", "{ and the instructions of " + name);
    instructions();
    String thread = executionThread();
    checkParameters(start, name);
    return broken
        ? Optional.empty()
        : root.map(result ->
            HloComputation.create(name, instructions.all(), result, thread)
                .withPosition(text.place(start)));
  }

  /**
   * Returns the result shape of the signature, if there is one. The parameters are skipped, because
   * their instructions declare them.
   */
  private Optional<Shape> signature() {
    if (!text.accept("(")) {
      return Optional.empty();
    }
    if (!text.accept(")")) {
      do {
        String parameter = text.name("the name of a parameter");
        text.accept(":");
        if (!ShapeParser.isNext(text)) {
          throw text.wanted(": and the shape of " + parameter);
        }
        shape();
      } while (text.accept(","));
      text.expect(")", ", or )");
    }
    text.expect("->", "-> and the shape of the result");
    return Optional.of(shape());
  }

  private Shape shape() {
    return new ShapeParser(text).shape();
  }

  /**
   * Reads an execution thread, if there is one. A comma without it belongs to the enclosing text.
   */
  private String executionThread() {
    int start = text.position();
    if (!text.accept(",") || !text.acceptWord("execution_thread")) {
      text.moveTo(start);
      return "";
    }
    text.expect("=", "=");
    return text.string("the name of a thread in quotes");
  }

  // The body.

  private void instructions() {
    InstructionParser parser = new InstructionParser(text, definitions, instructions, false);
    int start = text.position();
    while (!text.accept("}")) {
      if (text.atEnd()) {
        errors.add(text.wanted("}"));
        broken = true;
        return;
      }
      if (!instructionOrRecovery(parser)) {
        return;
      }
    }
    if (instructions.isEmpty() && !broken) {
      throw new ParseException(start, "got no instructions, want at least one");
    }
  }

  /** Reads an instruction, or recovers from an error; returns whether the body continues. */
  private boolean instructionOrRecovery(InstructionParser parser) {
    int start = text.position();
    try {
      instruction(parser);
      return true;
    } catch (ParseException error) {
      broken = true;
      errors.add(error);
      text.moveTo(start);
      text.acceptWord("ROOT");
      text.accept("%");
      instructions.markBroken(text.word());
      int name = text.position();
      text.moveTo(start);
      skipInstruction();
      text.moveTo(Math.max(Math.max(error.position(), text.position()), name));
      return goToNext();
    }
  }

  /** Skips the lines of an instruction, if its brackets are balanced. */
  private void skipInstruction() {
    int start = text.position();
    try {
      text.skipValue();
      while (text.here() == ',') {
        text.moveTo(text.position() + 1);
        text.skipValue();
      }
    } catch (ParseException unbalanced) {
      text.moveTo(start);
    }
  }

  private void instruction(InstructionParser parser) {
    int start = text.skipBlanks();
    boolean isRoot = text.acceptWord("ROOT");
    if (isRoot && rootSaid) {
      throw new ParseException(start, "got a second ROOT, want one at most");
    }
    rootSaid |= isRoot;
    int at = text.skipBlanks();
    String name = text.name("an instruction or }");
    instructions.requireNew(name, at);
    text.expect("=", "= behind the name of the instruction");
    HloInstruction instruction = parser.instruction(name, text.place(at));
    if (isRoot || !rootSaid) {
      root = Optional.of(instruction);
    }
  }

  /** Skips to the next line that looks like an instruction or closes the body. */
  private boolean goToNext() {
    while (true) {
      text.skipLine();
      int start = text.skipBlanks();
      if (text.here() == '}') {
        return true;
      }
      if (text.here() == 0 || text.acceptWord("ENTRY") || text.acceptWord(ModuleParser.HEADER)) {
        text.moveTo(start);
        return false;
      }
      text.acceptWord("ROOT");
      text.accept("%");
      boolean instruction = !text.word().isEmpty() && text.accept("=");
      text.moveTo(start);
      if (instruction) {
        return true;
      }
    }
  }

  private void checkParameters(int at, String name) {
    boolean[] seen = new boolean[instructions.all().size()];
    for (HloInstruction instruction : instructions.all()) {
      if (instruction.op() instanceof Parameter parameter && parameter.number() < seen.length) {
        int number = parameter.number();
        if (seen[number]) {
          broken = true;
          errors.add(
              new ParseException(
                  at, "got two parameters " + number + " in " + name + ", want one"));
        }
        seen[number] = true;
      }
    }
  }

  private static void checkResult(
      int at, String name, Optional<Shape> result, HloInstruction root) {
    if (result.isPresent() && !result.get().compatible(root.shape())) {
      throw new ParseException(
          at,
          "got "
              + result.get()
              + " as the result of "
              + name
              + ", want "
              + root.shape()
              + " as its root "
              + root.name());
    }
  }
}
