import type { ConfigStore } from '../streams/config/config-store.ts';
import type { DocumentAddress } from '../streams/config/documents.ts';
import type { Clock } from './kernel/clock.ts';

const SETTINGS: DocumentAddress<'deployment'> = { game: '_', environment: '_', kind: 'deployment', key: 'settings' };
/** Few partitions give large batches, and large batches are what makes an fsync cheap (see DECISIONS.md). */
const DEFAULT_PARTITIONS = 2;

/**
 * The deployment's partition count: chosen by whoever starts first, then fixed, as players are hashed over it.
 * @returns a message when `wanted` is another count than the deployment's
 */
export async function agreeOnPartitions(
  config: ConfigStore,
  wanted: number | undefined,
  clock: Clock,
): Promise<{ kind: 'agreed'; partitions: number } | { kind: 'unavailable' } | { kind: 'refused'; message: string }> {
  let entry = config.get(SETTINGS);
  if (entry === undefined) {
    const document = { partitions: wanted ?? DEFAULT_PARTITIONS, createdAt: clock.wallMs() };
    const written = await config.put(SETTINGS, document, 0);
    if (written.kind === 'unavailable') return { kind: 'unavailable' };
    // Somebody else was first: theirs counts, and our own watch is about to show it.
    entry = written.kind === 'written' ? written.entry : config.get(SETTINGS);
    if (entry === undefined) return { kind: 'unavailable' };
  }
  const { partitions } = entry.document;
  if (wanted !== undefined && wanted !== partitions) {
    const message = `PARTITIONS is ${wanted}, but this deployment was made with ${partitions}; it cannot be changed`;
    return { kind: 'refused', message };
  }
  return { kind: 'agreed', partitions };
}
