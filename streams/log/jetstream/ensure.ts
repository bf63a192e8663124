import { JetStreamApiError } from '@nats-io/jetstream';
import type { Clock } from '../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from './limits.ts';
import { BUCKET_MAX_AGE_MS, BUCKETS, STREAMS } from '../stream-definitions.ts';
import type { BucketName, StreamDefinition } from '../stream-definitions.ts';
import { subjectMatches } from '../subject-match.ts';
import { API_ERRORS, untilAnswered } from './api.ts';
import type { Link } from './link.ts';
import type { Manager, StreamDescription } from './manager.ts';
import { bucketStream, type StreamShape } from './stream-shape.ts';

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
  /** The shape of streams that do not exist. */
  made: StreamShape;
  /**
   * Existing streams get at least this shape. `undefined`: they keep their own. Read for each stream, because an
   * operator may lower the shape meanwhile.
   */
  least: () => StreamShape | undefined;
  /** Called with each stream that had less than `least`. */
  onRaised: (stream: string) => void;
}

/**
 * Makes every stream and bucket of the definitions or updates its configuration, and reads the result back, because an
 * older server ignores settings that it does not know. Several processes may do this at once, also of several versions.
 * Throws `BrokerUnfit`; waits while leaders are elected.
 *
 * Invariant: replicas, sizes, ages and subjects of an existing stream only grow here, and its storage and retention
 * stay. Only an operator lowers them (`reshapeStreams`).
 */
export async function ensureStreams(link: Link, clock: Clock, options: EnsureOptions): Promise<void> {
  await checkServer(link);
  const { least, onRaised } = options;
  for (const definition of Object.values(STREAMS)) {
    const isFacts = definition.name === 'FACTS';
    await ensureStream(link, clock, onRaised, () => {
      const made = least() ?? options.made;
      const maxBytes = isFacts ? made.factsMaxBytes : definition.maxBytes;
      return {
        made: streamConfig({ ...definition, maxBytes }, made.replicas),
        leastReplicas: least()?.replicas ?? 0,
        leastBytes: isFacts ? (least()?.factsMaxBytes ?? 0) : definition.maxBytes,
      };
    });
  }
  for (const name of BUCKETS) {
    await ensureStream(link, clock, onRaised, () => ({
      made: bucketConfig(name, (least() ?? options.made).replicas),
      leastReplicas: least()?.replicas ?? 0,
      leastBytes: JETSTREAM_LIMITS.bucketBytes,
    }));
  }
}

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

interface Wanted {
  /** The configuration of a stream that does not exist. */
  made: WantedConfig;
  leastReplicas: number;
  leastBytes: number;
}

async function ensureStream(
  link: Link,
  clock: Clock,
  onRaised: (stream: string) => void,
  wanted: () => Wanted,
): Promise<void> {
  const { made } = wanted();
  const { name } = made;
  try {
    const { config, applied, raised } = await takeOver(link, clock, wanted);
    const left = differences(config, applied.config);
    if (left.length > 0) throw new BrokerUnfit(`stream ${name}: the broker does not apply ${left.join(', ')}`);
    if (raised) onRaised(name);
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    throw new BrokerUnfit(
      `stream ${name} cannot be made: ${error.message} (error ${error.code})${storeRemedy(made, error.code)}`,
      error.code === API_ERRORS.noPeers,
    );
  }
}

interface TakenOver {
  config: WantedConfig;
  /** What the broker made of it. */
  applied: StreamDescription;
  /** Whether the stream had fewer replicas or bytes than it should. */
  raised: boolean;
}

/** Makes the stream, or updates it if it differs. */
async function takeOver(link: Link, clock: Clock, wanted: () => Wanted): Promise<TakenOver> {
  const { made } = wanted();
  const { name } = made;
  const call = (send: (streams: Manager['streams']) => Promise<StreamDescription>) =>
    untilAnswered(link, clock, ({ streams }) => send(streams), { streamMayBeMissing: true });
  const found = await call((streams) => streams.info(name)).catch((error: unknown) => {
    if (error instanceof JetStreamApiError && error.code === API_ERRORS.streamNotFound) return undefined;
    throw error;
  });
  if (found === undefined) {
    try {
      return { config: made, applied: await call((streams) => streams.add({ ...made })), raised: false };
    } catch (error) {
      // Another process made it just now, with other settings.
      if (!(error instanceof JetStreamApiError) || error.code !== API_ERRORS.streamNameInUse) throw error;
      return takeOver(link, clock, wanted);
    }
  }
  const config = grown(wanted(), found.config);
  const differing = differences(config, found.config);
  if (differing.length === 0) return { config, applied: found, raised: false };
  const raised = differing.includes('num_replicas') || differing.includes('max_bytes');
  return { config, applied: await call((streams) => streams.update(name, config)), raised };
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

/** The configuration of an existing stream: what it has, or what is wanted if that is more. */
function grown({ made, leastReplicas, leastBytes }: Wanted, found: object): WantedConfig {
  const fields = new Map<string, unknown>(Object.entries(found));
  for (const key of ['storage', 'retention'] as const) {
    if (fields.get(key) === made[key]) continue;
    throw new BrokerUnfit(
      `stream ${made.name} has ${key} "${String(fields.get(key))}"; this program needs "${String(made[key])}". ` +
        'It does not change the stream: another program may use it. Use a broker, or an account of it, of its own.',
    );
  }
  const number = (key: string, absent: number): number => {
    const value = fields.get(key);
    return typeof value === 'number' ? value : absent;
  };
  const [maxBytes, maxAge] = [number('max_bytes', -1), number('max_age', 0)];
  const window = made.duplicate_window;
  return {
    ...made,
    subjects: joined(made.subjects ?? [], fields.get('subjects')),
    num_replicas: Math.max(number('num_replicas', 1), leastReplicas),
    // The broker writes -1 for a stream without a limit, and 0 for records that never expire.
    max_bytes: maxBytes <= 0 ? maxBytes : Math.max(maxBytes, leastBytes),
    max_age: maxAge === 0 || made.max_age === 0 ? 0 : Math.max(maxAge, Number(made.max_age)),
    ...(window === undefined ? {} : { duplicate_window: Math.max(number('duplicate_window', 0), window) }),
  };
}

/** The wanted subjects, and the stream's others: a newer version may use them. */
function joined(wanted: readonly string[], found: unknown): string[] {
  const others = Array.isArray(found) ? found.filter((subject) => typeof subject === 'string') : [];
  return [...wanted, ...others.filter((other) => !wanted.some((pattern) => subjectMatches(pattern, other)))];
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
    max_bytes: JETSTREAM_LIMITS.bucketBytes,
    max_age: BUCKET_MAX_AGE_MS[name] * NANOS_PER_MS,
    allow_rollup_hdrs: true,
    deny_delete: true,
    num_replicas: replicas,
  };
}
