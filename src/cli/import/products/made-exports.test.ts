import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DAY_MS, USUAL_GAME } from '../../../../bench/lib/history/game-history.ts';
import { isProduct, PRODUCT_WRITERS } from '../../../../bench/lib/products/product-lines.ts';
import { writeExport } from '../../../../bench/lib/products/write-export.ts';
import { fileFormat } from '../files/file-formats.ts';
import { openFile } from '../files/open-source.ts';
import { readHistory } from '../files/read-history.ts';
import { surveyFiles } from '../survey/survey.ts';

const folder = mkdtempSync(join(tmpdir(), 'made-exports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 0, 15);
const RULES = { ...USUAL_GAME, seed: 9, players: 120, days: 25, startMs: Date.UTC(2025, 5, 1), payerShare: 0.3 };
const choices = {
  purchases: new Map([
    ['Purchase', undefined],
    ['pack_bought', 'revenue'],
  ]),
  zone: undefined,
  joins: true,
};

describe.each(Object.keys(PRODUCT_WRITERS).filter(isProduct))('the lines of an export of %s', (product) => {
  it('have the players, days, sessions and revenue of its generator, in any order of the files', async () => {
    const paths = ['a.json', 'b.json.gz', 'c.json'].map((name) => join(folder, `${product}-${name}`));
    const truth = writeExport(paths, product, RULES);
    const format = fileFormat(product, 'events');
    if (format === undefined) throw new Error('no such format');
    for (const order of [paths, paths.toReversed()]) {
      const files = order.map((path) => ({ path, kind: 'ndjson' as const }));
      const common = { nowMs: NOW, exchangeOf: () => undefined, choices, fit: false };
      const survey = await surveyFiles(files, format, common);
      const days = new Map(
        truth.days.map(({ day }) => [day, { players: new Set(), events: 0, sessions: 0, seconds: 0, cents: 0 }]),
      );
      const first = new Map<string, string>();
      const ids = new Set<string>();
      let repeated = 0;
      for (const [fileNumber, { path, kind }] of files.entries()) {
        const reading = {
          ...common,
          fileKind: kind,
          format,
          importId: path,
          playerIdOf: (id: string) => id,
          survey,
          fileNumber,
        };
        for await (const lines of readHistory(await openFile(path, kind), reading)) {
          for (const line of lines) {
            if (line.kind === 'fault') throw new Error(line.reason);
            const { at, externalId, session, purchase } = line.item;
            if (line.ownId !== undefined && ids.size === ids.add(line.ownId).size) {
              repeated += 1;
              continue;
            }
            const day = new Date(at).toISOString().slice(0, 10);
            const held = days.get(day);
            if (held === undefined) throw new Error(`no day ${day}`);
            held.players.add(externalId);
            held.events += 1;
            held.sessions += session === undefined ? 0 : 1;
            held.seconds += session?.durationSeconds ?? 0;
            held.cents += (purchase?.amount ?? 0) / 100;
            if (day < (first.get(externalId) ?? '9999')) first.set(externalId, day);
          }
        }
      }
      expect([repeated, first.size]).toEqual([truth.repeated, truth.players]);
      expect(
        [...days].map(([day, { players, events, sessions, seconds, cents }]) => ({
          day,
          dau: players.size,
          newPlayers: [...first.values()].filter((one) => one === day).length,
          events,
          sessions,
          playtimeSeconds: seconds,
          revenueCents: cents,
        })),
      ).toEqual(
        truth.days.map(({ day, dau, newPlayers, events, sessions, playtimeSeconds, revenueCents }) => ({
          day,
          dau,
          newPlayers,
          events,
          sessions,
          playtimeSeconds,
          revenueCents,
        })),
      );
    }
    expect(truth.revenueCents).toBeGreaterThan(0);
    expect(truth.days.at(-1)?.day).toBe(new Date(RULES.startMs + (RULES.days - 1) * DAY_MS).toISOString().slice(0, 10));
  });
});
