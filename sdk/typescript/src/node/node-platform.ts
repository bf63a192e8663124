import { homedir } from 'node:os';
import { join } from 'node:path';
import { webPlatform } from '../browser/web-platform.ts';
import type { Platform } from '../platform.ts';
import type { KeyValueStorage } from '../storage.ts';
import { boundedAnswers } from './bounded-answers.ts';
import { fileStorage } from './file-storage.ts';
import { nodeStream } from './node-stream.ts';
import { processLock } from './process-lock.ts';

/** Where the queue is kept by default: below the user's home. */
const FOLDER = join(homedir(), '.player-analytics');

/**
 * The platform of Node.
 * @param storage replaces the folder; no lock is taken for it, so no other running client of the player may use it
 */
export function nodePlatform(storage: KeyValueStorage | undefined, folder = FOLDER): Platform {
  const web = webPlatform(storage ?? fileStorage(folder));
  const fetch: Platform['fetch'] = boundedAnswers((url, request) => web.fetch(url, request));
  const platform = { ...web, fetch, stream: nodeStream };
  if (storage !== undefined) return platform;
  const lock: Platform['lock'] = (name, changed) =>
    processLock(join(folder, 'locks', encodeURIComponent(name)), changed, (callback, delayMs) =>
      platform.setTimer(callback, delayMs),
    );
  return { ...platform, lock };
}
