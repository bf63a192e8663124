/** Lets one loop wait until somebody calls. A call while nobody waits is kept for the next wait. */
export interface Wake {
  signal(): void;
  wait(): Promise<void>;
}

export function createWake(): Wake {
  let called = false;
  let resolveWait: (() => void) | undefined;
  return {
    signal() {
      called = true;
      resolveWait?.();
    },
    async wait() {
      if (!called) {
        await new Promise<void>((resolve) => {
          resolveWait = resolve;
        });
      }
      resolveWait = undefined;
      called = false;
    },
  };
}
