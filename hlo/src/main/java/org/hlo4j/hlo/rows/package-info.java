/**
 * Rows of text that state what an instruction gives, or why a module is refused. Tests and the
 * conformance suites are made from them; not part of the public API.
 */
@NullMarked
package org.hlo4j.hlo.rows;

import org.jspecify.annotations.NullMarked;
