import type { ConfigStore } from '../streams/config/config-store.ts';
import type { DocumentAddress } from '../actors/vocabulary/documents.ts';
import type { Clock } from './kernel/clock.ts';
import type { SecretBox } from './kernel/secret-box.ts';

/** The address of the deployment's settings, which every process shares. */
export const SETTINGS: DocumentAddress<'deployment'> = {
  game: '_',
  environment: '_',
  kind: 'deployment',
  key: 'settings',
};
/** With few partitions batches are large, and each fsync covers more commands (docs/decisions/0033). */
const DEFAULT_PARTITIONS = 2;

/**
 * The deployment's partition count. The first process to start chooses it; then it is fixed, because players are hashed
 * over it.
 * @returns `refused` if `wanted` differs from the deployment's count
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
    // On a conflict another process was first. Its count applies; this process's watch will receive it.
    entry = written.kind === 'written' ? written.entry : config.get(SETTINGS);
    if (entry === undefined) return { kind: 'unavailable' };
  }
  const { partitions } = entry.document;
  if (wanted !== undefined && wanted !== partitions) {
    const message =
      `PARTITIONS is ${wanted}, but this deployment was created with ${partitions} partitions. The count is fixed: ` +
      `set PARTITIONS=${partitions} or remove it.`;
    return { kind: 'refused', message };
  }
  return { kind: 'agreed', partitions };
}

/**
 * Compares this process's key with the deployment's key, whose id is in the deployment's settings. The first process
 * with a key writes its id there; so does a process that has the old key as well.
 * @param box undefined: this process has no key
 * @param replaces id of a lost key that the operator gives up
 * @returns `refused` if this process cannot open the secrets of other processes
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
  // On a conflict another process changed the settings; the next call compares with the new key.
  return { kind: written.kind === 'written' ? 'agreed' : 'unavailable' };
}

function anotherKey(own: string, deployment: string): string {
  return (
    `The secrets of this deployment are sealed with the key ${deployment}, but this process has the key ${own}. ` +
    'Set the same SECRETS_KEY (or key file) on every node. During a rotation, set the other key in ' +
    `SECRETS_KEY_PREVIOUS. If the key is lost, SECRETS_KEY_REPLACES=${deployment} starts the service without the ` +
    'webhooks and player-token secrets that it sealed.'
  );
}
