import type { ConfigStore } from '../streams/config/config-store.ts';
import type { DocumentAddress } from '../actors/vocabulary/documents.ts';
import type { Clock } from './kernel/clock.ts';
import type { SecretBox } from './kernel/secret-box.ts';

/** Where the deployment's own document is. */
export const SETTINGS: DocumentAddress<'deployment'> = {
  game: '_',
  environment: '_',
  kind: 'deployment',
  key: 'settings',
};
/** Few partitions give large batches, and large batches make an fsync cheap (docs/decisions/0033). */
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

/**
 * Holds this process's key against the one the deployment's secrets are sealed with, whose id stands in the deployment's
 * document. The first process to come with a key writes it there, and so does one whose box knows the old key too.
 * @param box undefined: this process has no key
 * @param replaces id of a lost key that the operator gives up
 * @returns `refused` with a message when this process could not open what others seal
 */
export async function agreeOnSecretsKey(
  config: ConfigStore,
  box: SecretBox | undefined,
  replaces: string | undefined,
): Promise<{ kind: 'agreed' } | { kind: 'unavailable' } | { kind: 'refused'; message: string }> {
  const entry = config.get(SETTINGS);
  if (entry === undefined) return { kind: 'unavailable' };
  const { secretsKey } = entry.document;
  if (secretsKey === box?.keyId) return { kind: 'agreed' };
  if (box === undefined) return { kind: 'refused', message: anotherKey('none', String(secretsKey)) };
  if (secretsKey !== undefined && !box.knows(secretsKey) && secretsKey !== replaces) {
    return { kind: 'refused', message: anotherKey(box.keyId, secretsKey) };
  }
  const written = await config.put(SETTINGS, { ...entry.document, secretsKey: box.keyId }, entry.revision);
  // A conflict is another process's doing: what it wrote is asked at the next call.
  return { kind: written.kind === 'written' ? 'agreed' : 'unavailable' };
}

function anotherKey(own: string, deployment: string): string {
  return (
    `The secrets of this deployment are sealed with the key ${deployment}, and this process has the key ${own}. ` +
    'Give every node the same SECRETS_KEY (or key file); while keys change, name the other one in SECRETS_KEY_PREVIOUS. ' +
    `If the key is lost, SECRETS_KEY_REPLACES=${deployment} starts without the webhooks and player-token secrets it sealed.`
  );
}
