import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { playerPart } from './player-part.ts';

describe('the part of conditions that reads the player', () => {
  const event: JsonObject = { 'properties.level': 3 };
  const player: JsonObject = { is_payer: false };
  const counted: JsonObject = { events: { name: 'win', where: { 'properties.level': 3 }, count: 1 } };
  it.each<[JsonObject, JsonObject]>([
    [{}, {}],
    [event, {}],
    [player, player],
    [{ ...event, ...player }, player],
    [counted, counted],
    [{ $and: [event, player, counted] }, { $and: [player, counted] }],
    [{ $or: [event, player] }, {}],
    [{ $or: [{ ...event, is_payer: true }, player] }, { $or: [{ is_payer: true }, player] }],
    [{ $nor: [event, player] }, { $not: player }],
    [{ $nor: [event] }, {}],
    [{ $not: event }, {}],
    [{ $not: player }, { $not: player }],
    // Not both: the event may be the one that is not.
    [{ $not: { ...event, ...player } }, {}],
    [{ $not: { $or: [event, player] } }, { $not: player }],
    [{ $not: { $not: { ...event, ...player } } }, { $not: { $not: player } }],
  ])('%j leaves %j', (conditions, part) => {
    expect(playerPart(conditions)).toEqual(part);
  });
});
