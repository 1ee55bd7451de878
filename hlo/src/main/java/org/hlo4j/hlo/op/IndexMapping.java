package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * The mapping of index vectors to positions in an array, which gather and scatter share. Names and
 * labels are those of the op that uses it.
 *
 * @param array the shape of the indexed array
 * @param indices the shape of the array of index vectors
 * @param indicesName the op's name of that array
 * @param indexVectorDim the dimension of the indices that holds a vector; the rank of the indices
 *     if each number is a vector
 * @param map for each element of a vector, the dimension of the array that it indexes
 * @param collapsed the dimensions of the array that the windows do not have
 * @param batching the batch dimensions of the array, paired in order with those of the indices
 * @param indicesBatching the batch dimensions of the indices
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
    requireFitting(
        indices.elementType().isIntegral(),
        () -> Fits.integers(indices, indicesName),
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

  /** Returns the dimensions of the indices other than the one that holds a vector. */
  Dims vectorsDims() {
    return Dims.range(0, indices.rank()).without(Dims.of(indexVectorDim));
  }

  /** Returns the dimensions of the array that a window has. */
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
