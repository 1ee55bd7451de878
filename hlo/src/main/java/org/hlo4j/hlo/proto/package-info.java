/**
 * Readers and writers of XLA's protocol buffers for modules, snapshots and literals, without
 * generated code.
 */
@NullMarked
package org.hlo4j.hlo.proto;

import org.jspecify.annotations.NullMarked;
