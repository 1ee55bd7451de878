/**
 * Comparisons of results: which differences roundings, or what specifications leave open, explain.
 */
@NullMarked
package org.hlo4j.check.compare;

import org.jspecify.annotations.NullMarked;
