import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { until } from '../../test/support/until.ts';
import { createMetrics, type Metrics } from '../parts/metrics.ts';
import { SCORING_LIMITS } from './limits.ts';
import { CHALLENGER_FOLDER, watchModels, type Models } from './models.ts';
import { replaceFile, writePackage } from './testing-packages.ts';

let folder: string;
let clock: FakeClock;
let metrics: Metrics;
let models: Models;
let lines: { level: number; role: string; msg: string }[];
let loaded: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watched-'));
  clock = createFakeClock();
  metrics = createMetrics();
  lines = [];
  loaded = [];
});
afterEach(() => {
  models.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function watch(): Promise<void> {
  const logger = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const onLoaded = (manifest: { model_version: string }): void => void loaded.push(manifest.model_version);
  models = await watchModels({ folder, clock, logger, metrics, onLoaded });
}

/** Runs a check of both watchers, each until it has set its next timer. */
async function looks(times: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    await until('the last look is over', () => clock.timers === 2);
    await clock.advance(SCORING_LIMITS.modelCheckMs);
  }
  await until('the last look is over', () => clock.timers === 2);
}

const errors = () => lines.filter(({ level }) => level >= 50);

describe('a watched model', () => {
  it('is available after the first check', async () => {
    const version = writePackage(folder);
    await watch();
    expect(models.current()?.version).toBe(version);
    expect(loaded).toEqual([version]);
    expect(await metrics.text()).toContain(`scoring_model_info{role="current",version="${version}"} 1`);
  });

  it('is loaded when it appears later; its absence is logged once', async () => {
    await watch();
    expect(models.current()).toBeUndefined();
    await looks(3);
    expect(errors()).toHaveLength(1);
    const version = writePackage(folder);
    await looks(2);
    expect(models.current()?.version).toBe(version);
  });

  it('changes when its files have changed and are stable', async () => {
    const first = writePackage(folder);
    await watch();
    const next = writePackage(folder, 'next');
    await looks(1);
    expect(models.current()?.version).toBe(first);
    await looks(1);
    expect(models.current()?.version).toBe(next);
    await looks(5);
    expect(loaded).toEqual([first, next]);
    const text = await metrics.text();
    expect(text).toContain(`scoring_model_info{role="current",version="${next}"} 1`);
    expect(text).not.toContain(first);
  });

  it('stays in use when its artifact or manifest breaks or is deleted; each is logged once', async () => {
    const version = writePackage(folder);
    await watch();
    replaceFile(join(folder, 'model.onnx'), 'broken');
    await looks(4);
    expect(errors()).toHaveLength(1);
    replaceFile(join(folder, 'manifest.json'), '{}');
    await looks(4);
    expect(errors()).toHaveLength(2);
    rmSync(folder, { recursive: true, force: true });
    await looks(4);
    expect(errors()).toHaveLength(3);
    expect(models.current()?.version).toBe(version);
    expect(writePackage(folder)).toBe(version);
    await looks(2);
    expect(loaded).toEqual([version, version]);
  });

  it('is verified again when a file was only touched', async () => {
    const version = writePackage(folder);
    await watch();
    utimesSync(join(folder, 'manifest.json'), 5, 5);
    await looks(2);
    expect(loaded).toEqual([version, version]);
  });
});

describe('a challenger', () => {
  it('follows its files, and is undefined while it equals the current model', async () => {
    const version = writePackage(folder);
    await watch();
    expect(models.challenger()).toBeUndefined();
    const challenger = join(folder, CHALLENGER_FOLDER);
    const other = writePackage(challenger, 'other');
    await looks(2);
    expect(models.challenger()?.version).toBe(other);
    expect(models.current()?.version).toBe(version);
    writePackage(challenger);
    await looks(2);
    expect(models.challenger()).toBeUndefined();
    writePackage(challenger, 'other');
    await looks(2);
    expect(models.challenger()?.version).toBe(other);
    rmSync(challenger, { recursive: true });
    await looks(2);
    expect(models.challenger()).toBeUndefined();
    expect(errors()).toEqual([]);
  });
});
