import type { Platform } from '../platform.ts';
import { storageLease } from './storage-lease.ts';
import { webPlatform } from './web-platform.ts';

/**
 * One sender among the tabs of a page without Web Locks, which browsers deny to pages without TLS:
 * `createGame({ …, platform: { lock: leaseLock() } })`.
 */
export function leaseLock(): Platform['lock'] {
  const platform = webPlatform();
  return (name, changed) => storageLease(platform, name, changed);
}
