import { useSyncExternalStore } from 'react';

/* Whether the service answers: every request says so, and during an outage the page asks by itself. */

const ASK_EVERY_MS = 5_000;

let isReachable = true;
let asking: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** Notes whether a request got an answer, whichever it was. */
export function noteReachable(answered: boolean): void {
  if (answered === isReachable) return;
  isReachable = answered;
  clearInterval(asking);
  asking = answered ? undefined : setInterval(() => void asksService(), ASK_EVERY_MS);
  for (const listener of listeners) listener();
}

/** Whether the service answers now. */
export async function asksService(): Promise<boolean> {
  const answered = await fetch(globalThis.location.href, { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  );
  noteReachable(answered);
  return answered;
}

/** False during an outage. */
export function useReachable(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isReachable,
  );
}
