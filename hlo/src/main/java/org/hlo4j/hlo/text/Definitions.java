package org.hlo4j.hlo.text;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.source.Errors;
import org.hlo4j.hlo.source.ParseException;

/** What a text has defined so far. */
final class Definitions {
  private final Errors errors;
  private final Scope<HloComputation> computations = new Scope<>("computation");
  private final UniqueNames instructionNames = new UniqueNames();
  private final Structures structures = new Structures();

  /** The computations by their structures, and how many of each were asked for. */
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

  /** The name of an instruction in the module, its name in its computation if that is unique. */
  String unique(String instructionName) {
    return instructionNames.take(instructionName);
  }

  boolean areAlike(HloComputation one, HloComputation other) {
    return structures.of(one) == structures.of(other);
  }

  /** A computation that is called: by its name, or its body where the name would be. */
  HloComputation callee(Lexer text) {
    int start = text.skipBlanks();
    return text.here() == '{'
        ? known(() -> body(text))
        : computations.get(text.name("the name of a computation, or {"), start);
  }

  /** A computation whose body is written where it is called. */
  private HloComputation body(Lexer text) {
    int start = text.skipBlanks();
    if (depth == ComputationParser.MAX_NESTED) {
      throw new ParseException(
          start,
          "got computations nested more than "
              + ComputationParser.MAX_NESTED
              + " deep, want fewer");
    }
    depth++;
    try {
      String name = computations.unique("_");
      return new ComputationParser(text, this)
          .body(name, start)
          .orElseThrow(() -> ParseException.told(start));
    } finally {
      depth--;
    }
  }

  /** A body that is read to be compared, and then forgotten. */
  HloComputation compared(Lexer text) {
    int mark = asking.size();
    int names = instructionNames.mark();
    HloComputation body = body(text);
    forget(mark);
    instructionNames.release(names);
    return body;
  }

  /**
   * The computation above that is just like this body, since the canonical form writes it there
   * too; each once, as long as there are more. If there is none, the body defines it.
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

  /** What a body asked for that is not needed since its like is known. */
  private void forget(int mark) {
    List<Integer> forgotten = asking.subList(mark, asking.size());
    forgotten.forEach(structure -> asked.merge(structure, -1, Integer::sum));
    forgotten.clear();
  }
}
