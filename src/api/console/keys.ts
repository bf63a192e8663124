import { Type } from 'typebox';
import { type Tier, TIERS } from '../../../core/vocabulary/documents/documents.ts';
import { SCOPES, SCOPES_OF } from '../../../streams/config/key-scopes.ts';
import { endOf, isValid } from '../../../streams/config/api-keys.ts';
import { createKey, type KeyPorts, revokeKey, rotateKey } from '../../../streams/config/key-changes.ts';
import { CONFIG_LIMITS } from '../../../streams/config/limits.ts';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import { isDeploymentAdmin } from '../../../streams/config/people/user-roles.ts';
import { userAddress } from '../../../streams/config/people/users.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../route/answer.ts';
import { nullableTimeOut, oneOf, textOrNull, timeIn, timeOut } from '../input/fields.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';
import { defineRoute, readBy, writtenBy } from '../route/route.ts';

/*
 * The API keys of a game and environment, for its admins. No API key may call these.
 *
 * Invariant: only admins of all games raise limits. Another admin's key has at most the highest tier of the keys that
 * the game has there, and a successor has that of its predecessor.
 */

const TIER_NAMES = ['growth', 'pro', 'enterprise'] as const satisfies readonly Tier[];
const TierSchema = oneOf(
  TIER_NAMES,
  `Rate limit of the key: ${TIERS.growth} or ${TIERS.pro} requests a minute, or none.`,
);
const Kind = oneOf(
  ['client', 'server'],
  '`client` (pk_): for game clients; it is public. `server` (sk_): for your own servers.',
);
const Scopes = Type.Array(oneOf(SCOPES, 'A scope.'), {
  maxItems: SCOPES.length,
  description:
    'Absent or without one of the first eight: all of those. A client key may name ' +
    `${SCOPES_OF.client.map((scope) => `\`${scope}\``).join(', ')}.`,
});
const ExpiresAt = Type.Optional(
  timeIn(`When it ends, at most ${CONFIG_LIMITS.keyLifeDays} days ahead. Absent: it does not end by itself.`),
);
const KeyId = Type.Object({ id: Type.String({ format: 'uuid', description: 'Id of the key.' }) });

const KeySchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the key.' }),
    name: Type.String({ description: 'Its name, for people; empty if it has none. Not unique.' }),
    hint: Type.String({ description: 'First characters of the key.' }),
    kind: Kind,
    tier: TierSchema,
    scopes: Type.Array(Type.String({ description: 'A scope.' }), { description: 'The scopes that it names.' }),
    created_at: timeOut('When it was created.'),
    last_used_at: nullableTimeOut(
      `Its last request, to the minute; null: none is known. Other nodes' requests appear within an hour.`,
    ),
    expires_at: nullableTimeOut('When it ends or ended by itself or by its rotation; null: not by itself.'),
    successor_id: textOrNull('Id of the key that replaces it; null: it was not rotated.'),
    revoked_at: nullableTimeOut('When it was revoked; null: it was not.'),
  },
  { description: 'An API key.' },
);
const EXAMPLE = {
  id: '019bc0de-1234-7abc-8def-0123456789ab',
  name: 'match server',
  hint: 'sk_live_Ab3d…',
  kind: 'server',
  tier: 'pro',
  scopes: ['track', 'evaluate'],
  created_at: '2026-01-15T10:30:00.000Z',
  last_used_at: '2026-02-14T10:29:58.120Z',
  expires_at: null,
  successor_id: null,
  revoked_at: null,
};
const MadeSchema = Type.Object(
  { ...KeySchema.properties, key: Type.String({ description: 'The key. It is shown only once.' }) },
  { description: 'A new API key.' },
);
const MADE_EXAMPLE = { ...EXAMPLE, last_used_at: null, key: 'sk_live_Ab3d…' };

const shared = { tag: 'Console', auth: { keys: [], session: true }, limitClass: 'none' } as const;

function keyJson({ document }: ConfigEntry<'key'>, lastUsedAt: number | null = null) {
  const { id, name = '', hint, kind, tier, scopes, createdAt, rotated, revokedAt } = document;
  return {
    id,
    name,
    hint,
    kind,
    tier,
    scopes,
    created_at: formatTimestamp(createdAt),
    last_used_at: formatTimestampOrNull(lastUsedAt),
    expires_at: formatTimestampOrNull(endOf({ ...document, revokedAt: null }) ?? null),
    successor_id: rotated?.successor ?? null,
    revoked_at: formatTimestampOrNull(revokedAt),
  };
}

const keysIn = ({ key: { game, environment }, services: { config } }: RequestContext): ConfigEntry<'key'>[] =>
  config.list('key', game, environment).toSorted((one, other) => other.document.createdAt - one.document.createdAt);

const portsOf = ({ services: { config, clock, ids }, writes }: WriteContext): KeyPorts => ({
  config,
  writes,
  clock,
  ids,
});

const found = (id: string, context: RequestContext): ConfigEntry<'key'> | undefined =>
  keysIn(context).find(({ document }) => document.id === id.toLowerCase());

const listKeys = defineRoute({
  ...shared,
  ...readBy('admin', 'none'),
  method: 'GET',
  path: '/v1/console/keys',
  summary: 'List the API keys of a game and environment',
  description: 'Newest first, without their text, which is not stored.',
  errors: ['SERVICE_UNAVAILABLE'],
  input: {},
  reply: {
    description: 'The keys.',
    schema: Type.Object(
      {
        keys: Type.Array(KeySchema, { description: 'The keys.' }),
        highest_tier: Type.Unsafe<Tier>({ ...TierSchema, description: 'The highest tier that you may give a key.' }),
      },
      { description: 'API keys.' },
    ),
    example: { keys: [EXAMPLE], highest_tier: 'pro' },
  },
  action: {
    kind: 'service',
    async call(_, context) {
      const { key, services } = context;
      const used = await services.keyUse.read(key).catch(() => undefined);
      if (used === undefined) return NO_TIMES;
      const keys = keysIn(context).map((entry) => keyJson(entry, used.byKey.get(entry.document.id)));
      return jsonAnswer({ keys, highest_tier: highestTier(context) });
    },
  },
});

const createKeyRoute = defineRoute({
  ...shared,
  ...writtenBy('admin', 'none', 'none'),
  method: 'POST',
  path: '/v1/console/keys',
  summary: 'Create an API key',
  description:
    'Answers the text of the key once; only its hash is stored. Only admins of all games create a key of a higher tier ' +
    `than the game has. At most ${CONFIG_LIMITS.keysOfEnvironment} keys of a game and environment are valid.`,
  repeatCounts: true,
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: {
    body: Type.Object(
      {
        name: Type.Optional(
          Type.String({ maxLength: CONFIG_LIMITS.keyNameLength, description: 'A name for people. Not unique.' }),
        ),
        kind: Kind,
        tier: TierSchema,
        scopes: Type.Optional(Scopes),
        expires_at: ExpiresAt,
      },
      { additionalProperties: false },
    ),
  },
  example: { name: 'match server', kind: 'server', tier: 'growth', scopes: ['track', 'evaluate'] },
  reply: { statuses: [201], description: 'The key with its text.', schema: MadeSchema, example: MADE_EXAMPLE },
  action: {
    kind: 'write',
    write({ body: { name, kind, tier, scopes = [], expires_at } }, context) {
      if (TIER_NAMES.indexOf(tier) > TIER_NAMES.indexOf(highestTier(context))) return TIER_TOO_HIGH;
      const { game, environment } = context.key;
      const named = [...new Set(scopes)];
      return createKey(
        { game, environment, name, kind, tier, scopes: named, expiresAt: timeOf(expires_at) },
        portsOf(context),
      );
    },
    toAnswer: ({ entry, text }) => jsonAnswer({ ...keyJson(entry), key: text }, { status: 201 }),
  },
});

const rotateKeyRoute = defineRoute({
  ...shared,
  ...writtenBy('admin', 'none', 'none'),
  method: 'POST',
  path: '/v1/console/keys/{id}/rotate',
  summary: 'Replace an API key by a successor',
  description:
    'Answers a new key with the same name, kind, tier and scopes, and its text once. The old key ends after the ' +
    'overlap, or earlier if it expires earlier. Without `expires_at` a successor of a key that expires lives as long as ' +
    'that one was made to live.',
  repeatCounts: true,
  bodyOptional: true,
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: {
    params: KeyId,
    body: Type.Object(
      {
        overlap_days: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: CONFIG_LIMITS.keyOverlapDays,
            description: `Days that the old key stays valid; 0 ends it at once. Default: ${CONFIG_LIMITS.keyOverlapDaysDefault}.`,
          }),
        ),
        expires_at: ExpiresAt,
      },
      { additionalProperties: false },
    ),
  },
  example: { overlap_days: 7 },
  reply: {
    statuses: [201],
    description: 'The successor with its text, and the old key.',
    schema: Type.Object(
      { ...MadeSchema.properties, predecessor: KeySchema },
      { description: 'A new API key and the one that it replaces.' },
    ),
    example: {
      ...MADE_EXAMPLE,
      id: '019bf000-1234-7abc-8def-0123456789ab',
      predecessor: {
        ...EXAMPLE,
        expires_at: '2026-02-21T10:30:00.000Z',
        successor_id: '019bf000-1234-7abc-8def-0123456789ab',
      },
    },
  },
  action: {
    kind: 'write',
    async write({ params: { id }, body }, context) {
      const held = found(id, context);
      if (held === undefined) return NO_KEY;
      const { overlap_days: overlapDays, expires_at } = body;
      return rotateKey(held, { overlapDays, expiresAt: timeOf(expires_at) }, portsOf(context));
    },
    toAnswer: ({ entry, text, old }) =>
      jsonAnswer({ ...keyJson(entry), key: text, predecessor: keyJson(old) }, { status: 201 }),
  },
});

const revokeKeyRoute = defineRoute({
  ...shared,
  ...writtenBy('admin', 'none', 'none'),
  method: 'DELETE',
  path: '/v1/console/keys/{id}',
  summary: 'Revoke an API key',
  description: 'Every node refuses it within 200 ms, and ends its streams. A revoked key cannot be made valid again.',
  repeatsById: true,
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: KeyId },
  reply: {
    description: 'The revoked key.',
    schema: KeySchema,
    example: { ...EXAMPLE, revoked_at: '2026-02-14T11:00:00.000Z' },
  },
  action: {
    kind: 'write',
    async write({ params: { id } }, context) {
      const held = found(id, context);
      return held === undefined ? NO_KEY : revokeKey(held, portsOf(context));
    },
    toAnswer: ({ entry }) => jsonAnswer(keyJson(entry)),
  },
});

export const keyRoutes = [listKeys, createKeyRoute, rotateKeyRoute, revokeKeyRoute];

/** A time that cannot be read is refused as one that is not ahead: the key must not live for ever instead. */
const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : (parseTimestamp(text) ?? Number.NaN);

/** The highest tier that the caller may give. */
function highestTier(context: RequestContext): Tier {
  const user = context.services.config.get(userAddress(context.key.id))?.document;
  if (user !== undefined && isDeploymentAdmin(user)) return 'enterprise';
  const nowMs = context.services.clock.wallMs();
  const valid = keysIn(context).filter(({ document }) => isValid(document, nowMs));
  const places = valid.map(({ document }) => TIER_NAMES.indexOf(document.tier));
  return TIER_NAMES[Math.max(0, ...places)] ?? 'growth';
}

const NO_KEY = failure('NOT_FOUND', 'There is no such key in this game and environment.');
const NO_TIMES = failure('SERVICE_UNAVAILABLE', 'The times of use are temporarily unavailable; retry later.');
const TIER_TOO_HIGH = failure(
  'FORBIDDEN',
  'The tier is higher than that of any key here. Ask an admin of all games, or use a lower tier.',
);
