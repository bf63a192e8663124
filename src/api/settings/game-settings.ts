import { Type } from 'typebox';
import { gameZoneOf, ZONE_RULE } from '../../../actors/time-zones/game-zone.ts';
import { FLAG_LIMITS } from '../../../actors/flags/limits.ts';
import { currencyOf, CURRENCY_RULE } from '../../../core/kernel/currencies.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import type { ExchangeRatesDocument } from '../../../core/vocabulary/documents/exchange-rates.ts';
import { type GameDocument, type Revenue, REVENUES } from '../../../core/vocabulary/documents/game.ts';
import {
  changedGame,
  currencyIn,
  extractedOf,
  gameAddress,
  newSalt,
  revenueOf,
  versionOf,
  zoneOf,
} from '../../../streams/config/games.ts';
import { BasedOn } from '../definitions/definition-fields.ts';
import { ratesAddress } from '../../../streams/config/exchange-rates.ts';
import { changed } from '../definitions/definition-writes.ts';
import { type Basis, basisIn, IfMatch, staleFor } from '../input/if-match.ts';
import type { Historied } from '../definitions/history/historied.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { settingsHistoryRoutes } from './settings-history.ts';
import type { WriteContext } from '../route/request-context.ts';
import { nullable, oneOf, textOrNull } from '../input/fields.ts';
import { API_LIMITS } from '../limits.ts';
import { FROM_TEST } from './from-test.ts';
import { extractedFaults } from './extracted-properties.ts';
import { jsonAnswer } from '../route/answer.ts';
import { defineRoute, invalid, readBy, writtenBy } from '../route/route.ts';

/* The settings of a game that its figures depend on. Both environments share them. */

const HoldoutPercentage = Type.Number({ minimum: 0, maximum: 100, description: 'Share of all players, 0 to 100.' });
const HoldoutSalt = Type.String({
  minLength: 1,
  maxLength: FLAG_LIMITS.ruleSalt,
  description:
    'Decides with the id of a player whether it is in the holdout: with the same salt, a larger holdout has all ' +
    'players of a smaller one.',
});
const REVENUE =
  'Which purchases count: `all`, or the `verified` ones: those with a verified receipt, and those that a server key ' +
  'records without one.';
const HOLDOUT = 'Players who take part in no experiment of the game.';

const Settings = Type.Object(
  {
    time_zone: Type.String({ description: 'IANA name of the time zone in which figures count days. Default: `UTC`.' }),
    currency: textOrNull('ISO 4217 code of the currency of all amounts; null if the game has named none.'),
    extracted_properties: Type.Array(Type.String({ description: 'A path, keys joined by dots.' }), {
      description: 'Properties of events that have columns of their own, so that questions about them read no JSON.',
    }),
    revenue: oneOf(REVENUES, `${REVENUE} Default: \`all\`.`),
    holdout: nullable(
      Type.Object({ percentage: HoldoutPercentage, salt: HoldoutSalt }, { description: `${HOLDOUT} null: none.` }),
    ),
    version: Type.Integer({ description: 'Version, counted from 1 with each change of settings of the game.' }),
  },
  { description: 'Settings of a game.' },
);
const BODY_EXAMPLE = {
  time_zone: 'Europe/Berlin',
  currency: 'EUR',
  extracted_properties: ['level', 'item.id'],
  revenue: 'all',
  holdout: { percentage: 5 },
};
const EXAMPLE = { ...BODY_EXAMPLE, holdout: { percentage: 5, salt: 'Zk3vQ0b1c2d4e5f6' }, version: 2 };

const shared = {
  path: '/v1/settings',
  tag: 'Analytics',
  auth: { keys: ['server'] },
  limitClass: 'none',
} as const;

const settingsJson = (game: GameDocument | undefined) => ({
  time_zone: zoneOf(game),
  currency: currencyIn(game) ?? null,
  extracted_properties: extractedOf(game),
  revenue: revenueOf(game),
  holdout: game?.holdout ?? null,
  version: versionOf(game),
});

const settingsAnswer = (game: GameDocument | undefined) => jsonAnswer(settingsJson(game), { etag: versionOf(game) });

const getSettings = defineRoute({
  ...shared,
  ...readBy('viewer'),
  method: 'GET',
  versioned: true,
  summary: "Get the game's settings",
  description:
    'The time zone and the currency of the figures, the properties that are extracted for them, and the holdout of ' +
    'experiments.',
  errors: [],
  input: {},
  reply: { description: 'The settings.', schema: Settings, example: EXAMPLE },
  action: {
    kind: 'config',
    read: (_, { key, services }) => settingsAnswer(services.config.get(gameAddress(key.game))?.document),
  },
});

const patchSettings = defineRoute({
  ...shared,
  ...writtenBy('admin', 'none', 'configure'),
  method: 'PATCH',
  summary: "Change the game's settings",
  description:
    'Fields that you leave out do not change. Both environments share the settings, so a key of the test environment ' +
    'cannot change them. After a change of `time_zone` all days of the game are built again in the background; ' +
    '`built_to` of answers is null until then. A change of `extracted_properties` holds for events that are written ' +
    'from then on, within a second; answers stay the same.',
  repeatsById: true,
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  versioned: true,
  input: {
    headers: IfMatch,
    body: Type.Object(
      {
        version: BasedOn,
        time_zone: Type.Optional(
          Type.String({ maxLength: TEXT_LIMITS.nameLength, description: 'IANA name, such as `Europe/Berlin`.' }),
        ),
        currency: Type.Optional(textOrNull('ISO 4217 code, such as `EUR`; null: none.')),
        revenue: Type.Optional(oneOf(REVENUES, `${REVENUE} A change holds for purchases from then on.`)),
        extracted_properties: Type.Optional(
          Type.Array(
            Type.String({
              minLength: 1,
              maxLength: API_LIMITS.propertyPathLength,
              description: 'A path, as `item.id`.',
            }),
            {
              maxItems: STATE_LIMITS.extractedProperties,
              description:
                'All paths, new ones at the end: earlier events keep the columns of paths that stay in place.',
            },
          ),
        ),
        holdout: Type.Optional(
          nullable(
            Type.Object(
              { percentage: HoldoutPercentage, salt: Type.Optional(HoldoutSalt) },
              {
                additionalProperties: false,
                description: `${HOLDOUT} Without \`salt\` it keeps the current one, or gets a random one. null: none.`,
              },
            ),
          ),
        ),
      },
      { additionalProperties: false },
    ),
  },
  example: BODY_EXAMPLE,
  reply: { description: 'The settings.', schema: Settings, example: EXAMPLE },
  action: {
    kind: 'write',
    async write({ headers, body }, context) {
      const change = changeOf(body);
      if (change.kind === 'failure') return change;
      if (context.key.environment === 'test') return FROM_TEST;
      const settings = (held: GameDocument) => ({ ...change.values, ...holdoutAfter(body.holdout, held, context) });
      return changeSettings(settings, basisIn({ headers, body }), context);
    },
    toAnswer: ({ game }) => settingsAnswer(game),
  },
});

/** Changes settings; every change makes a new version. */
async function changeSettings(
  valuesFor: (held: GameDocument) => Partial<GameDocument>,
  basis: Basis,
  { key, services, writes, origin }: WriteContext,
) {
  const address = gameAddress(key.game);
  const { config } = services;
  for (let attempt = 0; attempt < API_LIMITS.definitionWriteAttempts; attempt += 1) {
    const held = config.get(address);
    if (held === undefined) return failure('NOT_FOUND');
    const stale = staleFor(basis, versionOf(held.document));
    if (stale !== undefined) return stale;
    const values = valuesFor(held.document);
    const { currency = currencyIn(held.document) } = values;
    const table = config.get(ratesAddress(key.game))?.document;
    if (table !== undefined && currency !== table.currency) return keptBy(table);
    const written = await writes.put(address, changedGame(held.document, values, origin.receivedAt), held.revision);
    if (written.kind === 'written') return { kind: 'changed', game: written.entry.document } as const;
    if (written.kind === 'unavailable' || !(await changed(config, address, held.revision))) break;
  }
  return failure('SERVICE_UNAVAILABLE');
}

const historied: Historied = {
  shared: { tag: shared.tag, auth: shared.auth, limitClass: 'events' },
  path: shared.path,
  params: {},
  aOne: "the game's settings",
  schema: Settings,
  example: EXAMPLE,
  missing: () => failure('NOT_FOUND'),
  addressOf: (_, { key }) => gameAddress(key.game),
  versionNow: (_, { key, services }) => versionOf(services.config.get(gameAddress(key.game))?.document),
  shownVersion: (document) => JSON.stringify(settingsJson(gameOf(document))),
};

/** A game as the history has it: without the namespace of its players. */
function gameOf(version: JsonObject): GameDocument {
  const game: GameDocument = JSON.parse(JSON.stringify({ ...version, namespace: '' }));
  return game;
}

const settingsHistory = settingsHistoryRoutes(historied, {
  restored: (version) => {
    const old = gameOf(version);
    const { holdout = null } = old;
    const figures = { timeZone: zoneOf(old), currency: currencyIn(old) ?? '', revenue: revenueOf(old) };
    return { ...figures, extractedProperties: extractedOf(old), holdout };
  },
  change: (values, basis, context) =>
    context.key.environment === 'test' ? FROM_TEST : changeSettings(() => values, basis, context),
  toAnswer: settingsAnswer,
});

export const gameSettingsRoutes = [getSettings, patchSettings, ...settingsHistory];

interface Changes {
  time_zone?: string;
  currency?: string | null;
  extracted_properties?: string[];
  revenue?: Revenue;
}

/** The change that a body asks for, or its faults. */
function changeOf({
  time_zone: zoneText,
  currency: code,
  revenue,
  extracted_properties: extractedProperties,
}: Changes) {
  const faults = extractedFaults(extractedProperties ?? [], '/extracted_properties');
  const timeZone = zoneText === undefined ? undefined : gameZoneOf(zoneText);
  if (zoneText !== undefined && timeZone === undefined) faults.push({ path: '/time_zone', message: ZONE_RULE });
  const currency = typeof code === 'string' ? currencyOf(code) : undefined;
  if (typeof code === 'string' && currency === undefined) faults.push({ path: '/currency', message: CURRENCY_RULE });
  if (faults.length > 0) return invalid(faults);
  const values: Partial<GameDocument> = {
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(code === undefined ? {} : { currency: currency ?? '' }),
    ...(revenue === undefined ? {} : { revenue }),
    ...(extractedProperties === undefined ? {} : { extractedProperties }),
  };
  return { kind: 'change', values } as const;
}

function holdoutAfter(
  wanted: { percentage: number; salt?: string } | null | undefined,
  { holdout }: GameDocument,
  { services }: WriteContext,
): Pick<GameDocument, 'holdout'> {
  if (wanted === undefined) return {};
  if (wanted === null) return { holdout: null };
  const { percentage, salt = holdout?.salt ?? newSalt(services.ids) } = wanted;
  return { holdout: { percentage, salt } };
}

const keptBy = ({ currency }: ExchangeRatesDocument) => failure('CONFLICT', keptByText(currency));

/** Why the currency of a game with exchange rates stays. */
export const keptByText = (currency: string): string =>
  `The game has exchange rates to ${currency}. Delete them before you change its currency.`;
