/**
 * PJRT's C API as data: where the fields of its structs are, one generic call, and what keeps a JVM
 * alive beside native code.
 */
@NullMarked
package org.hlo4j.pjrt.binding;

import org.jspecify.annotations.NullMarked;
