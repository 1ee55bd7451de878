package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.hlo.source.ParseException;

/**
 * A parser of regions, blocks and operations, which also keeps the values in scope. An operation
 * with an error is recorded and left out, and parsing continues after it.
 */
final class RegionParser {
  private static final int MAX_RESULTS = 1_000_000;

  /** A group of results as the text names it: {@code %0:2, %b}. */
  private record ResultGroup(String name, int count, int position) {}

  private final Map<String, Integer> argumentPositions = new HashMap<>();
  private Scope scope = new Scope(null);

  private final OpParser in;

  RegionParser(OpParser in) {
    this.in = in;
  }

  // Values.

  Value lookUp(OpParser.Use use) {
    Value[] values = scope.find(use.name());
    if (values == null) {
      throw unknown(use);
    }
    if (values.length == 0) {
      throw ParseException.told(use.position());
    }
    in.require(
        use.number() < values.length,
        use.position(),
        "got %s, want one of the %s results of its op",
        use,
        values.length);
    return values[use.number()];
  }

  private ParseException unknown(OpParser.Use use) {
    return scope.isOutside(use.name())
        ? new ParseException(
            use.position(), "got " + use + " of another function, want a value of this one")
        : new ParseException(
            use.position(),
            "got " + use + ", which is not defined before, want a value that is",
            nearest(use.name()));
  }

  private String nearest(String name) {
    String nearest = Nearest.to(name, scope.names());
    return nearest.isEmpty() ? "" : "%" + nearest;
  }

  private void define(String name, int position, Value... values) {
    boolean isNew = scope.define(name, values);
    in.require(isNew, position, "got %%%s, which is defined already, want another name", name);
  }

  /** Records the position of an argument's name; the argument is defined when its region begins. */
  void argumentAt(String name, int position) {
    argumentPositions.put(name, position);
  }

  private void define(Value argument) {
    define(argument.name(), argumentPositions.getOrDefault(argument.name(), in.at), argument);
  }

  // Regions and blocks.

  /** Reads a region of a custom form, in which empty braces are an empty block. */
  Region region(List<Value> arguments, boolean isolated) {
    return region(arguments, isolated, isolated || !arguments.isEmpty());
  }

  private Region region(List<Value> arguments, boolean isolated, boolean hasBlock) {
    in.context.enter(in.skip());
    Scope outer = scope;
    scope = isolated ? new Scope(outer) : scope;
    int mark = scope.mark();
    try {
      in.expect('{');
      arguments.forEach(this::define);
      return blocks(arguments, hasBlock);
    } finally {
      scope.reset(mark);
      scope = outer;
      in.context.leave();
    }
  }

  private Region blocks(List<Value> arguments, boolean hasBlock) {
    if (in.eat('}')) {
      return hasBlock ? Region.of(block(arguments)) : new Region(ImmutableList.of());
    }
    boolean labelled = in.peek() == '^';
    if (labelled && !arguments.isEmpty()) {
      throw in.wrong("an operation, as the arguments of the block are given");
    }
    Block block = labelled ? labelled() : block(arguments, operations());
    if (in.peek() == '^') {
      throw in.wrong("}, as regions of StableHLO have one block");
    }
    in.expect('}');
    return Region.of(block);
  }

  private static Block block(List<Value> arguments, Operation... operations) {
    return block(arguments, ImmutableList.copyOf(operations));
  }

  private static Block block(List<Value> arguments, ImmutableList<Operation> operations) {
    return new Block(ImmutableList.copyOf(arguments), operations);
  }

  /** Reads {@code ^bb0(%a: type, %b: type): operations}. */
  private Block labelled() {
    in.expect('^');
    in.name();
    List<Value> arguments = new ArrayList<>();
    if (in.peek() == '(') {
      in.list("()", () -> arguments.add(in.argument(true)));
    }
    in.expect(':');
    arguments.forEach(this::define);
    return block(arguments, operations());
  }

  private ImmutableList<Operation> operations() {
    ImmutableList.Builder<Operation> operations = ImmutableList.builder();
    while (in.peek() != '}' && in.peek() != '^' && !in.atEnd()) {
      operation().ifPresent(operations::add);
    }
    return operations.build();
  }

  // Operations.

  /** Reads an operation; returns empty if it has an error, which is recorded. */
  Optional<Operation> operation() {
    int start = in.skip();
    int nesting = in.context.nesting();
    List<ResultGroup> groups = new ArrayList<>(1);
    try {
      resultGroups(groups);
      return Optional.of(operation(groups, start));
    } catch (ParseException error) {
      in.context.restoreNesting(nesting);
      in.context.errors.add(error);
      groups.forEach(group -> scope.define(group.name));
      recover(start, error.position());
      return Optional.empty();
    }
  }

  /**
   * Skips to the next line after an error that may begin an operation, but stays within the braces
   * that enclose the wrong one.
   */
  private void recover(int start, int mistake) {
    int level = 0;
    int i = start;
    for (; i < in.end; i = in.charAt(i) == '"' ? behindString(i) : in.behind(i)) {
      char c = in.charAt(i);
      level += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (level < 0 || (c == '\n' && level == 0 && i >= mistake && beginsOperation(i))) {
        break;
      }
    }
    in.at = i;
  }

  /**
   * Returns whether the text at a position looks like an operation; otherwise it belongs to the
   * wrong one.
   */
  private boolean beginsOperation(int position) {
    in.at = position;
    char c = in.peek();
    if (c == '"') {
      in.at = behindString(in.at);
      return in.peek() == '(';
    }
    if (c == '%') {
      return beginsResults();
    }
    return TextScanner.isLetter(c)
        ? in.context.dialects.fullName(in.word()).indexOf('.') > 0
        : c != '{' && c != '(' && c != '[' && c != '<' && c != ':' && c != ',';
  }

  private boolean beginsResults() {
    try {
      resultGroups(new ArrayList<>());
      return true;
    } catch (ParseException others) {
      return false;
    }
  }

  private int behindString(int start) {
    try {
      return in.endOfString(start);
    } catch (ParseException endless) {
      return in.endOfLine(start);
    }
  }

  private void resultGroups(List<ResultGroup> groups) {
    if (in.peek() != '%') {
      return;
    }
    int count = 0;
    do {
      int start = in.skip();
      in.expect('%');
      String name = in.name();
      int results = in.eat(':') ? in.count() : 1;
      count += Math.min(results, MAX_RESULTS + 1);
      boolean fits = results > 0 && count <= MAX_RESULTS;
      in.require(fits, start, "got %s results, want 1 to %s in all", results, MAX_RESULTS);
      groups.add(new ResultGroup(name, results, start));
    } while (in.eat(','));
    in.expect('=');
  }

  private Operation operation(List<ResultGroup> groups, int start) {
    int count = 0;
    for (ResultGroup group : groups) {
      count += group.count;
    }
    int nameAt = in.skip();
    boolean generic = in.peek() == '"';
    String written = generic ? in.string() : in.word("an operation");
    boolean isBare = generic && written.indexOf('.') < 0;
    String name = isBare ? written : in.context.dialects.fullName(written);
    OpState state = new OpState(name);
    if (generic) {
      generic(state);
    } else {
      syntax(written, name, nameAt).parse(in, state);
    }
    Location location = in.optionalLocation().orElse(Location.unknown());
    if (!groups.isEmpty() && count != state.resultTypes().size()) {
      throw in.wrongAt(
          groups.get(0).position,
          "got %s results, want %s of %s",
          count,
          state.resultTypes().size(),
          name);
    }
    return new Operation(
        name,
        state.operands(),
        results(state, groups),
        canonical(state, nameAt),
        state.regions(),
        location,
        Place.at(in.context.source.position(start)));
  }

  private OpSyntax syntax(String written, String name, int position) {
    return in.context
        .dialects
        .syntax(written)
        .or(() -> in.context.dialects.syntax(name))
        .orElseThrow(() -> noSyntax(name, position));
  }

  private ParseException noSyntax(String name, int position) {
    String wanted =
        in.context.dialects.isKnown(name)
            ? "want an op with a form of its own or \"" + name + "\"(...)"
            : "want an op that is known";
    return new ParseException(
        position, "got " + name + ", " + wanted, Nearest.to(name, in.context.dialects.names()));
  }

  private List<Value> results(OpState state, List<ResultGroup> groups) {
    List<Value> results = new ArrayList<>(state.resultTypes().size());
    if (groups.isEmpty()) {
      state.resultTypes().forEach(type -> results.add(Value.of(type)));
    }
    for (ResultGroup group : groups) {
      Value[] values = new Value[group.count];
      for (int i = 0; i < group.count; i++) {
        Type type = state.resultTypes().get(results.size());
        values[i] = new Value(type, group.name, Location.unknown());
        results.add(values[i]);
      }
      define(group.name, group.position, values);
    }
    return results;
  }

  private Attributes canonical(OpState state, int position) {
    try {
      return in.context.dialects.canonical(state.name(), state.attributes());
    } catch (HloException refusal) {
      throw new ParseException(position, refusal);
    }
  }

  /** Reads {@code (%a, %b) <{properties}> ({regions}) {attributes} : (types) -> types}. */
  private void generic(OpState state) {
    ImmutableList<OpParser.Use> uses = in.usesInParentheses();
    if (in.peek() == '[') {
      throw in.wrong("no successors, as regions of StableHLO have one block");
    }
    if (in.eat('<')) {
      in.optionalAttributes(state.attributes());
      in.expect('>');
    }
    if (in.eat('(')) {
      boolean isolated = in.context.dialects.isIsolated(state.name());
      do {
        state.regions().add(region(List.of(), isolated, false));
      } while (in.eat(','));
      in.expect(')');
    }
    in.optionalAttributes(state.attributes());
    in.expect(':');
    int typeAt = in.skip();
    if (!(in.type() instanceof Type.Function type)) {
      throw in.wrongAt(typeAt, "got one type, want (operands) -> results");
    }
    in.resolve(uses, type.inputs(), state);
    state.resultTypes().addAll(type.results());
  }
}
