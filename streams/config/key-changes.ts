import type { Clock } from '../../core/kernel/clock.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import { failure, type Failure } from '../../core/kernel/errors.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { SCOPES_OF } from './key-scopes.ts';
import { type ApiKeyRequest, createApiKey, endOf, isValid } from './api-keys.ts';
import type { ConfigEntry, ConfigStore } from './config-store.ts';
import { CONFIG_LIMITS } from './limits.ts';

/*
 * What admins and operators do to API keys: create, rotate, revoke. Routes and the command line use these functions.
 *
 * Invariants
 * 1. The text of a key is returned once, by what makes it, and stored nowhere.
 * 2. A rotation moves no end later: the old key ends by the overlap or by its own expiry, whichever is first.
 * 3. None waits for a second person: a key grants no person a role, and keys never waited.
 */

export interface KeyPorts {
  config: Pick<ConfigStore, 'list'>;
  /** Over HTTP each write has an entry in the audit. */
  writes: Pick<ConfigStore, 'put' | 'delete'>;
  clock: Clock;
  ids: Ids;
}

type KeyEntry = ConfigEntry<'key'>;

/** A stored key with its text. */
export interface MadeKey {
  kind: 'made';
  entry: KeyEntry;
  text: string;
}

/** Creates a key. */
export async function createKey(request: ApiKeyRequest, ports: KeyPorts): Promise<MadeKey | Failure> {
  return faultIn(request, ports) ?? tooMany(request, CONFIG_LIMITS.keysOfEnvironment, ports) ?? make(request, ports);
}

/**
 * Makes a successor with the name, kind, tier and scopes of a key, which then ends after the overlap. Without an expiry
 * of its own the successor lives as long as the key was made to live.
 */
export async function rotateKey(
  held: KeyEntry,
  {
    overlapDays = CONFIG_LIMITS.keyOverlapDaysDefault,
    expiresAt,
  }: { overlapDays?: number | undefined; expiresAt?: number | undefined },
  ports: KeyPorts,
): Promise<(MadeKey & { old: KeyEntry }) | Failure> {
  const { game, environment, document, revision, key } = held;
  const nowMs = ports.clock.wallMs();
  if (environment === '_' || !isValid(document, nowMs)) return ENDED;
  const { name, kind, tier, scopes, createdAt } = document;
  const life = document.expiresAt === undefined ? undefined : document.expiresAt - createdAt;
  const until = expiresAt ?? (life === undefined ? undefined : nowMs + life);
  const request = { game, environment, name, kind, tier, scopes, expiresAt: until };
  const refused = faultIn(request, ports) ?? tooMany(request, CONFIG_LIMITS.keysWithSuccessors, ports);
  if (refused !== undefined) return refused;
  const made = await make(request, ports);
  if (made.kind === 'failure') return made;
  const rotated = { successor: made.entry.document.id, until: nowMs + overlapDays * DAY_MS };
  const ended = endOf(document);
  if (ended !== undefined) rotated.until = Math.min(rotated.until, ended);
  const written = await ports.writes.put({ game, environment, kind: 'key', key }, { ...document, rotated }, revision);
  if (written.kind === 'written') return { ...made, old: written.entry };
  // No caller learns the text of the successor. If it stays, because the broker is away, it opens nothing.
  await ports.writes.delete(made.entry, made.entry.revision);
  return written.kind === 'conflict' ? CHANGED : NOT_STORED;
}

/** Revokes a key for good. Repeating it changes nothing. */
export async function revokeKey(
  held: KeyEntry,
  { writes, clock }: Pick<KeyPorts, 'writes' | 'clock'>,
): Promise<{ kind: 'revoked'; entry: KeyEntry } | Failure> {
  if (held.document.revokedAt !== null) return { kind: 'revoked', entry: held };
  const { game, environment, key, revision } = held;
  const document = { ...held.document, revokedAt: clock.wallMs() };
  const written = await writes.put({ game, environment, kind: 'key', key }, document, revision);
  if (written.kind === 'written') return { kind: 'revoked', entry: written.entry };
  return written.kind === 'conflict' ? CHANGED : failure('SERVICE_UNAVAILABLE');
}

/** Control characters, which would change how a terminal shows a list. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

function faultIn({ name = '', kind, scopes, expiresAt }: ApiKeyRequest, { clock }: KeyPorts): Failure | undefined {
  if (name.length > CONFIG_LIMITS.keyNameLength || CONTROL.test(name)) {
    return fault(
      '/name',
      `must have at most ${CONFIG_LIMITS.keyNameLength} characters, none of them a control character`,
    );
  }
  const allowed = new Set<string>(SCOPES_OF[kind]);
  const foreign = scopes.find((scope) => !allowed.has(scope));
  if (foreign !== undefined) {
    return fault('/scopes', `of a ${kind} key may be ${[...allowed].join(', ')}, not ${foreign}`);
  }
  if (expiresAt === undefined) return undefined;
  const nowMs = clock.wallMs();
  if (expiresAt > nowMs && expiresAt <= nowMs + CONFIG_LIMITS.keyLifeDays * DAY_MS) return undefined;
  return fault('/expires_at', `must be in the future, and at most ${CONFIG_LIMITS.keyLifeDays} days ahead`);
}

const fault = (path: string, message: string): Failure =>
  failure('VALIDATION_ERROR', `\`${path.slice(1)}\` ${message}.`, { fields: [{ path, message }] });

function tooMany({ game, environment }: ApiKeyRequest, most: number, { config, clock }: KeyPorts): Failure | undefined {
  const nowMs = clock.wallMs();
  const valid = config.list('key', game, environment).filter(({ document }) => isValid(document, nowMs));
  if (valid.length < most) return undefined;
  return failure('CONFLICT', `There are ${valid.length} valid keys; the maximum is ${most}. Revoke one first.`);
}

async function make(request: ApiKeyRequest, ports: KeyPorts): Promise<MadeKey | Failure> {
  const { text, address, document } = createApiKey(request, ports.clock, ports.ids);
  const written = await ports.writes.put(address, document, 0);
  if (written.kind !== 'written') return NOT_STORED;
  await forgetOldest(request, ports);
  return { kind: 'made', entry: written.entry, text };
}

/** Ended keys are kept for lists and the audit, but not without bound. */
async function forgetOldest({ game, environment }: ApiKeyRequest, { config, writes, clock }: KeyPorts): Promise<void> {
  const held = config.list('key', game, environment);
  if (held.length <= CONFIG_LIMITS.keysKept) return;
  const nowMs = clock.wallMs();
  const [oldest] = held
    .filter(({ document }) => !isValid(document, nowMs))
    .toSorted((one, other) => one.document.createdAt - other.document.createdAt);
  if (oldest !== undefined) await writes.delete(oldest, oldest.revision);
}

const NOT_STORED = failure(
  'SERVICE_UNAVAILABLE',
  'The broker did not confirm the write, so the key is not shown. Try again; this makes another key.',
);
const CHANGED = failure('SERVICE_UNAVAILABLE', 'The key was changed by another request at the same time. Try again.');
const ENDED = failure('CONFLICT', 'The key has expired or is revoked, so it has no successor. Create another key.');
