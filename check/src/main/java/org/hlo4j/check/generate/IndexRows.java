package org.hlo4j.check.generate;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Scatter;

/** The rows of gather and scatter, whose dimension numbers are chosen alike. */
final class IndexRows {
  private final Choices choices;
  private final Shape.Array array;
  private final ElementType type;
  private Dims batching = Dims.of();
  private Dims collapsed = Dims.of();
  private Dims vectors = Dims.of();
  private Dims indicesBatching = Dims.of();
  private Dims map = Dims.of();
  private int vectorDim;
  private Dims indices = Dims.of();

  /** Chooses the roles of the dimensions of an array, and the shape of its indices. */
  private IndexRows(Block block, Shape.Array array) {
    this.choices = block.choices();
    this.array = array;
    this.type = choices.type(ElementType::isIntegral);
    vectors = choices.sizes(choices.below(3), 60);
    Dims mapped = Dims.of();
    for (int i = 0; i < array.rank(); i++) {
      int role = choices.below(4);
      if (role == 0) {
        batching = append(batching, i);
        insertVector(choices.below(vectors.count() + 1), array.size(i));
      } else {
        collapsed = role == 1 && array.size(i) > 0 ? append(collapsed, i) : collapsed;
        mapped = choices.chance(3) ? mapped : append(mapped, i);
      }
    }
    map = mapped.at(choices.permutation(mapped.count()));
    placeVectors();
  }

  private static Dims append(Dims dims, long value) {
    return dims.inserted(dims.count(), value);
  }

  /** Adds a dimension of the index vectors that goes with one of the array. */
  private void insertVector(int at, long size) {
    vectors = vectors.inserted(at, size);
    indicesBatching = append(Sources.shifted(indicesBatching, at), at);
  }

  private void placeVectors() {
    boolean isImplied = map.count() == 1 && choices.chance(2);
    vectorDim = isImplied ? vectors.count() : choices.below(vectors.count() + 1);
    indices = isImplied ? vectors : vectors.inserted(vectorDim, map.count());
    indicesBatching = isImplied ? indicesBatching : Sources.shifted(indicesBatching, vectorDim);
  }

  private Dims windowDims() {
    return Dims.range(0, array.rank()).without(collapsed.concat(batching));
  }

  /** Returns which dimensions of all are those of a window. */
  private Dims places(int all, int windows) {
    Dims order = choices.permutation(all).subList(0, windows);
    return Dims.of(order.stream().sorted().toArray());
  }

  private HloInstruction indices(Block block) {
    long bound = map.stream().map(d -> array.size((int) d)).max().orElse(1);
    return Sources.indices(block, Shape.of(type, indices), bound);
  }

  static void gather(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block);
    Shape.Array shape = (Shape.Array) operand.shape().withoutLayout();
    IndexRows row = new IndexRows(block, shape);
    Dims sizes = MovementRows.within(choices, shape.sizes());
    for (int i = 0; i < shape.rank(); i++) {
      boolean isThin = row.batching.contains(i) || row.collapsed.contains(i);
      sizes = isThin ? sizes.with(i, Math.min(1, shape.size(i))) : sizes;
    }
    int windows = row.windowDims().count();
    block.add(
        new Gather(
            row.places(windows + row.vectors.count(), windows),
            row.collapsed,
            row.map,
            row.batching,
            row.indicesBatching,
            row.vectorDim,
            sizes,
            choices.chance(8)),
        operand,
        row.indices(block));
  }

  static void scatter(Block block, Choices choices) {
    HloInstruction first = Sources.array(block);
    Shape.Array shape = (Shape.Array) first.shape().withoutLayout();
    IndexRows row = new IndexRows(block, shape);
    Dims windowDims = row.windowDims();
    Dims windowSizes = MovementRows.within(choices, shape.sizes().at(windowDims));
    int rank = windowDims.count() + row.vectors.count();
    Dims places = row.places(rank, windowDims.count());
    Dims order = Dims.range(0, rank).without(places).concat(places);
    Dims sizes = row.vectors.concat(windowSizes).at(order.inverse());
    HloException.require(sizes.product() <= Sources.most(block), "", "too many updates");
    Scatter op =
        new Scatter(
            places,
            row.collapsed,
            row.map,
            row.batching,
            row.indicesBatching,
            row.vectorDim,
            false,
            false);
    add(block, op, first, row.indices(block), sizes);
  }

  /** Appends a scatter of one to three arrays. */
  private static void add(
      Block block, Scatter op, HloInstruction first, HloInstruction indices, Dims sizes) {
    List<HloInstruction> inputs = HigherOrderRows.together(block, first);
    List<HloInstruction> operands = new ArrayList<>(inputs);
    operands.add(indices);
    List<ElementType> types = HigherOrderRows.types(inputs);
    for (ElementType each : types) {
      operands.add(Sources.value(block, Shape.of(each, sizes)));
    }
    HloComputation combiner =
        HigherOrderRows.reducer(block, Place.COMBINER, types, sizes.product());
    block.add(op, operands, List.of(combiner));
  }
}
