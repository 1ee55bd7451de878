/** What the judge says of planted faults and of allowed differences, measured. */
@NullMarked
package org.hlo4j.check.verdicts;

import org.jspecify.annotations.NullMarked;
