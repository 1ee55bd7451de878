/** What text and protocol buffers both know of ops and attributes; not for users. */
@NullMarked
package org.hlo4j.hlo.schema;

import org.jspecify.annotations.NullMarked;
