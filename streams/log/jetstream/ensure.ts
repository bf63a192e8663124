import { JetStreamApiError } from '@nats-io/jetstream';
import type { Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import { BUCKET_MAX_AGE_MS, BUCKETS, STREAMS } from '../../stream-definitions.ts';
import type { BucketName, StreamDefinition } from '../../stream-definitions.ts';
import { API_ERRORS, untilAnswered } from './api.ts';
import type { Link } from './link.ts';
import type { Manager, StreamDescription } from './manager.ts';

/** The oldest server with message schedules. */
const OLDEST = { major: 2, minor: 12 };
const NANOS_PER_MS = 1_000_000;

/** The broker cannot be used; the message names the reason and the remedy. */
export class BrokerUnfit extends Error {
  /** Whether the fault may pass: a node of the cluster is still starting. */
  readonly mayPass: boolean;

  constructor(message: string, mayPass = false) {
    super(message);
    this.mayPass = mayPass;
  }
}

export interface EnsureOptions {
  replicas: 1 | 3;
  /** Overrides the size of FACTS. */
  factsMaxBytes?: number;
}

/**
 * Makes every stream and bucket of the definitions or updates its configuration, and reads the result back, because an
 * older server ignores settings that it does not know. Several processes may do this at once. Throws `BrokerUnfit`;
 * waits while leaders are elected.
 */
export async function ensureStreams(link: Link, clock: Clock, options: EnsureOptions): Promise<void> {
  await checkServer(link);
  for (const definition of Object.values(STREAMS)) {
    const maxBytes = definition.name === 'FACTS' ? (options.factsMaxBytes ?? definition.maxBytes) : definition.maxBytes;
    await ensureStream(link, clock, streamConfig({ ...definition, maxBytes }, options.replicas));
  }
  for (const name of BUCKETS) await ensureStream(link, clock, bucketConfig(name, options.replicas));
}

/** The stream behind a bucket. */
export const bucketStream = (name: BucketName): string => `KV_${name}`;

type WantedConfig = Parameters<Manager['streams']['add']>[0];

/** Throws `BrokerUnfit` when the server is too old, or has no JetStream. */
export async function checkServer(link: Link): Promise<void> {
  const info = link.server;
  if (info === undefined) return;
  const [major = 0, minor = 0] = info.version.split('.').map(Number);
  if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
    throw new BrokerUnfit(
      `nats-server ${info.version} is too old: ${OLDEST.major}.${OLDEST.minor} or later is required (message schedules)`,
    );
  }
  if (info.jetstream !== true) throw new BrokerUnfit('JetStream is off on this nats-server; start it with JetStream');
}

async function ensureStream(link: Link, clock: Clock, config: WantedConfig): Promise<void> {
  const { name } = config;
  try {
    const left = differences(config, (await takeOver(link, clock, config)).config);
    if (left.length > 0) throw new BrokerUnfit(`stream ${name}: the broker does not apply ${left.join(', ')}`);
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    throw new BrokerUnfit(
      `stream ${name} cannot be made: ${error.message} (error ${error.code})${storeRemedy(config, error.code)}`,
      error.code === API_ERRORS.noPeers,
    );
  }
}

/** Makes the stream, or updates it if it differs. Resolves to what the broker made of it. */
async function takeOver(link: Link, clock: Clock, config: WantedConfig): Promise<StreamDescription> {
  const call = (ask: (streams: Manager['streams']) => Promise<StreamDescription>) =>
    untilAnswered(link, clock, ({ streams }) => ask(streams), { streamMayBeMissing: true });
  let found: StreamDescription;
  try {
    found = await call((streams) => streams.info(config.name));
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== API_ERRORS.streamNotFound) throw error;
    found = await call((streams) => streams.add({ ...config }));
  }
  if (differences(config, found.config).length === 0) return found;
  return call((streams) => streams.update(config.name, config));
}

function storeRemedy(config: WantedConfig, errorCode: number): string {
  const isFull = errorCode === API_ERRORS.fileStoreTooSmall || errorCode === API_ERRORS.memoryStoreTooSmall;
  if (!isFull) return '';
  const setting = errorCode === API_ERRORS.fileStoreTooSmall ? 'max_file_store' : 'max_memory_store';
  const mebibytes = Number(config.max_bytes) / 1024 ** 2;
  return `. It reserves ${mebibytes} MiB on each server that holds it: raise jetstream.${setting}, see "What runs where"`;
}

function differences(wanted: WantedConfig, actual: object): string[] {
  const found = new Map<string, unknown>(Object.entries(actual));
  // The broker omits settings that are false.
  return Object.entries(wanted)
    .filter(
      ([key, value]) =>
        JSON.stringify(found.get(key) ?? (value === false ? false : undefined)) !== JSON.stringify(value),
    )
    .map(([key]) => key);
}

function streamConfig(definition: StreamDefinition, replicas: number): WantedConfig {
  return {
    name: definition.name,
    subjects: [...definition.subjects],
    storage: definition.storage,
    retention: definition.retention,
    discard: definition.discard,
    max_bytes: definition.maxBytes,
    max_age: definition.maxAgeMs * NANOS_PER_MS,
    duplicate_window: definition.duplicateWindowMs * NANOS_PER_MS,
    num_replicas: replicas,
    ...(definition.schedules ? { allow_msg_schedules: true } : {}),
  };
}

/** Follows the key-value convention of NATS, so that its tools can read our buckets. */
function bucketConfig(name: BucketName, replicas: number): WantedConfig {
  return {
    name: bucketStream(name),
    subjects: [`$KV.${name}.>`],
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    max_msgs_per_subject: 1,
    max_bytes: LIMITS.bucketBytes,
    max_age: BUCKET_MAX_AGE_MS[name] * NANOS_PER_MS,
    allow_rollup_hdrs: true,
    deny_delete: true,
    num_replicas: replicas,
  };
}
