/**
 * A small MLIR layer: operations, regions, values, types, attributes and locations as immutable
 * objects, with parsers, printers and a bytecode reader and writer. It knows no operation by name;
 * dialects are passed to it.
 */
@NullMarked
package org.hlo4j.stablehlo.mlir;

import org.jspecify.annotations.NullMarked;
