import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { aPlayer } from '../testing-players.ts';
import { compileCondition } from './compile-condition.ts';

function meets(value: Json | undefined, operators: JsonObject): boolean {
  const made = compileCondition({ 'attributes.x': operators });
  if (made.kind === 'invalid') throw new Error(JSON.stringify(made.faults));
  const attributes = JSON.stringify(value === undefined ? {} : { x: value });
  return made.condition.matches({ player: aPlayer({ attributes }), nowMs: 1 });
}

function refusedAt(operators: JsonObject): string[] {
  const made = compileCondition({ 'attributes.x': operators });
  return (made.kind === 'invalid' ? made.faults : made.refusals).map(({ path }) => path);
}

describe('times', () => {
  it.each<[Json | undefined, Json, before: boolean, after: boolean]>([
    ['2026-12-01T17:59:59Z', '2026-12-01T18:00:00Z', true, false],
    ['2026-12-01T18:00:00Z', '2026-12-01T18:00:00Z', false, false],
    ['2026-12-01T20:00:00+02:00', '2026-12-01T18:00:00Z', false, false],
    ['2026-12-01', '2026-12-01T00:00:00.001', true, false],
    [1_764_612_000_000, '2025-12-01T18:00:00Z', false, false],
    [1_764_612_000_001, '2025-12-01T18:00:00Z', false, true],
    ['1955-03-01', '1960-01-01', true, false],
    ['2025-12-01T18:00:00.001Z', 1_764_612_000_000, false, true],
    [undefined, '2026-12-01', false, false],
    [null, '2026-12-01', false, false],
    ['soon', '2026-12-01', false, false],
    ['', '2026-12-01', false, false],
    [true, '2026-12-01', false, false],
    [['2020-01-01'], '2026-12-01', false, false],
  ])('%j is compared with %j', (value, operand, before, after) => {
    expect([meets(value, { $before: operand }), meets(value, { $after: operand })]).toEqual([before, after]);
  });

  it('that cannot be read are refused', () => {
    for (const operand of ['soon', '', null, true, ['2026-01-01']]) {
      expect(refusedAt({ $before: operand })).toEqual(['/attributes.x/$before']);
    }
  });
});

describe('addresses', () => {
  it.each<[Json | undefined, Json, boolean]>([
    ['10.1.2.3', '10.0.0.0/8', true],
    ['11.1.2.3', '10.0.0.0/8', false],
    ['192.168.1.127', '192.168.1.0/25', true],
    ['192.168.1.128', '192.168.1.0/25', false],
    ['192.168.1.7', '192.168.1.7', true],
    ['192.168.1.7', '0.0.0.0/0', true],
    ['::1', '0.0.0.0/0', false],
    ['2001:db8::1', '2001:db8::/32', true],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', true],
    ['2001:db9::1', '2001:db8::/32', false],
    ['2001:db8:8000::', '2001:db8::/33', false],
    ['::ffff:10.1.2.3', '10.0.0.0/8', true],
    ['10.1.2.3', '::ffff:a00:0/104', true],
    ['10.1.2.3', '::/0', true],
    ['fe80::1', ['10.0.0.0/8', 'fe80::/10'], true],
    ['10.1.2', '10.0.0.0/8', false],
    ['10.1.2.256', '10.0.0.0/8', false],
    ['010.1.2.3', '10.0.0.0/8', false],
    ['10.1.2.3/8', '10.0.0.0/8', false],
    [' 10.1.2.3', '10.0.0.0/8', false],
    ['1:2:3:4:5:6:7', '::/0', false],
    ['1:2:3:4:5:6:7::8', '::/0', false],
    ['1::2::3', '::/0', false],
    ['12345::', '::/0', false],
    ['', '::/0', false],
    [7, '::/0', false],
    [undefined, '::/0', false],
    [['10.1.2.3'], '10.0.0.0/8', false],
  ])('%j in %j: %j', (value, operand, expected) => {
    expect(meets(value, { $inCidr: operand })).toBe(expected);
  });

  it('and ranges that cannot be read are refused', () => {
    for (const operand of ['10.0.0.0/33', '10.0.0/8', '::/129', '10.0.0.0/08', '10.0.0.0/', '', 7, null]) {
      expect(refusedAt({ $inCidr: operand })).toEqual(['/attributes.x/$inCidr']);
    }
    expect(refusedAt({ $inCidr: ['10.0.0.0/8', 'x'] })).toEqual(['/attributes.x/$inCidr/1']);
    expect(refusedAt({ $inCidr: [] })).toEqual(['/attributes.x/$inCidr']);
  });
});

it('the id of the player in the game is a field', () => {
  const made = compileCondition({ external_id: { $in: ['hal', 'ida'] } });
  const holds = (externalId: string) =>
    made.kind === 'compiled' && made.condition.matches({ player: aPlayer({ externalId }), nowMs: 1 });
  expect([holds('hal'), holds('Hal'), holds('x')]).toEqual([true, false, false]);
});
