import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadModel } from '../../scoring/load-model.ts';
import { writePackage } from '../../scoring/testing-packages.ts';
import { CliError } from '../cli-error.ts';
import { modelCommand } from './model.ts';

let folder: string;
let printed: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-cli-'));
  printed = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function cli(...line: string[]): Promise<string> {
  const command = modelCommand({ modelPath: folder, print: (text) => void printed.push(text), note: () => {} });
  await command.parseAsync(line, { from: 'user' });
  return printed.at(-1) ?? '';
}

async function versionIn(path: string): Promise<string> {
  const outcome = await loadModel(path);
  return outcome.kind === 'loaded' ? outcome.model.version : outcome.kind;
}

describe('model verify', () => {
  test('prints the version of a consistent package', async () => {
    const version = writePackage(folder);
    expect(await cli('verify')).toBe(version);
    const other = writePackage(join(folder, 'elsewhere'), 'other');
    expect(await cli('verify', join(folder, 'elsewhere'))).toBe(other);
  });

  test('reports an inconsistent package and a missing one', async () => {
    await expect(cli('verify')).rejects.toThrow(CliError);
    writePackage(folder);
    writeFileSync(join(folder, 'model.onnx'), 'x');
    await expect(cli('verify')).rejects.toThrow(/digest/);
    expect(printed).toEqual([]);
  });
});

describe('model promote', () => {
  test('makes the challenger the current model, keeps the previous one, and can go back', async () => {
    const first = writePackage(folder);
    const second = writePackage(join(folder, 'challenger'), 'second');
    expect(await cli('promote')).toBe(second);
    expect(await versionIn(folder)).toBe(second);
    expect(await versionIn(join(folder, 'previous'))).toBe(first);
    expect(existsSync(join(folder, 'challenger'))).toBe(false);
    expect(readdirSync(folder).toSorted()).toEqual(['manifest.json', `model-${second}.onnx`, 'previous']);

    expect(await cli('promote', join(folder, 'previous'))).toBe(first);
    expect(await versionIn(folder)).toBe(first);
    expect(await versionIn(join(folder, 'previous'))).toBe(second);
  });

  test('copies a package from another folder, with its card', async () => {
    const version = writePackage(join(folder, 'mine'), 'mine');
    writeFileSync(join(folder, 'mine', 'MODEL_CARD.md'), '# Mine');
    const elsewhere = mkdtempSync(join(tmpdir(), 'model-to-'));
    try {
      const command = modelCommand({ modelPath: elsewhere, print: (text) => void printed.push(text), note: () => {} });
      await command.parseAsync(['promote', join(folder, 'mine')], { from: 'user' });
      expect(await versionIn(elsewhere)).toBe(version);
      expect(readFileSync(join(elsewhere, 'MODEL_CARD.md'), 'utf8')).toBe('# Mine');
      expect(await versionIn(join(folder, 'mine'))).toBe(version);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  test('refuses a package that the service would refuse, and changes nothing', async () => {
    const version = writePackage(folder);
    await expect(cli('promote')).rejects.toThrow(/no model/);
    writePackage(join(folder, 'challenger'), 'c', (manifest) => ({ ...manifest, model_version: '000000000000' }));
    await expect(cli('promote')).rejects.toThrow(/digest/);
    expect(await versionIn(folder)).toBe(version);
    expect(readdirSync(folder).toSorted()).toEqual(['challenger', 'manifest.json', 'model.onnx']);
  });
});

test('model list shows all three models and their faults', async () => {
  const version = writePackage(folder);
  writePackage(join(folder, 'challenger'), 'c', (manifest) => ({ ...manifest, model_version: '000000000000' }));
  const text = await cli('list');
  expect(text).toMatch(new RegExp(`^current +${version} +synthetic +0\\.3405 0\\.1170 0\\.0599 +good`, 'm'));
  expect(text).toMatch(/^challenger .*refused: the artifact's digest/m);
  expect(text).toMatch(/^previous +none/m);
});
