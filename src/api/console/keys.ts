import { Type } from 'typebox';
import { type Tier, TIERS } from '../../../core/vocabulary/documents/documents.ts';
import { createApiKey } from '../../../streams/config/api-keys.ts';
import { SCOPES } from '../../../core/vocabulary/documents/key-scopes.ts';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import { isDeploymentAdmin } from '../../../streams/config/people/user-roles.ts';
import { userAddress } from '../../../streams/config/people/users.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../route/answer.ts';
import { oneOf, timeOrNull, timeOut } from '../input/fields.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, readBy, writtenBy } from '../route/route.ts';

/*
 * The API keys of a game and environment, for its admins. No API key may call these.
 *
 * Invariant: only admins of all games raise limits. Another admin's key has at most the highest tier of the keys that
 * the game has there.
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
const Scopes = Type.Array(oneOf(SCOPES, 'A permission.'), {
  maxItems: SCOPES.length,
  description: 'Additional permissions: `scoring:write`, `audit:read`.',
});

const KeySchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the key.' }),
    hint: Type.String({ description: 'First characters of the key.' }),
    kind: Kind,
    tier: TierSchema,
    scopes: Type.Array(Type.String({ description: 'A permission.' }), { description: 'Additional permissions.' }),
    created_at: timeOut('When it was created.'),
    revoked_at: timeOrNull('When it was revoked. ISO 8601, UTC, milliseconds; null if it is valid.'),
  },
  { description: 'An API key.' },
);
const EXAMPLE = {
  id: '019bc0de-1234-7abc-8def-0123456789ab',
  hint: 'sk_live_Ab3d…',
  kind: 'server',
  tier: 'pro',
  scopes: [],
  created_at: '2026-01-15T10:30:00.000Z',
  revoked_at: null,
};

const shared = { tag: 'Console', auth: { keys: [], session: true }, limitClass: 'none' } as const;

function keyJson({ document }: ConfigEntry<'key'>) {
  const { id, hint, kind, tier, scopes, createdAt, revokedAt } = document;
  const revoked_at = formatTimestampOrNull(revokedAt);
  return { id, hint, kind, tier, scopes, created_at: formatTimestamp(createdAt), revoked_at };
}

const keysIn = ({ key: { game, environment }, services: { config } }: RequestContext): ConfigEntry<'key'>[] =>
  config.list('key', game, environment).toSorted((one, other) => other.document.createdAt - one.document.createdAt);

const listKeys = defineRoute({
  ...shared,
  ...readBy('admin', 'none'),
  method: 'GET',
  path: '/v1/console/keys',
  summary: 'List the API keys of a game and environment',
  description: 'Newest first, without their text, which is not stored.',
  errors: [],
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
    kind: 'config',
    read: (_, context) => jsonAnswer({ keys: keysIn(context).map(keyJson), highest_tier: highestTier(context) }),
  },
});

const createKey = defineRoute({
  ...shared,
  ...writtenBy('admin', 'none', 'none'),
  method: 'POST',
  path: '/v1/console/keys',
  summary: 'Create an API key',
  description:
    'Answers the text of the key once; only its hash is stored. Only admins of all games create a key of a higher tier ' +
    'than the game has.',
  repeatCounts: true,
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: {
    body: Type.Object({ kind: Kind, tier: TierSchema, scopes: Type.Optional(Scopes) }, { additionalProperties: false }),
  },
  example: { kind: 'server', tier: 'growth', scopes: ['audit:read'] },
  reply: {
    statuses: [201],
    description: 'The key with its text.',
    schema: Type.Object(
      { ...KeySchema.properties, key: Type.String({ description: 'The key. It is shown only once.' }) },
      { description: 'A new API key.' },
    ),
    example: { ...EXAMPLE, key: 'sk_live_Ab3d…' },
  },
  action: {
    kind: 'write',
    async write({ body: { kind, tier, scopes = [] } }, context) {
      const { clock, ids } = context.services;
      if (TIER_NAMES.indexOf(tier) > TIER_NAMES.indexOf(highestTier(context))) return TIER_TOO_HIGH;
      const held = keysIn(context);
      const valid = held.filter(({ document }) => document.revokedAt === null);
      if (valid.length >= API_LIMITS.keysOfEnvironment) return TOO_MANY;
      const { game, environment } = context.key;
      const made = createApiKey({ game, environment, kind, tier, scopes: [...new Set(scopes)] }, clock, ids);
      const written = await context.writes.put(made.address, made.document, 0);
      if (written.kind !== 'written') return failure('SERVICE_UNAVAILABLE', NOT_STORED);
      // Revoked keys are kept for lists and the audit, but not without bound.
      const oldest = held.filter(({ document }) => document.revokedAt !== null).at(-1);
      if (held.length >= API_LIMITS.keysKept && oldest !== undefined) {
        const { key, revision } = oldest;
        await context.writes.delete({ game, environment, kind: 'key', key }, revision);
      }
      return { kind: 'made', entry: written.entry, text: made.text } as const;
    },
    toAnswer: ({ entry, text }) => jsonAnswer({ ...keyJson(entry), key: text }, { status: 201 }),
  },
});

const revokeKey = defineRoute({
  ...shared,
  ...writtenBy('admin', 'none', 'none'),
  method: 'DELETE',
  path: '/v1/console/keys/{id}',
  summary: 'Revoke an API key',
  description: 'Every node refuses it within 200 ms, and ends its streams. A revoked key cannot be made valid again.',
  repeatsById: true,
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ id: Type.String({ format: 'uuid', description: 'Id of the key.' }) }) },
  reply: { description: 'The revoked key.', schema: KeySchema, example: EXAMPLE },
  action: {
    kind: 'write',
    async write({ params: { id } }, context) {
      const { clock } = context.services;
      const entry = keysIn(context).find(({ document }) => document.id === id.toLowerCase());
      if (entry === undefined) return NO_KEY;
      if (entry.document.revokedAt !== null) return { kind: 'revoked', entry } as const;
      const { game, environment, key, revision } = entry;
      const document = { ...entry.document, revokedAt: clock.wallMs() };
      const written = await context.writes.put({ game, environment, kind: 'key', key }, document, revision);
      return written.kind === 'written' ? ({ kind: 'revoked', entry: written.entry } as const) : UNAVAILABLE;
    },
    toAnswer: ({ entry }) => jsonAnswer(keyJson(entry)),
  },
});

export const keyRoutes = [listKeys, createKey, revokeKey];

/** The highest tier that the caller may give. */
function highestTier(context: RequestContext): Tier {
  const user = context.services.config.get(userAddress(context.key.id))?.document;
  if (user !== undefined && isDeploymentAdmin(user)) return 'enterprise';
  const valid = keysIn(context).filter(({ document }) => document.revokedAt === null);
  const places = valid.map(({ document }) => TIER_NAMES.indexOf(document.tier));
  return TIER_NAMES[Math.max(0, ...places)] ?? 'growth';
}

const UNAVAILABLE: Failure = failure('SERVICE_UNAVAILABLE');
const NO_KEY = failure('NOT_FOUND', 'There is no such key in this game and environment.');
const NOT_STORED = 'The broker did not confirm the write, so the key is not shown. Create another one.';
const TIER_TOO_HIGH = failure(
  'FORBIDDEN',
  'The tier is higher than that of any key here. Ask an admin of all games, or use a lower tier.',
);
const TOO_MANY = failure(
  'CONFLICT',
  `There are ${API_LIMITS.keysOfEnvironment} valid keys, the maximum of a game and environment. Revoke one first.`,
);
