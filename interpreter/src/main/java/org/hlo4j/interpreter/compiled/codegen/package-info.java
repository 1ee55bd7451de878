/**
 * Bytecode of loop bodies, written once for single elements and once for vectors of them by the
 * same calls. Nothing here links to {@code jdk.incubator.vector}: only generated classes do, and
 * only where {@link org.hlo4j.interpreter.compiled.codegen.VectorSupport} finds it. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.codegen;

import org.jspecify.annotations.NullMarked;
