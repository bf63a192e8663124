import type { Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import { BUCKET_MAX_AGE_MS, BUCKETS, STREAMS } from '../../stream-definitions.ts';
import type { BucketName, StreamDefinition } from '../../stream-definitions.ts';
import { API_ERRORS, callApi } from './api.ts';
import type { StreamDescription } from './api.ts';
import type { Link } from './link.ts';

/** The oldest server that has message schedules. */
const OLDEST = { major: 2, minor: 12 };
const NANOS_PER_MS = 1_000_000;

/** The broker cannot carry this service; the message says why and what would help. */
export class BrokerUnfit extends Error {
  /** Whether it may pass by itself: a node of the cluster is not there yet. */
  readonly mayPass: boolean;

  constructor(message: string, mayPass = false) {
    super(message);
    this.mayPass = mayPass;
  }
}

export interface EnsureOptions {
  replicas: 1 | 3;
  /** Replaces the definition's bound of FACTS. */
  factsMaxBytes?: number;
}

/**
 * Makes every stream and bucket of the definitions, or brings its configuration up to date, and reads back what the
 * broker made of it: an older server ignores what it does not know. Several processes may do this at once.
 * Throws `BrokerUnfit`; waits for leaders being elected.
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

type StreamConfig = Readonly<Record<string, unknown>> & { name: string };

/** Throws `BrokerUnfit` when the server is too old, or has no JetStream. */
export async function checkServer(link: Link): Promise<void> {
  const info = link.server;
  if (info === undefined) return;
  const [major = 0, minor = 0] = info.version.split('.').map(Number);
  if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
    throw new BrokerUnfit(
      `nats-server ${info.version} is too old: ${OLDEST.major}.${OLDEST.minor} or later is needed (message schedules)`,
    );
  }
  if (info.jetstream !== true) throw new BrokerUnfit('JetStream is off at this nats-server; start it with JetStream');
}

async function ensureStream(link: Link, clock: Clock, config: StreamConfig): Promise<void> {
  const { name } = config;
  const call = (action: string, body?: unknown) =>
    callApi<StreamDescription>(link, clock, `STREAM.${action}.${name}`, body, { streamMayBeMissing: true });

  let answer = await call('INFO');
  if (answer.kind === 'error' && answer.errorCode === API_ERRORS.streamNotFound) answer = await call('CREATE', config);
  if (answer.kind === 'ok' && differences(config, answer.value.config).length > 0)
    answer = await call('UPDATE', config);
  if (answer.kind === 'error') {
    const mayPass = answer.errorCode === API_ERRORS.noPeers;
    throw new BrokerUnfit(
      `stream ${name} cannot be made: ${answer.description} (error ${answer.errorCode})${storeRemedy(config, answer.errorCode)}`,
      mayPass,
    );
  }
  const left = differences(config, answer.value.config);
  if (left.length > 0) throw new BrokerUnfit(`stream ${name}: the broker does not take over ${left.join(', ')}`);
}

function storeRemedy(config: StreamConfig, errorCode: number): string {
  const isFull = errorCode === API_ERRORS.fileStoreTooSmall || errorCode === API_ERRORS.memoryStoreTooSmall;
  if (!isFull) return '';
  const setting = errorCode === API_ERRORS.fileStoreTooSmall ? 'max_file_store' : 'max_memory_store';
  const mebibytes = Number(config['max_bytes']) / 1024 ** 2;
  return `. It reserves ${mebibytes} MiB on each server that holds it: raise jetstream.${setting}, see "What runs where"`;
}

function differences(wanted: StreamConfig, actual: Readonly<Record<string, unknown>>): string[] {
  // The broker leaves out what is false or at its default.
  return Object.keys(wanted).filter((key) => {
    const value = actual[key] ?? (wanted[key] === false ? false : undefined);
    return JSON.stringify(value) !== JSON.stringify(wanted[key]);
  });
}

function streamConfig(definition: StreamDefinition, replicas: number): StreamConfig {
  return {
    name: definition.name,
    subjects: definition.subjects,
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

/** As the key-value convention of NATS wants it, so that its tools work with our buckets. */
function bucketConfig(name: BucketName, replicas: number): StreamConfig {
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
