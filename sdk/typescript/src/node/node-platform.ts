import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { webPlatform } from '../browser/web-platform.ts';
import type { Platform } from '../platform.ts';
import type { KeyValueStorage } from '../events/storage.ts';
import { boundedAnswers } from './bounded-answers.ts';
import { fileStorage } from './file-storage.ts';
import { nodeStream } from './node-stream.ts';
import { processLock } from './process-lock.ts';

/** Where the queue is kept by default: a folder of the program's own below the user's home. */
export function defaultFolder(program = process.argv[1] ?? process.cwd(), home = homedir()): string {
  const digest = createHash('sha256').update(program).digest('hex').slice(0, 12);
  return join(home, '.player-analytics', `${basename(program)}-${digest}`);
}

/**
 * The platform of Node.
 * @param storage replaces the folder; no lock is taken for it, so no other running client of the player may use it
 */
export function nodePlatform(storage: KeyValueStorage | undefined, folder = defaultFolder()): Platform {
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
