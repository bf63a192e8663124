import type { Platform } from './platform.ts';
import type { KeyValueStorage } from './events/storage.ts';

/* What keeps faults of the platform away from the client. */

/**
 * Storage that rejects where the given one throws.
 * @param onFault called with the first failure of each operation in a row
 */
export function guardedStorage(storage: KeyValueStorage, onFault: (error: unknown) => void): KeyValueStorage {
  const failing = new Set<string>();
  async function guard<T>(operation: string, run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      failing.delete(operation);
      return result;
    } catch (error) {
      if (!failing.has(operation)) onFault(error);
      failing.add(operation);
      throw error;
    }
  }
  return {
    getItem: (key) => guard('get', async () => (await storage.getItem(key)) ?? null),
    setItem: (key, value) => guard('set', async () => storage.setItem(key, value)),
    removeItem: (key) => guard('remove', async () => storage.removeItem(key)),
    getAllKeys: () => guard('keys', async () => storage.getAllKeys()),
  };
}

/** Waits for a promise, but not longer than the given time. */
export async function within(
  promise: Promise<unknown>,
  timeoutMs: number,
  { setTimer }: Pick<Platform, 'setTimer'>,
): Promise<void> {
  let cancel = () => {};
  await Promise.race([promise, new Promise<void>((resolve) => (cancel = setTimer(resolve, timeoutMs)))]);
  cancel();
}

/** Letters and digits, by the platform's randomness: React Native has no `crypto`. */
export function randomText({ random }: Pick<Platform, 'random'>, length: number): string {
  let text = '';
  while (text.length < length) text += Math.floor(random() * 36).toString(36);
  return text;
}

/** Faults of storage have been reported where they happened. */
export function ignored(): void {}
