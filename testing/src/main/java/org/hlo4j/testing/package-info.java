/**
 * Truth subjects for literals and modules, and the conformance rows that evaluators are tested
 * with.
 */
@NullMarked
package org.hlo4j.testing;

import org.jspecify.annotations.NullMarked;
