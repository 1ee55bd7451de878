/** Test cases, and the comparison of results with expected ones. */
@NullMarked
package org.hlo4j.tools.cases;

import org.jspecify.annotations.NullMarked;
