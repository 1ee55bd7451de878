package org.hlo4j.check.generate;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.schema.OpSchema;

/** The dimension numbers of gather and scatter, which are chosen alike. */
final class IndexRoles {
  private final Drawing drawing;
  private final Choices choices;
  private final Shape.Array array;
  private final Shape.Array indices;
  private final Gather gather;
  private Dims batching = Dims.of();
  private Dims collapsed = Dims.of();
  private Dims vectors;
  private Dims indicesBatching = Dims.of();

  /** Chooses the roles of the dimensions of an array, and the shape of its indices. */
  IndexRoles(Drawing drawing, Shape.Array array) {
    this.drawing = drawing;
    this.choices = drawing.choices;
    this.array = array;
    vectors = choices.sizes(choices.below(3), 60);
    Dims mapped = Dims.of();
    Dims window = Attributes.within(choices, array.sizes());
    for (int i = 0; i < array.rank(); i++) {
      int role = choices.below(4);
      if (role == 0) {
        batching = append(batching, i);
        insertVector(choices.below(vectors.count() + 1), array.size(i));
      } else {
        collapsed = role == 1 && array.size(i) > 0 ? append(collapsed, i) : collapsed;
        mapped = choices.chance(3) ? mapped : append(mapped, i);
      }
      boolean isThin = batching.contains(i) || collapsed.contains(i);
      window = isThin ? window.with(i, Math.min(1, array.size(i))) : window;
    }
    Dims map = mapped.at(choices.permutation(mapped.count()));
    boolean isImplied = map.count() == 1 && choices.chance(2);
    int vectorDim = isImplied ? vectors.count() : choices.below(vectors.count() + 1);
    indices =
        Shape.of(
            choices.type(ElementType::isIntegral),
            isImplied ? vectors : vectors.inserted(vectorDim, map.count()));
    int windows = array.rank() - collapsed.count() - batching.count();
    Dims places = choices.permutation(windows + vectors.count()).subList(0, windows);
    gather =
        new Gather(
            Dims.of(places.stream().sorted().toArray()),
            collapsed,
            map,
            batching,
            isImplied ? indicesBatching : Shapes.shifted(indicesBatching, vectorDim),
            vectorDim,
            window,
            false);
  }

  private static Dims append(Dims dims, long value) {
    return dims.inserted(dims.count(), value);
  }

  /** Adds a dimension of the index vectors that goes with one of the array. */
  private void insertVector(int at, long size) {
    vectors = vectors.inserted(at, size);
    indicesBatching = append(Shapes.shifted(indicesBatching, at), at);
  }

  private HloInstruction indices() {
    long bound = gather.startIndexMap().stream().map(d -> array.size((int) d)).max().orElse(1);
    return Sources.indices(drawing.block, indices, bound);
  }

  private void give(Op op) {
    OpSchema.attributes(op).forEach(each -> drawing.attributes.give(each.name(), each.value(op)));
  }

  void gathered() {
    give(gather);
    drawing.operands().add(indices());
  }

  /** Adds indices and updates of what a gather would give. */
  void scattered() {
    give(Scatter.inverseOf(gather));
    List<HloInstruction> arrays = List.copyOf(drawing.operands());
    HloInstruction at = indices();
    drawing.operands().add(at);
    Shape.Array updates =
        (Shape.Array) gather.infer(HloInstruction.inputs(List.of(arrays.get(0), at), List.of()));
    HloException.require(
        updates.elementCount() <= Sources.most(drawing.block), "", "too many updates");
    arrays.forEach(each -> drawing.add(Shape.of(Sources.type(each), updates.sizes())));
  }
}
