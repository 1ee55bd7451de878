/**
 * The schema of ops and attributes that HLO text and protocol buffers share; not part of the public
 * API.
 */
@NullMarked
package org.hlo4j.hlo.schema;

import org.jspecify.annotations.NullMarked;
