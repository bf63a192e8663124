import { memberVersion, ORIGIN, ROW_STEP, SCOPE } from '../common-columns.ts';
import { nullableText, text, time, uint128, uint32, uint8, uuid } from '../column-types.ts';
import { factTable } from './table.ts';

/** Tables of flag exposures, of players who were served two variants within a period, and of overrides. */

const flag_exposures = factTable(['FlagExposed'], (fact) => [fact])({
  placing: 'facts',
  onMerge: 'copy',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    flag_key: text((fact) => fact.flagKey),
    flag_version: uint32((fact) => fact.flagVersion),
    experiment: text((fact) => fact.trial?.experiment),
    period: uint32((fact) => fact.period),
    variant_key: nullableText((fact) => fact.trial?.variant ?? fact.variantKey),
    value: text((fact) => fact.value),
    reason: text((fact) => fact.reason),
    stratum: uint32((fact) => fact.stratum),
    cluster: uint32((fact) => fact.cluster),
    attribution: text((fact) => fact.attribution),
    player_id: uuid((fact) => fact.entityId),
    external_id: text((fact) => fact.externalId),
    received_at: time((fact) => fact.at),
    ...ORIGIN,
  },
});

const flag_mixed_players = factTable(['FlagsServed'], ({ mixed, flags, ...fact }) =>
  mixed.map((flagKey, place) => ({ ...fact, flagKey, place, served: flags.find((flag) => flag.flagKey === flagKey) })),
)({
  placing: 'facts',
  onMerge: 'copy',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    flag_key: text((fact) => fact.flagKey),
    flag_version: uint32((fact) => fact.served?.flagVersion),
    experiment: text((fact) => fact.served?.trial?.experiment),
    period: uint32((fact) => fact.served?.period),
    player_id: uuid((fact) => fact.entityId),
    external_id: text((fact) => fact.externalId),
    received_at: time((fact) => fact.at),
    ...ORIGIN,
    facts_index: uint32((fact, { index }) => index + ROW_STEP * fact.place),
  },
});

const flag_override_states = factTable(['FlagOverridden'], (fact) => [fact])({
  placing: 'memberships',
  onMerge: 'drop',
  replacing: true,
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    flag_key: text((fact) => fact.flagKey),
    player_id: uuid((fact) => fact.entityId),
    external_id: text((fact) => fact.externalId),
    value: text((fact) => fact.value),
    received_at: time((fact) => fact.at),
    removed: uint8((fact) => (fact.value === null ? 1 : 0)),
    version: uint128((_, origin) => memberVersion(origin)),
  },
});

export const FLAG_TABLES = { flag_exposures, flag_mixed_players, flag_override_states };
