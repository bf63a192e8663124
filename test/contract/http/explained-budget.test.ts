import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HUNGRY } from '../../../actors/conditions/testing-worst-commands.ts';
import { stepsSpent } from '../../../actors/conditions/steps.ts';
import { aFlagDocument } from '../../../actors/flags/testing-served-flags.ts';
import { aPlayer } from '../../../actors/testing-players.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { CONDITION_LIMITS } from '../../../actors/conditions/limits.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';

/* What one request that evaluates all flags in the gateway may cost. */

let gateway: Gateway;
let key: string;
const FLAGS = 20;
const PLAYER = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';

beforeAll(async () => {
  gateway = await startGateway();
  key = await gateway.key();
  const texts = Array.from({ length: 15 }, () => 'ab'.repeat(512));
  const player = aPlayer({ id: PLAYER, attributes: JSON.stringify({ a: texts }) });
  gateway.backend.reply = ({ body }) =>
    body.kind === 'ExportPlayer' ? { kind: 'exported', player: { ...player, keys: [] } } : failure('PLAYER_NOT_FOUND');
  const rule = { name: '', segmentId: null, value: true, percentage: 100, priority: 1, startAt: null, endAt: null };
  for (let index = 0; index < FLAGS; index += 1) {
    const conditions = { 'attributes.a': { $elemMatch: { $regex: `${HUNGRY}[${String(index)}x]` } } };
    const document = aFlagDocument({ key: `flag_${index}`, rules: [{ ...rule, conditions }] });
    const address = { kind: 'flag', game: 'demo', environment: 'live', key: document.key } as const;
    await gateway.config.put(address, document);
  }
});
afterAll(() => gateway.close());

describe('expensive conditions of many flags', () => {
  it.each([
    ['the flags of a player', () => gateway.call(key, 'GET', `/v1/players/players/${PLAYER}/flags`)],
    ['explanations of all flags', () => gateway.call(key, 'POST', '/v1/flags/flags/explain', { player_id: PLAYER })],
  ])('cost %s no more than one evaluation of an owner', async (_, ask) => {
    const before = stepsSpent();
    const response = await ask();
    const text = await response.text();
    expect(response.status, text).toBe(200);
    expect(text.split('"flag_key"')).toHaveLength(FLAGS + 1);
    const spent = stepsSpent() - before;
    // More than one condition: the evaluations were counted at all.
    expect(spent).toBeGreaterThan(CONDITION_LIMITS.conditionSteps);
    expect(spent).toBeLessThanOrEqual(CONDITION_LIMITS.meterSteps + 1);
  });
});
