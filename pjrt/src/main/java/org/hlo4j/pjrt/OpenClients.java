package org.hlo4j.pjrt;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The clients that are open. They are closed when the process exits, for which it waits a while:
 * devices may stay occupied where nobody told the plugin.
 */
final class OpenClients {
  private static final long PATIENCE_SECONDS = 5;

  static final Set<PjrtClient> ALL = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(OpenClients::closeAll, "hlo4j-pjrt-shutdown"));
  }

  private OpenClients() {}

  private static void closeAll() {
    CompletableFuture<?>[] closed =
        ALL.stream().map(PjrtClient::closing).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(closed).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException late) {
      // The process ends all the same.
    }
  }
}
