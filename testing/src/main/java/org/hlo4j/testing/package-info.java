/** Truth subjects for literals and modules, and runners of conformance rows. */
@NullMarked
package org.hlo4j.testing;

import org.jspecify.annotations.NullMarked;
