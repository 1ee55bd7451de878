/**
 * XLA's foreign function interface: custom calls of programs on a plugin that functions in Java
 * answer.
 */
@NullMarked
package org.hlo4j.pjrt.ffi;

import org.jspecify.annotations.NullMarked;
