/**
 * What XLA's client libraries offer on top of its builder: programs of several ops, made by the
 * builder's public methods alone.
 */
@NullMarked
package org.hlo4j.builder.lib;

import org.jspecify.annotations.NullMarked;
