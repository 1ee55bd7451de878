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

  /** {@return the innermost line of a file, if one is known} */
  default Optional<SourceLine> source() {
    return switch (this) {
      case Unknown unknown -> Optional.empty();
      case FileRange range ->
          range.startLine < 1
              ? Optional.empty()
              : Optional.of(new SourceLine(range.file, range.startLine));
      case Name name -> name.child.source();
      case CallSite site -> site.callee.source().or(site.caller::source);
      case Fused fused ->
          fused.locations.stream().flatMap(each -> each.source().stream()).findFirst();
    };
  }

  /** {@return the outermost name, such as {@code jit(f)/add}; empty if there is none} */
  default String name() {
    return switch (this) {
      case Unknown unknown -> "";
      case FileRange range -> "";
      case Name name -> name.name;
      case CallSite site -> site.callee.name();
      case Fused fused ->
          fused.locations.stream()
              .map(Location::name)
              .filter(name -> !name.isEmpty())
              .findFirst()
              .orElse("");
    };
  }
}
