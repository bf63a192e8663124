import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SHIPPED } from './testing-packages.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'onnx-home-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const moduleUrl = (name: string): string => pathToFileURL(join(import.meta.dirname, name)).href;

describe('the ONNX runtime', () => {
  it('keeps no device id and queues no telemetry', async () => {
    const program = `
      import { loadModel } from ${JSON.stringify(moduleUrl('load-model.ts'))};
      const outcome = await loadModel(${JSON.stringify(SHIPPED)});
      console.log(outcome.kind);
    `;
    // An environment without the variables that tests and CI set: each of them would turn telemetry off, too.
    const env = { HOME: home, TMPDIR: home, PATH: process.env['PATH'] };
    const node = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { env, cwd: home });
    expect((await node).stdout).toBe('loaded\n');
    expect(readdirSync(home, { recursive: true })).toEqual([]);
  });
});
