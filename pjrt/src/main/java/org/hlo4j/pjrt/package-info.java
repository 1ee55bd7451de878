/**
 * XLA's CPUs, GPUs and TPUs from Java: a binding of PJRT, the C interface of XLA's plugins.
 *
 * <p>A {@link org.hlo4j.pjrt.PjrtPlugin} is a shared library that is not part of hlo4j. It gives a
 * {@link org.hlo4j.pjrt.PjrtClient}, which has devices, compiles programs and keeps arrays on its
 * devices. All that is made of native memory is {@link java.lang.AutoCloseable}; what is forgotten
 * is closed after a garbage collection. Nothing here is needed to run programs on the evaluators of
 * {@code org.hlo4j.interpreter}.
 */
@NullMarked
package org.hlo4j.pjrt;

import org.jspecify.annotations.NullMarked;
