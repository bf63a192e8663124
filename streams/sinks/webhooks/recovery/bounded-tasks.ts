/** Runs a bounded number of tasks concurrently, for one caller that awaits each `add`. */
export interface BoundedTasks {
  /** Starts a task; resolves once another one may start. */
  add(task: () => Promise<void>): Promise<void>;
  /** Resolves once all tasks have ended; rejects with the first failure. */
  completed(): Promise<void>;
}

export function createBoundedTasks(limit: number): BoundedTasks {
  let running = 0;
  let failed: { error: unknown } | undefined;
  /** The caller's wait, and the number of running tasks that ends it. */
  let wait: { until: number; resolve: () => void } | undefined;

  function ended(): void {
    running -= 1;
    if (wait !== undefined && running <= wait.until) wait.resolve();
  }

  function waitUntil(until: number): Promise<void> {
    if (running <= until) return Promise.resolve();
    return new Promise((resolve) => {
      wait = { until, resolve };
    });
  }

  return {
    add(task) {
      running += 1;
      void task()
        .catch((error: unknown) => {
          failed ??= { error };
        })
        .finally(ended);
      return waitUntil(limit - 1);
    },
    async completed() {
      await waitUntil(0);
      if (failed !== undefined) throw failed.error;
    },
  };
}
