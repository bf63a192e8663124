import { Type } from 'typebox';
import { failure } from '../../../core/kernel/errors.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import type { ExchangeRatesDocument } from '../../../core/vocabulary/documents/exchange-rates.ts';
import { ratesAddress } from '../../../streams/config/exchange-rates.ts';
import { currencyIn, gameAddress } from '../../../streams/config/games.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { timeOut } from '../input/fields.ts';
import { BasedOn } from '../definitions/definition-fields.ts';
import { IfMatch } from '../input/if-match.ts';
import { jsonAnswer } from '../route/answer.ts';
import { defineRoute, invalid, readBy, writtenBy } from '../route/route.ts';
import { FROM_TEST } from './from-test.ts';
import { RATE_LIMITS } from './limits.ts';
import { deleteDocument, deletionReply, replaceDocument } from './single-document.ts';
import { ratesByDay, type RatesByDay, rowsOf, tableOf } from './rate-table.ts';

/* The exchange rates by which purchases in other currencies are converted. Both environments share them. */

const Rates = Type.Unsafe<RatesByDay>({
  type: 'object',
  additionalProperties: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: Type.Number({
      exclusiveMinimum: 0,
      description: "Units of the game's currency for one unit of this one.",
    }),
    description: 'Rates of a currency by day (`2026-01-15`).',
  }),
  description:
    'Rates by ISO 4217 code of another currency and by day: one for each day on which it changes, and at least one in ' +
    `${SHARED_LIMITS.rateAgeDays} days. At most ${RATE_LIMITS.exchangeRates.toLocaleString('en-US')} rates.`,
});

const Table = Type.Object(
  {
    currency: Type.String({ description: "ISO 4217 code of the game's currency." }),
    version: Type.Integer({ description: 'Grows with each change.' }),
    updated_at: timeOut('When it was stored.'),
    rates: Rates,
  },
  { description: 'Exchange rates of a game.' },
);
const SENT = { rates: { JPY: { '2026-01-15': 0.00545, '2026-01-16': 0.00547 }, USD: { '2026-01-15': 0.8594 } } };
const EXAMPLE = { currency: 'EUR', version: 3, updated_at: '2026-01-16T17:00:00.000Z', ...SENT };

const shared = {
  path: '/v1/settings/exchange-rates',
  tag: 'Analytics',
  auth: { keys: ['server'] },
  limitClass: 'none',
} as const;

const tableJson = (document: ExchangeRatesDocument) => ({
  currency: document.currency,
  version: document.version,
  updated_at: formatTimestamp(document.updatedAt),
  rates: ratesByDay(document),
});

const NONE = failure('NOT_FOUND', 'The game has no exchange rates, so no purchase is converted.');
const NO_CURRENCY = failure(
  'CONFLICT',
  'The game has no currency to convert to. Set `currency` first (PATCH /v1/settings).',
);

const getRates = defineRoute({
  ...shared,
  ...readBy('viewer'),
  method: 'GET',
  summary: "Get the game's exchange rates",
  description: 'The rates by which purchases in other currencies are converted.',
  versioned: true,
  errors: ['NOT_FOUND'],
  input: {},
  reply: { description: 'The rates.', schema: Table, example: EXAMPLE },
  action: {
    kind: 'config',
    read(_, { key, services }) {
      const document = services.config.get(ratesAddress(key.game))?.document;
      return document === undefined ? NONE : jsonAnswer(tableJson(document), { etag: document.version });
    },
  },
});

const putRates = defineRoute({
  ...shared,
  ...writtenBy('admin', 'none', 'configure'),
  method: 'PUT',
  summary: "Replace the game's exchange rates",
  description:
    'All rates at once. From then on the `amount` of a purchase that names another currency than the game is what the ' +
    "player paid in it. It is converted by the rate of its day in the game's time zone: that of the newest day with " +
    `one, at most ${SHARED_LIMITS.rateAgeDays} days before; a purchase without such a rate is refused. Purchases that ` +
    'are recorded keep their amounts. To replace a table, name its version. A key of the test environment cannot ' +
    'change the rates.',
  versioned: true,
  repeatsById: true,
  errors: ['FORBIDDEN', 'CONFLICT', 'PRECONDITION_FAILED', 'PRECONDITION_REQUIRED', 'SERVICE_UNAVAILABLE'],
  input: {
    headers: IfMatch,
    body: Type.Object(
      {
        rates: Rates,
        version: BasedOn,
        currency: Type.Optional(Type.String({ description: "The game's currency, as returned by GET. Ignored." })),
      },
      { additionalProperties: false },
    ),
  },
  example: SENT,
  reply: { description: 'The rates.', schema: Table, example: EXAMPLE },
  action: {
    kind: 'write',
    async write({ headers, body }, context) {
      if (context.key.environment === 'test') return FROM_TEST;
      const currency = currencyIn(context.services.config.get(gameAddress(context.key.game))?.document);
      if (currency === undefined) return NO_CURRENCY;
      const table = tableOf(rowsOf(body.rates), currency, '/rates');
      if (table.kind === 'faults') return invalid(table.faults);
      return replaceDocument(ratesAddress(context.key.game), { headers, body }, context, (_, made) => ({
        currency,
        rates: table.rates,
        ...made,
      }));
    },
    toAnswer: ({ document }) => jsonAnswer(tableJson(document), { etag: document.version }),
  },
});

const deleteRates = defineRoute({
  ...shared,
  ...writtenBy('admin', 'none', 'configure'),
  method: 'DELETE',
  summary: "Delete the game's exchange rates",
  description:
    "From then on no purchase is converted: every `amount` is in the game's currency. Purchases that are recorded keep " +
    'their amounts.',
  repeatsById: true,
  errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  input: { headers: IfMatch },
  reply: deletionReply('The rates'),
  action: {
    kind: 'write',
    async write({ headers }, context) {
      if (context.key.environment === 'test') return FROM_TEST;
      return deleteDocument(ratesAddress(context.key.game), headers, context, NONE);
    },
    toAnswer: () => jsonAnswer({ deleted: true }),
  },
});

export const exchangeRatesRoutes = [getRates, putRates, deleteRates];
