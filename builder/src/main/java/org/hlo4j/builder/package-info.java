/**
 * The fluent API that builds HLO: {@link org.hlo4j.builder.XlaBuilder} and its handles, {@link
 * org.hlo4j.builder.XlaOp}.
 */
@NullMarked
package org.hlo4j.builder;

import org.jspecify.annotations.NullMarked;
