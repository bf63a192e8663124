import type { KeyValueStorage } from './storage.ts';

/*
 * Keys in storage. Everything of one API key of one service is below one root; everything of one player below that, so
 * that no event is ever sent for another player.
 */
export interface StorageNames {
  root: string;
  consent: string;
  state: string;
  /** Prefix of the queue's chunks. */
  queue: string;
  lock: string;
  tabs: string;
}

export function storageNames(baseUrl: string, key: string, player: string): StorageNames {
  const root = `player-analytics/1/${digest(`${baseUrl}\n${key}`)}/`;
  return namesBelow(root, root + digest(player));
}

function namesBelow(root: string, own: string): StorageNames {
  return {
    root,
    consent: `${root}consent`,
    state: `${own}/state`,
    queue: `${own}/queue/`,
    lock: `${own}/lock`,
    tabs: `${own}/tabs`,
  };
}

/** Other players of this key with something in their queue. */
export async function playersWithQueues(storage: KeyValueStorage, own: StorageNames): Promise<StorageNames[]> {
  const keys = (await storage.getAllKeys()).filter((key) => key.startsWith(own.root) && !key.startsWith(own.queue));
  const places = keys.flatMap((key) => (key.includes('/queue/') ? [key.slice(0, key.indexOf('/queue/'))] : []));
  return [...new Set(places)].map((place) => namesBelow(own.root, place));
}

/** Withdrawn consent removes everything of this key on the device, of other players too. */
export async function storeConsent(
  storage: KeyValueStorage,
  { root, consent }: StorageNames,
  isGiven: boolean,
): Promise<void> {
  await storage.setItem(consent, isGiven ? 'given' : 'denied');
  if (isGiven) return;
  for (const key of await storage.getAllKeys()) {
    if (key.startsWith(root) && key !== consent) await storage.removeItem(key);
  }
}

/**
 * 106 bits as text (two runs of cyrb53 with different seeds): short, the same everywhere, and without the characters
 * that files and stores refuse. It tells players apart; it protects nothing.
 */
function digest(text: string): string {
  return mixed(text, 0) + mixed(text, 0x9e3779b9);
}

function mixed(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36).padStart(11, '0');
}
