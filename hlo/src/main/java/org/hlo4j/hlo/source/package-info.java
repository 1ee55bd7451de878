/** What readers of text share: positions, mistakes and how they are told. Not for users. */
@NullMarked
package org.hlo4j.hlo.source;

import org.jspecify.annotations.NullMarked;
