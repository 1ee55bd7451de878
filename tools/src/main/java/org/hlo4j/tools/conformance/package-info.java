/** Conformance suites: how they are made, run and reported. */
@NullMarked
package org.hlo4j.tools.conformance;

import org.jspecify.annotations.NullMarked;
