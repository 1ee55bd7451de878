package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.AsyncChain;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.source.Errors;
import org.hlo4j.hlo.source.ParseException;

/** A parser of a whole text: a module, computations without a header, or a single instruction. */
final class ModuleParser {
  /** The word that begins a module, and so ends the one before. */
  static final String HEADER = "HloModule";

  private static final String LAYOUT = "entry_computation_layout";
  private static final ImmutableSet<String> TABLES =
      ImmutableSet.of("FileNames", "FunctionNames", "FileLocations", "StackFrames");

  private final Lexer text;
  private final Errors errors;
  private final Definitions definitions;
  private final Map<String, String> attributes = new LinkedHashMap<>();
  private Optional<HloComputation> entry = Optional.empty();
  private boolean entrySaid;

  ModuleParser(Lexer text, Errors errors) {
    this.text = text;
    this.errors = errors;
    this.definitions = new Definitions(errors);
  }

  static boolean headerIsNext(Lexer text) {
    return text.peekWord().equals(HEADER);
  }

  /** Reads the text; empty if something in it was refused and is among the errors. */
  Optional<HloModule> module() {
    if (text.acceptWord(HEADER)) {
      return moduleWithHeader();
    }
    return computationIsNext() ? headless() : Optional.of(singleInstruction());
  }

  private Optional<HloModule> moduleWithHeader() {
    String name = text.name("the name of the module");
    text.accept(":");
    int layoutPosition = header();
    String stackFrames = stackFrames();
    computations();
    if (entry.isPresent() && layoutPosition > 0) {
      checkLayout(layoutPosition, entry.get().programShape());
    }
    return entry.map(main ->
        AsyncChain.withThreads(
            HloModule.create(name, definitions.computations().all(), main)
                .withText(attributes, stackFrames)));
  }

  private Optional<HloModule> headless() {
    computations();
    return entry.map(main ->
        AsyncChain.withThreads(
            HloModule.create("module_" + main.name(), definitions.computations().all(), main)));
  }

  // The header.

  /**
   * Reads the header and keeps its attributes as text. Returns the position of the entry
   * computation layout, or 0.
   */
  private int header() {
    int layoutPosition = 0;
    while (text.accept(",")) {
      int at = text.skipBlanks();
      String name = text.name("the name of an attribute");
      text.expect("=", "= behind the attribute " + name);
      int start = text.skipBlanks();
      layoutPosition = name.equals(LAYOUT) ? start : layoutPosition;
      String value = text.value();
      KeptAttributes.checkHeader(name, at, text.part(start, text.position()));
      if (attributes.put(name, value) != null) {
        throw new ParseException(at, "got " + name + " twice, want it once");
      }
    }
    attributes.computeIfPresent(
        "frontend_attributes", (_, value) -> KeptAttributes.frontendAttributes(new Lexer(value)));
    return layoutPosition;
  }

  /** Returns the stack frame tables between header and computations as text. */
  private String stackFrames() {
    int start = text.skipBlanks();
    int end = start;
    while (TABLES.contains(text.peekWord())) {
      text.word();
      while (Lexer.isDigit(text.peek())) {
        text.integer("the number of a row");
        text.skipValue();
      }
      end = text.skipBlanks();
    }
    return text.substring(start, end).strip();
  }

  private void checkLayout(int position, ProgramShape want) {
    Lexer layout = text.part(position, position + attributes.getOrDefault(LAYOUT, "").length());
    ShapeParser shapes = new ShapeParser(layout);
    layout.expect("{", "{");
    layout.expect("(", "( and the shapes of the parameters");
    ImmutableList.Builder<Shape> parameters = ImmutableList.builder();
    if (!layout.accept(")")) {
      do {
        parameters.add(shapes.shape());
      } while (layout.accept(","));
      layout.expect(")", ", or )");
    }
    layout.expect("->", "-> and the shape of the result");
    ProgramShape got = new ProgramShape(parameters.build(), shapes.shape());
    layout.expect("}", "}");
    if (!got.compatible(want)) {
      throw new ParseException(
          position, "got " + LAYOUT + " " + got + ", want " + want + " as the entry");
    }
  }

  // The computations.

  private void computations() {
    while (!text.atEnd() && !text.peekWord().equals(HEADER)) {
      int start = text.position();
      boolean isEntry = text.acceptWord("ENTRY");
      if (isEntry && entrySaid) {
        throw new ParseException(start, "got a second ENTRY, want one at most");
      }
      entrySaid |= isEntry;
      Optional<HloComputation> computation = new ComputationParser(text, definitions).computation();
      entry = isEntry || !entrySaid ? computation : entry;
    }
    if (entry.isEmpty() && errors.isEmpty()) {
      throw text.wanted("a computation");
    }
  }

  /** Returns whether a computation comes next, rather than an instruction. */
  private boolean computationIsNext() {
    int start = text.skipBlanks();
    boolean computation = text.acceptWord("ENTRY") || isHeader();
    text.moveTo(start);
    return computation;
  }

  private boolean isHeader() {
    text.accept("%");
    if (text.word().isEmpty()) {
      return false;
    }
    if (text.peek() == '(') {
      text.skipBracketed();
      return text.accept("->");
    }
    return text.peek() == '{';
  }

  // A single instruction.

  private HloModule singleInstruction() {
    Scope<HloInstruction> instructions = new Scope<>("instruction");
    InstructionParser parser = new InstructionParser(text, definitions, instructions, true);
    text.acceptWord("ROOT");
    int at = text.skipBlanks();
    String name = nameIfAny();
    HloInstruction root = parser.instruction(name, text.place(at));
    text.expectEnd("the end of the instruction");
    HloComputation computation = HloComputation.create("entry_" + name, instructions.all(), root);
    definitions.computations().define(computation.name(), computation);
    return HloModule.create("module_" + name, definitions.computations().all(), computation);
  }

  /** Reads the name before the equals sign; returns the opcode if there is no name. */
  private String nameIfAny() {
    int start = text.skipBlanks();
    text.accept("%");
    String name = text.word();
    if (!name.isEmpty() && text.accept("=")) {
      return name;
    }
    text.moveTo(start);
    return "root";
  }
}
