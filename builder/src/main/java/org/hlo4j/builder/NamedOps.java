package org.hlo4j.builder;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.SourceLine;

/** The dimension names of a handle, which are not part of HLO. */
abstract class NamedOps extends OperatorOps {
  abstract ImmutableList<Optional<DimensionName>> names();

  /**
   * Returns the same op with names for its dimensions: {@code x.named("batch", "features")}. By
   * names operands align under the policy {@code byName()}; they follow through element-wise ops,
   * transpose, reduce, broadcast, dot, and reshapes that only add or drop dimensions of size 1.
   * They are kept beside the graph, never in HLO, and other handles of this op do not get them.
   *
   * @param dimensionNames a name for each dimension, all different
   * @return the handle with names
   * @throws HloException if there are not as many as dimensions, one is blank or there twice, or
   *     this is not an array
   */
  public XlaOp named(String... dimensionNames) {
    XlaOp self = (XlaOp) this;
    return owner()
        .guarded(
            Collections.singletonList(self),
            () -> Binary.named("named", () -> self.withNames(checked(dimensionNames))));
  }

  private ImmutableList<Optional<DimensionName>> checked(String... dimensionNames) {
    int rank = ((XlaOp) this).requireArray().rank();
    List<String> given = Arrays.asList(dimensionNames);
    require(
        given.size() == rank,
        "",
        "names got %s, want one for each of the %s dimensions of %s",
        given,
        rank,
        ((XlaOp) this).shape());
    require(
        given.stream().distinct().count() == rank, "", "names got %s, want no name twice", given);
    Optional<SourceLine> line = CallSite.find();
    return given.stream()
        .map(name -> Optional.of(new DimensionName(name, line)))
        .collect(toImmutableList());
  }

  final XlaOp withNames(ImmutableList<Optional<DimensionName>> names) {
    XlaOp self = (XlaOp) this;
    return new XlaOp(owner(), self.instruction(), names);
  }

  /**
   * Returns the known names of the dimensions.
   *
   * @return for each dimension its name, or nothing; empty if this is not an array
   */
  public final ImmutableList<Optional<DimensionName>> dimensionNames() {
    return names();
  }

  final boolean isUnnamed() {
    return names().stream().allMatch(Optional::isEmpty);
  }
}
