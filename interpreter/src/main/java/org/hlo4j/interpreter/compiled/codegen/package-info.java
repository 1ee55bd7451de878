/**
 * Bytecode of loop bodies. The same calls write it for single elements and for vectors. Nothing
 * here links to {@code jdk.incubator.vector}: only generated classes do, and only if {@link
 * org.hlo4j.interpreter.compiled.codegen.Machine} finds it. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.codegen;

import org.jspecify.annotations.NullMarked;
