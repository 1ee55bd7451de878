package org.hlo4j.hlo.text;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.source.Errors;
import org.hlo4j.hlo.source.ParseException;

/** The computations and names that a text has defined so far. */
final class Definitions {
  private final Errors errors;
  private final Scope<HloComputation> computations = new Scope<>("computation");
  private final UniqueNames instructionNames = new UniqueNames();
  private final Structures structures = new Structures();

  /** The computations by structure number. */
  private final Map<Integer, List<HloComputation>> alike = new HashMap<>();

  private final Map<Integer, Integer> asked = new HashMap<>();
  private final List<Integer> asking = new ArrayList<>();
  private int sorted;
  private int depth;

  Definitions(Errors errors) {
    this.errors = errors;
  }

  Errors errors() {
    return errors;
  }

  Scope<HloComputation> computations() {
    return computations;
  }

  /**
   * Returns the name of an instruction in the module: its name in its computation if that is
   * unique.
   */
  String unique(String instructionName) {
    return instructionNames.take(instructionName);
  }

  boolean areAlike(HloComputation one, HloComputation other) {
    return structures.of(one) == structures.of(other);
  }

  /** Reads a called computation, given by its name, or by its body in place of the name. */
  HloComputation callee(Lexer text) {
    int start = text.skipBlanks();
    return text.here() == '{'
        ? known(() -> body(text))
        : computations.get(text.name("the name of a computation, or {"), start);
  }

  /** Reads a computation whose body is written where it is called. */
  private HloComputation body(Lexer text) {
    int start = text.skipBlanks();
    if (depth == ComputationParser.MAX_NESTED) {
      throw new ParseException(
          start,
          "got computations nested more than "
              + ComputationParser.MAX_NESTED
              + " deep, want fewer");
    }
    String name = computations.unique("_");
    computations.reserve(name);
    depth++;
    try {
      return new ComputationParser(text, this)
          .body(name, start)
          .orElseThrow(() -> ParseException.told(start));
    } finally {
      depth--;
      computations.release(name);
    }
  }

  /** Reads a body that is only compared, and discards it. */
  HloComputation compared(Lexer text) {
    int mark = asking.size();
    int names = instructionNames.mark();
    HloComputation body = body(text);
    forget(mark);
    instructionNames.release(names);
    return body;
  }

  /**
   * Returns the computation defined above that equals this body: the canonical form writes it both
   * there and here. If there are several, each is used once before the last is used again. If there
   * is none, the body is a new definition.
   */
  private HloComputation known(Supplier<HloComputation> read) {
    int mark = asking.size();
    int names = instructionNames.mark();
    HloComputation body = read.get();
    sortAll();
    int structure = structures.of(body);
    List<HloComputation> known = alike.get(structure);
    if (known == null) {
      computations.define(body.name(), body);
      return body;
    }
    forget(mark);
    instructionNames.release(names);
    int number = asked.merge(structure, 1, Integer::sum) - 1;
    asking.add(structure);
    return known.get(Math.min(number, known.size() - 1));
  }

  private void sortAll() {
    List<HloComputation> all = computations.all();
    for (; sorted < all.size(); sorted++) {
      HloComputation computation = all.get(sorted);
      alike.computeIfAbsent(structures.of(computation), of -> new ArrayList<>()).add(computation);
    }
  }

  /** Undoes the uses that a body counted, because an equal computation is already known. */
  private void forget(int mark) {
    List<Integer> forgotten = asking.subList(mark, asking.size());
    forgotten.forEach(structure -> asked.merge(structure, -1, Integer::sum));
    forgotten.clear();
  }
}
