/**
 * XLA's protocol buffers: modules, snapshots and literals, read and written without generated code.
 */
@NullMarked
package org.hlo4j.hlo.proto;

import org.jspecify.annotations.NullMarked;
