import { homedir } from 'node:os';
import { join } from 'node:path';
import { webPlatform } from '../browser/web-platform.ts';
import type { Platform } from '../platform.ts';
import type { KeyValueStorage } from '../storage.ts';
import { fileStorage } from './file-storage.ts';
import { processLock } from './process-lock.ts';

/** Where the queue is kept by default: below the user's home. */
const FOLDER = join(homedir(), '.player-analytics');

/** The platform of Node. @param storage replaces the folder; it is taken to be this client's alone */
export function nodePlatform(storage: KeyValueStorage | undefined, folder = FOLDER): Platform {
  const platform = webPlatform(storage ?? fileStorage(folder));
  if (storage !== undefined) return platform;
  const lock: Platform['lock'] = (name, changed) =>
    processLock(join(folder, 'locks', encodeURIComponent(name)), changed, (callback, delayMs) =>
      platform.setTimer(callback, delayMs),
    );
  return { ...platform, lock };
}
