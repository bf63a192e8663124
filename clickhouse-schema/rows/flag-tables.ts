import { timeText } from './column-values.ts';
import { ORIGIN, SCOPE } from './common-columns.ts';
import { factTable } from './table.ts';

/** Tables of flag exposures, and of players who were served two variants within a period. */

const flag_exposures = factTable(['FlagExposed'], (fact) => [fact])({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    flag_key: (fact) => fact.flagKey,
    flag_version: (fact) => fact.flagVersion,
    period: (fact) => fact.period,
    variant_key: (fact) => fact.variantKey,
    value: (fact) => fact.value,
    reason: (fact) => fact.reason,
    attribution: (fact) => fact.attribution,
    player_id: (fact) => fact.entityId,
    external_id: (fact) => fact.externalId,
    received_at: (fact) => timeText(fact.at),
    ...ORIGIN,
  },
});

const flag_mixed_players = factTable(['FlagsServed'], ({ mixed, flags, ...fact }) =>
  mixed.map((flagKey) => ({ ...fact, flagKey, served: flags.find((flag) => flag.flagKey === flagKey) })),
)({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    flag_key: (fact) => fact.flagKey,
    flag_version: (fact) => fact.served?.flagVersion,
    period: (fact) => fact.served?.period,
    player_id: (fact) => fact.entityId,
    external_id: (fact) => fact.externalId,
    received_at: (fact) => timeText(fact.at),
    ...ORIGIN,
  },
});

export const FLAG_TABLES = { flag_exposures, flag_mixed_players };
