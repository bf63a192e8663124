import { parseObject } from '../wire/json.ts';
import type { Platform } from '../platform.ts';
import type { KeyValueStorage } from '../events/storage.ts';

/**
 * The right to send for browsers without Web Locks: an item in the shared storage that names its holder and ends by
 * itself. Storage has no compare-and-set, so two tabs may hold it for a moment; both then send the same event ids,
 * which the service counts once.
 */
export function storageLease(
  platform: Pick<Platform, 'wallMs' | 'random' | 'setTimer'> & { storage: KeyValueStorage },
  key: string,
  changed: (held: boolean) => void,
): () => void {
  const { storage, wallMs, random, setTimer } = platform;
  const own = random().toString(36).slice(2);
  let isHeld = false;
  let isReleased = false;
  let cancel = () => {};

  async function turn(): Promise<void> {
    const holds = await claim().catch(() => isHeld);
    if (isReleased) return;
    if (holds !== isHeld) {
      isHeld = holds;
      changed(holds);
    }
    cancel = setTimer(() => void turn(), isHeld ? RENEW_MS : RENEW_MS + random() * RENEW_MS);
  }

  async function claim(): Promise<boolean> {
    const { owner, untilMs } = leaseOf(await storage.getItem(key));
    // A lease from far in the future was written by a clock that has been set back since.
    const isFree = owner === own || untilMs <= wallMs() || untilMs > wallMs() + 2 * LEASE_MS;
    if (!isFree || isReleased) return false;
    await storage.setItem(key, JSON.stringify({ owner: own, untilMs: wallMs() + LEASE_MS }));
    if (isHeld) return true;
    // The last writer holds the lease. The others read that after a while.
    await new Promise<void>((resolve) => setTimer(resolve, SETTLE_MS));
    return leaseOf(await storage.getItem(key)).owner === own;
  }

  async function release(): Promise<void> {
    if (leaseOf(await storage.getItem(key)).owner === own) await storage.removeItem(key);
  }

  void turn();
  return () => {
    isReleased = true;
    cancel();
    // Without it the lease ends by itself.
    if (isHeld) release().catch(() => {});
  };
}

const LEASE_MS = 15_000;
/** Twice per lease and once more, so that a late timer loses nothing. */
const RENEW_MS = 5_000;
const SETTLE_MS = 100;

function leaseOf(text: string | null): { owner: string; untilMs: number } {
  const { owner, untilMs } = Object(parseObject(text));
  return { owner: String(owner), untilMs: Number(untilMs) || 0 };
}
