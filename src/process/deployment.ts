import type { ConfigStore } from '../../streams/config/config-store.ts';
import type { DeploymentDocument, DocumentAddress } from '../../core/vocabulary/documents/documents.ts';
import type { StreamShape } from '../../streams/log/jetstream/stream-shape.ts';
import { FORMAT } from '../../core/vocabulary/formats.ts';
import { STREAMS } from '../../streams/log/stream-definitions.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { PROCESS_LIMITS } from './limits.ts';
import { SETTINGS_LIMITS } from '../settings/limits.ts';
import type { SecretBox } from '../../core/kernel/secrets/secret-box.ts';

/** The address of the deployment's settings, which every process shares. */
export const SETTINGS: DocumentAddress<'deployment'> = {
  game: '_',
  environment: '_',
  kind: 'deployment',
  key: 'settings',
};
/** With few partitions batches are large, and each fsync covers more commands (docs/decisions/0002). */
const DEFAULT_PARTITIONS = 2;

/** What a deployment is. */
export interface Deployment extends StreamShape {
  partitions: number;
}

/** The settings of one process; `undefined`: not set, so that the deployment's value applies. */
export type DeploymentSettings = { readonly [K in keyof Deployment]: Deployment[K] | undefined } & {
  /** Partitions of a new deployment whose `partitions` is not set. */
  readonly firstPartitions?: number | undefined;
};

export type AgreedDeployment =
  | { kind: 'agreed'; deployment: Deployment; warnings: readonly string[] }
  | { kind: 'unavailable' }
  | { kind: 'refused'; message: string };

/**
 * What the deployment is, according to its document. The first process to start writes the document: its settings, and
 * for streams that exist already at least what they are today. Later settings must agree with it.
 * @param held the shape of the streams that exist
 * @returns `refused` if a setting contradicts the deployment
 */
export async function agreeOnDeployment(
  config: ConfigStore,
  settings: DeploymentSettings,
  held: Partial<StreamShape>,
  clock: Clock,
): Promise<AgreedDeployment> {
  let entry = config.get(SETTINGS);
  let found = entry && readDeployment(entry.document);
  if (found === undefined) {
    const partitions = settings.partitions ?? settings.firstPartitions ?? DEFAULT_PARTITIONS;
    const document = { format: FORMAT, partitions, createdAt: clock.wallMs(), ...shapeAtFirst(settings, held) };
    const written = await config.put(SETTINGS, document, 0);
    if (written.kind === 'unavailable') return { kind: 'unavailable' };
    // On a conflict another process was first. Its document applies; this process's watch will receive it.
    entry = written.kind === 'written' ? written.entry : config.get(SETTINGS);
    if (entry === undefined) return { kind: 'unavailable' };
    found = readDeployment(entry.document);
  }
  if (found.kind === 'invalid') return { kind: 'refused', message: found.message };
  const { deployment } = found;
  const message = contradiction(settings, deployment);
  if (message !== undefined) return { kind: 'refused', message };
  return { kind: 'agreed', deployment, warnings: warningsOf(settings, deployment) };
}

export type ReadDeployment = { kind: 'valid'; deployment: Deployment } | { kind: 'invalid'; message: string };

/** Reads the deployment's document. An operator may have edited it, so each value is checked. */
export function readDeployment(document: DeploymentDocument): ReadDeployment {
  const { format, partitions, replicas, factsMaxBytes } = document;
  if (format !== FORMAT) return { kind: 'invalid', message: ofAnotherVersion(format) };
  for (const [name, { least, most, remedy }] of RULES) {
    const value: unknown = document[name];
    if (isIntegerNumber(value) && value >= least && value <= most) continue;
    const message =
      `The document _._.deployment.settings in CONFIG has \`${name}\` ${JSON.stringify(value)}; it must be a whole ` +
      `number from ${least} to ${most}. ${remedy}`;
    return { kind: 'invalid', message };
  }
  return { kind: 'valid', deployment: { partitions, replicas, factsMaxBytes } };
}

/** @param format undefined: of a version before 1.0.0 */
function ofAnotherVersion(format: number | undefined): string {
  return (
    `The data of this deployment has the format ${format ?? 'of a version before 1.0.0'}; this version reads format ` +
    `${FORMAT} only. Start the version that wrote the data, or start with none: an empty DATA_DIR, or an empty ` +
    'JetStream account and ClickHouse database.'
  );
}

function isIntegerNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

const RULES: readonly [keyof Deployment, { least: number; most: number; remedy: string }][] = [
  [
    'partitions',
    { least: 1, most: SETTINGS_LIMITS.partitionsMost, remedy: 'Restore the document from a backup of the broker.' },
  ],
  ['replicas', { least: 1, most: PROCESS_LIMITS.replicasMost, remedy: setBy('--replicas') }],
  [
    'factsMaxBytes',
    { least: SETTINGS_LIMITS.factsSmallestBytes, most: Number.MAX_SAFE_INTEGER, remedy: setBy('--facts-max-bytes') },
  ],
];

function setBy(option: string): string {
  return `Run \`npm run cli -- deployment set ${option} <value>\`.`;
}

/** What this process wants, or what the streams are if that is more. */
function shapeAtFirst(settings: DeploymentSettings, held: Partial<StreamShape>): StreamShape {
  const wantedBytes = settings.factsMaxBytes ?? held.factsMaxBytes ?? STREAMS.FACTS.maxBytes;
  return {
    replicas: Math.max(settings.replicas ?? 1, held.replicas ?? 1),
    factsMaxBytes: Math.max(wantedBytes, held.factsMaxBytes ?? 0, SETTINGS_LIMITS.factsSmallestBytes),
  };
}

/** Why this process cannot be part of the deployment. */
function contradiction({ partitions, replicas }: DeploymentSettings, deployment: Deployment): string | undefined {
  if (partitions !== undefined && partitions !== deployment.partitions) {
    return (
      `PARTITIONS is ${partitions}, but this deployment was created with ${deployment.partitions} partitions. The ` +
      `count is fixed: set PARTITIONS=${deployment.partitions} or remove it.`
    );
  }
  if (replicas !== undefined && replicas !== deployment.replicas) {
    return (
      `NATS_REPLICAS is ${replicas}, but this deployment stores each record on ${deployment.replicas} brokers. Set ` +
      `NATS_REPLICAS=${deployment.replicas} or remove it. To change the deployment, start without it and run ` +
      `\`npm run cli -- deployment set --replicas ${replicas}\`.`
    );
  }
  return undefined;
}

/** A differing size of FACTS harms nothing: the deployment's size applies to the one stream of all processes. */
function warningsOf({ factsMaxBytes }: DeploymentSettings, deployment: Deployment): string[] {
  if (factsMaxBytes === undefined || factsMaxBytes === deployment.factsMaxBytes) return [];
  return [
    `FACTS_MAX_BYTES is ${factsMaxBytes}, but this deployment has ${deployment.factsMaxBytes}, which applies. Remove ` +
      `the setting, or run \`npm run cli -- deployment set --facts-max-bytes ${factsMaxBytes}\`.`,
  ];
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
