package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * How index vectors point into an array: what gather and scatter have in common. The names are
 * those of the op at hand, and so are the labels.
 *
 * @param array the shape pointed into
 * @param indices the shape of the array of index vectors
 * @param indicesName what the op calls it
 * @param indexVectorDim which dimension of the indices holds a vector; its rank if each is a vector
 * @param map for each number of a vector the dimension of the array it belongs to
 * @param collapsed the dimensions of the array that the windows leave out
 * @param batching the dimensions of the array that run along with those of the indices
 * @param indicesBatching the dimensions of the indices that run along
 */
record IndexMapping(
    Shape.Array array,
    Shape.Array indices,
    String indicesName,
    int indexVectorDim,
    DimensionList map,
    DimensionList collapsed,
    DimensionList batching,
    DimensionList indicesBatching) {
  void requireIntegers() {
    require(
        indices.elementType().isIntegral(),
        "",
        "%s got %s, want integers",
        indicesName,
        indices.withoutLayout());
  }

  void requireIndexVectorDim(String label) {
    require(
        indexVectorDim >= 0 && indexVectorDim <= indices.rank(),
        label,
        "index_vector_dim got %s, want from 0 to the rank of %s %s",
        indexVectorDim,
        indicesName,
        indices);
  }

  void requireMapSize(String label) {
    boolean implied = indexVectorDim == indices.rank();
    require(
        implied
            ? map.dims().count() == 1
            : indices.isUnbounded(indexVectorDim)
                || map.dims().count() == indices.size(indexVectorDim),
        label,
        "%s got %s, want %s of them as %s %s",
        map.name(),
        map.dims(),
        implied ? "1" : indices.sizeText(indexVectorDim),
        implied ? "index_vector_dim is the rank of" : "dimension " + indexVectorDim + " of",
        indicesName + " " + indices);
  }

  /** The dimensions of the indices that count the vectors, not those of a vector. */
  Dims vectorsDims() {
    return Dims.range(0, indices.rank()).without(Dims.of(indexVectorDim));
  }

  /** The dimensions of the array that a window has. */
  Dims windowDims() {
    return Dims.range(0, array.rank()).without(collapsed.dims().concat(batching.dims()));
  }

  void requireWindowRank(String label, DimensionList window) {
    int sum = window.dims().count() + collapsed.dims().count() + batching.dims().count();
    require(
        sum == array.rank(),
        label,
        "%s %s, %s %s and %s %s got %s dimensions together, want %s as %s has",
        window.name(),
        window.dims(),
        collapsed.name(),
        collapsed.dims(),
        batching.name(),
        batching.dims(),
        sum,
        array.rank(),
        array);
  }

  void requireSameBatches(String countLabel, String sizeLabel) {
    require(
        batching.dims().count() == indicesBatching.dims().count(),
        countLabel,
        "%s got %s, want as many as %s, %s",
        batching.name(),
        batching.dims(),
        indicesBatching.name(),
        indicesBatching.dims());
    for (int i = 0; i < batching.dims().count(); i++) {
      int own = batching.dims().getInt(i);
      int other = indicesBatching.dims().getInt(i);
      require(
          array.size(own) == indices.size(other)
              || array.isUnbounded(own)
              || indices.isUnbounded(other),
          sizeLabel,
          "size of batching dimension %s of %s got %s, want %s as dimension %s of %s %s",
          own,
          array,
          array.sizeText(own),
          indices.sizeText(other),
          other,
          indicesName,
          indices);
    }
  }
}
