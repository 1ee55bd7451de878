package org.hlo4j.stablehlo.mlir;

import java.util.Optional;

/** A parser of {@code loc(...)}. */
record LocationParser(OpParser in) {
  private static final String WANT =
      "a location: unknown, \"file\":line:column, \"name\"(...), callsite(...), fused[...] or an"
          + " alias";

  Location location() {
    in.expect("loc");
    in.expect('(');
    Location location = inner();
    in.expect(')');
    return location;
  }

  private Location inner() {
    in.context.enter(in.skip());
    Location location = unnested();
    in.context.leave();
    return location;
  }

  private Location unnested() {
    int start = in.skip();
    char c = in.peek();
    if (c == '#') {
      in.at++;
      return in.context.aliases.use(
          "#" + in.name(), Location.class, "the alias of a location", start);
    }
    if (c == '"') {
      return fileOrName();
    }
    return switch (in.word(WANT)) {
      case "unknown" -> Location.unknown();
      case "callsite" -> callSite();
      case "fused" -> fused();
      default -> {
        in.at = start;
        throw in.wrong(WANT);
      }
    };
  }

  private Location callSite() {
    in.expect('(');
    Location callee = inner();
    in.expect("at");
    Location caller = inner();
    in.expect(')');
    return new Location.CallSite(callee, caller);
  }

  private Location fused() {
    Optional<Attribute> metadata = Optional.empty();
    if (in.eat('<')) {
      metadata = Optional.of(in.attribute());
      in.expect('>');
    }
    return new Location.Fused(in.listOf("[]", this::inner), metadata);
  }

  private Location fileOrName() {
    String name = in.string();
    if (in.eat(':')) {
      return file(name);
    }
    if (!in.eat('(')) {
      return new Location.Name(name, Location.unknown());
    }
    Location child = inner();
    in.expect(')');
    return new Location.Name(name, child);
  }

  private Location file(String name) {
    int line = in.count();
    in.expect(':');
    int column = in.count();
    if (!in.eatWord("to")) {
      return new Location.FileRange(name, line, column, line, column);
    }
    int start = in.skip();
    int endLine = in.peek() == ':' ? line : in.count();
    in.expect(':');
    int endColumn = in.count();
    boolean isBehind = endLine > line || (endLine == line && endColumn >= column);
    in.require(isBehind, start, "got a range that ends before it begins, want it behind");
    return new Location.FileRange(name, line, column, endLine, endColumn);
  }
}
