import { nodePlatform } from '../src/node/node-platform.ts';
import { nodeStream } from '../src/node/node-stream.ts';
import type { Platform } from '../src/platform.ts';

/** A device whose process can be killed at any moment, and whose clock runs fast. */
export interface MortalDevice {
  platform: Platform;
  /** From now on nothing of the client takes effect: no write, no request, no timer. What was written stays. */
  kill(): void;
  /** Resolves when an event with this number is stored, or was sent: slow storage does not hold up the sending. */
  kept(n: number): Promise<void>;
}

/**
 * @param folder where the queue is kept; the next device with the same folder is the next start of the game
 * @param pace how many seconds of the device pass in one: waits of minutes end soon
 */
export function mortalDevice(folder: string, pace: number): MortalDevice {
  const platform = nodePlatform(undefined, folder);
  const { storage } = platform;
  const releases = new Set<() => void>();
  const startMs = Date.now();
  const never = new Promise<never>(() => {});
  let isAlive = true;
  let awaited = { n: -1, resolve: () => {} };
  const alive = async <T>(run: () => Promise<T>): Promise<T> => {
    if (!isAlive) return never;
    const result = await run();
    return isAlive ? result : never;
  };
  const steadyMs = () => performance.now() * pace;
  const beganMs = steadyMs();
  return {
    platform: {
      ...platform,
      steadyMs,
      wallMs: () => startMs + (steadyMs() - beganMs),
      setTimer: (callback, delayMs) => platform.setTimer(() => isAlive && callback(), delayMs / pace),
      fetch: (url, request) =>
        alive(async () => {
          const answer = await platform.fetch(url, request);
          if (answer.status === 200 && holds(request.body, awaited.n)) awaited.resolve();
          return answer;
        }),
      stream: (url, headers, signal, received) =>
        alive(() => nodeStream(url, headers, signal, (text) => isAlive && received(text))),
      storage: {
        getItem: (key) => alive(() => storage.getItem(key)),
        async setItem(key, value) {
          await alive(() => storage.setItem(key, value));
          if (holds(value, awaited.n)) awaited.resolve();
        },
        removeItem: (key) => alive(() => storage.removeItem(key)),
        getAllKeys: () => alive(() => storage.getAllKeys()),
      },
      lock(name, changed) {
        const release = platform.lock(name, (held) => isAlive && changed(held));
        releases.add(release);
        return release;
      },
    },
    kill() {
      isAlive = false;
      // As the operating system does for a process that is gone.
      for (const release of releases) release();
    },
    kept: (n) => new Promise((resolve) => (awaited = { n, resolve })),
  };
}

/** Whether a chunk, which holds properties as a text, or a request has the event with this number. */
function holds(text: string, n: number): boolean {
  return text.includes(`\\"n\\":${n},`) || text.includes(`"n":${n},`);
}
