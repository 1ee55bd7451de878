/**
 * A small layer of MLIR: operations, regions, values, types, attributes and locations as immutable
 * objects, with readers and writers of text and bytecode. It knows no operation by name; dialects
 * are described to it.
 */
@NullMarked
package org.hlo4j.stablehlo.mlir;

import org.jspecify.annotations.NullMarked;
