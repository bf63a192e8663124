import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { statementsOf } from '../schema-record.ts';

/** Tables, and views of rows, in which `player_id` says whose a row is. */
const OF_PLAYERS =
  'events|sessions|purchases|player_days|player_levels|player_snapshots|player_beginnings|lifecycle_transitions|' +
  'segment_transitions|segment_membership_states|flag_exposures|flag_mixed_players|flag_override_states|campaign_events|' +
  'players|player_properties|segment_memberships|flag_overrides|identified_events';

/** Views of rows, which show test players as they show everybody, and what operators ask of all rows. */
const ROWS = new Set([
  'players',
  'player_properties',
  'segment_memberships',
  'flag_overrides',
  'identities',
  'identified_events',
]);
const OF_ALL_ROWS = new Set(['event_dictionary', 'event_properties']);
/** Scores are of devices: what is bought there shows whether the model was right. */
const OF_DEVICES = new Set(['score_calibration_daily']);

const views = readdirSync(new URL('.', import.meta.url))
  .filter((name) => name.endsWith('.sql'))
  .flatMap((name) => statementsOf(readFileSync(new URL(name, import.meta.url), 'utf8')))
  .map((sql) => ({ name: /^CREATE OR REPLACE VIEW (\w+)/m.exec(sql)?.[1] ?? sql, sql }));
const isOfRows = (name: string): boolean =>
  name.startsWith('live_') || ROWS.has(name) || OF_ALL_ROWS.has(name) || OF_DEVICES.has(name);
const readsIn = (sql: string): number =>
  [...sql.matchAll(new RegExp(`\\b(?:FROM|JOIN) (?:${OF_PLAYERS})\\b`, 'g'))].length;

describe('views of figures', () => {
  it.each(views.filter(({ name, sql }) => !isOfRows(name) && readsIn(sql) > 0))(
    '$name leaves out test players wherever it reads rows of players',
    ({ sql }) => {
      expect(sql.split('{{counted').length - 1).toBe(readsIn(sql));
    },
  );

  it('are no views of rows', () => {
    const names = new Set(views.map(({ name }) => name));
    expect([...ROWS, ...OF_ALL_ROWS, ...OF_DEVICES].filter((name) => !names.has(name))).toEqual([]);
    expect(views.filter(({ name, sql }) => isOfRows(name) && sql.includes('{{counted'))).toEqual([]);
  });
});
