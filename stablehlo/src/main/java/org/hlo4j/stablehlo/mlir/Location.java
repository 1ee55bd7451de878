package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.SourceLine;

/** The origin of an operation in the user's program; MLIR's {@code loc(...)}. */
public sealed interface Location {
  /** {@return the unknown location} */
  static Location unknown() {
    return new Unknown();
  }

  /** An unknown location. */
  record Unknown() implements Location {
    @Override
    public String toString() {
      return "unknown";
    }
  }

  /**
   * A position in a file, or a range of positions.
   *
   * @param file the file
   * @param startLine the first line, from 1
   * @param startColumn the column in it, from 1
   * @param endLine the last line; equal to the first for a single place
   * @param endColumn the column in it; equal to the first for a single place
   */
  record FileRange(String file, int startLine, int startColumn, int endLine, int endColumn)
      implements Location {
    @Override
    public String toString() {
      String start = MlirText.quoted(file) + ":" + startLine + ":" + startColumn;
      if (startLine == endLine && startColumn == endColumn) {
        return start;
      }
      return start + " to " + (endLine == startLine ? "" : endLine) + ":" + endColumn;
    }
  }

  /**
   * A name, such as that of a traced function.
   *
   * @param name the name
   * @param child the location of what is named
   */
  record Name(String name, Location child) implements Location {
    private boolean isOfCall() {
      return child instanceof CallSite || (child instanceof Name inner && inner.isOfCall());
    }

    @Override
    public String toString() {
      String quoted = MlirText.quoted(name);
      return child instanceof Unknown ? quoted : quoted + "(" + child + ")";
    }
  }

  /**
   * A location and the location that called it.
   *
   * @param callee the location of the callee
   * @param caller the location of the caller
   */
  record CallSite(Location callee, Location caller) implements Location {
    @Override
    public String toString() {
      return "callsite(" + callee + " at " + caller + ")";
    }
  }

  /**
   * Several locations that were combined, for example by a fusion.
   *
   * @param locations the locations
   * @param metadata an attribute of all of them
   */
  record Fused(ImmutableList<Location> locations, Optional<Attribute> metadata)
      implements Location {
    @Override
    public String toString() {
      return "fused"
          + metadata.map(attribute -> "<" + attribute + ">").orElse("")
          + locations.stream().map(Location::toString).collect(Collectors.joining(", ", "[", "]"));
    }
  }

  /** {@return the call site that this location names; this location if it names none} */
  default Location site() {
    Location site = this;
    while (site instanceof Name name && name.isOfCall()) {
      site = name.child;
    }
    return site;
  }

  /** {@return the frames of a call site, the innermost first; else only this location} */
  default ImmutableList<Location> calls() {
    ImmutableList.Builder<Location> calls = ImmutableList.builder();
    addCalls(calls);
    return calls.build();
  }

  private void addCalls(ImmutableList.Builder<Location> calls) {
    switch (this) {
      case CallSite site -> {
        site.callee.addCalls(calls);
        site.caller.addCalls(calls);
      }
      case Name name when name.isOfCall() -> name.child.addCalls(calls);
      case Unknown _, FileRange _, Fused _, Name _ -> calls.add(this);
    }
  }

  /** {@return the place in a file, if one is known and this is not a call site} */
  default Optional<FileRange> range() {
    return switch (this) {
      case Unknown _, CallSite _ -> Optional.empty();
      case FileRange range -> range.startLine < 1 ? Optional.empty() : Optional.of(range);
      case Name name -> name.child.range();
      case Fused fused ->
          fused.locations.stream().flatMap(each -> each.range().stream()).findFirst();
    };
  }

  /**
   * {@return the innermost name, which in a frame of a stack is that of the function; may be empty}
   */
  default String function() {
    return this instanceof Name name
        ? name.child instanceof Name inner ? inner.function() : name.name
        : "";
  }

  /** {@return the innermost line of a file, if one is known} */
  default Optional<SourceLine> source() {
    return switch (this) {
      case Unknown _, FileRange _ ->
          range().map(range -> new SourceLine(range.file, range.startLine));
      case Name name -> name.child.source();
      case CallSite site -> site.callee.source().or(site.caller::source);
      case Fused fused ->
          fused.locations.stream().flatMap(each -> each.source().stream()).findFirst();
    };
  }

  /** {@return the outermost name, such as {@code jit(f)/add}; empty if there is none} */
  default String name() {
    return String.join(";", names());
  }

  /** {@return the outermost names, several if locations were combined} */
  default ImmutableList<String> names() {
    return switch (this) {
      case Unknown _, FileRange _ -> ImmutableList.of();
      case Name name -> name.name.isEmpty() ? ImmutableList.of() : ImmutableList.of(name.name);
      case CallSite site -> site.callee.names();
      case Fused fused ->
          fused.locations.stream()
              .flatMap(each -> each.names().stream())
              .distinct()
              .collect(ImmutableList.toImmutableList());
    };
  }
}
