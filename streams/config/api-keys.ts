import { createHash } from 'node:crypto';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import type { ApiKeyDocument, DocumentAddress, Tier } from '../../core/vocabulary/documents/documents.ts';
import type { Environment } from '../../core/vocabulary/documents/scope.ts';

/** What a new API key is for. */
export interface ApiKeyRequest {
  game: string;
  environment: Environment;
  kind: ApiKeyDocument['kind'];
  tier: Tier;
  scopes: readonly string[];
  name?: string | undefined;
  /** Epoch milliseconds. Absent: never. */
  expiresAt?: number | undefined;
}

/** A new key. `text` is shown once and not stored. */
export interface NewApiKey {
  text: string;
  address: DocumentAddress<'key'>;
  document: ApiKeyDocument;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 190 bits cannot be guessed, so an unsalted hash is safe. */
const RANDOM_CHARACTERS = 32;
const PREFIXES = { client: 'pk', server: 'sk' } as const;

/** Creates a key: its text (`pk_live_…`, `sk_test_…`) and the document to store. */
export function createApiKey(request: ApiKeyRequest, clock: Clock, ids: Ids): NewApiKey {
  const text = `${PREFIXES[request.kind]}_${request.environment}_${randomBase62(RANDOM_CHARACTERS, ids)}`;
  return { text, ...apiKeyRecord(text, request, clock, ids) };
}

/** The document of a given key text, and its address. */
export function apiKeyRecord(text: string, request: ApiKeyRequest, clock: Clock, ids: Ids): Omit<NewApiKey, 'text'> {
  const createdAt = clock.wallMs();
  return {
    address: { game: request.game, environment: request.environment, kind: 'key', key: hashApiKey(text) },
    document: {
      id: ids.uuidv7(createdAt),
      ...(request.name === undefined || request.name === '' ? {} : { name: request.name }),
      kind: request.kind,
      tier: request.tier,
      scopes: [...request.scopes],
      hint: `${text.slice(0, 12)}…`,
      createdAt,
      ...(request.expiresAt === undefined ? {} : { expiresAt: request.expiresAt }),
      revokedAt: null,
    },
  };
}

/** The name a key is stored under: SHA-256 of its whole text, in hex. */
export function hashApiKey(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** When a key ends or has ended: revoked, expired or replaced. Undefined: nothing ends it yet. */
export function endOf({ expiresAt, rotated, revokedAt }: ApiKeyDocument): number | undefined {
  const ends = [expiresAt, rotated?.until, revokedAt ?? undefined].filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Whether requests may use a key. A revoked one ends at once, whatever this machine's clock says. */
export function isValid(document: ApiKeyDocument, nowMs: number): boolean {
  return document.revokedAt === null && nowMs < (endOf(document) ?? Number.POSITIVE_INFINITY);
}

/** Unbiased random characters: bytes beyond the last multiple of 62 are drawn again. */
function randomBase62(length: number, ids: Ids): string {
  const usable = 256 - (256 % ALPHABET.length);
  let text = '';
  while (text.length < length) {
    for (const byte of ids.bytes(length - text.length)) {
      if (byte < usable) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}
