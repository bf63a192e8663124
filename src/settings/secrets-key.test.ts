import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { ensureLocalKey, serviceSecretBox, toolSecretBox } from './secrets-key.ts';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'player-analytics-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const boxOf = (env: Record<string, string>) => {
  const box = serviceSecretBox(readConfig(env), root, systemIds);
  if (box === undefined) throw new Error('the settings name no key');
  return box;
};
const KEY = Buffer.alloc(32, 1);
const OTHER = Buffer.alloc(32, 2);

describe('the key that seals secrets', () => {
  test('is created once below DATA_DIR on one machine, readable by its owner only', () => {
    const box = boxOf({});
    expect(boxOf({}).keyId).toBe(box.keyId);
    expect(readdirSync(root)).toEqual(['secrets-key']);
    expect((statSync(ensureLocalKey(root, systemIds)).mode & 0o777).toString(8)).toBe('600');
    expect(toolSecretBox(readConfig({ DATA_DIR: root }), systemIds)?.keyId).toBe(box.keyId);
  });

  test('is not created where other processes share the broker', () => {
    expect(serviceSecretBox(readConfig({ NATS_URL: 'nats://a' }), root, systemIds)).toBeUndefined();
    expect(toolSecretBox(readConfig({ NATS_URL: 'nats://a', DATA_DIR: root }), systemIds)).toBeUndefined();
    expect(readdirSync(root)).toEqual([]);
  });

  test('is the same in base64, base64url and hex, from the environment and from a file', () => {
    const file = join(root, 'key');
    writeFileSync(file, `\n ${KEY.toString('hex')}\n${OTHER.toString('base64')}\n`);
    const boxes = [
      boxOf({ SECRETS_KEY: KEY.toString('base64') }),
      boxOf({ SECRETS_KEY: KEY.toString('base64url') }),
      boxOf({ SECRETS_KEY: KEY.toString('hex'), SECRETS_KEY_PREVIOUS: OTHER.toString('base64') }),
      boxOf({ SECRETS_KEY_FILE: file }),
    ];
    expect(new Set(boxes.map(({ keyId }) => keyId)).size).toBe(1);
    const other = boxOf({ SECRETS_KEY: OTHER.toString('hex') }).keyId;
    expect(boxes.map((box) => box.knows(other))).toEqual([false, false, true, true]);
  });

  test.each([
    'short',
    'x'.repeat(44),
    KEY.toString('hex').slice(1),
    `${KEY.toString('base64')} `.repeat(2),
    '!'.repeat(43),
  ])('is refused as %s, and the error does not show it', (text) => {
    expect(() => boxOf({ SECRETS_KEY: text })).toThrow(/SECRETS_KEY must be 32 bytes in base64 or hex\. .*`openssl/);
    expect(() => boxOf({ SECRETS_KEY: text })).not.toThrow(text);
  });

  test('in a file that is empty or missing is an error', () => {
    const file = join(root, 'key');
    expect(() => boxOf({ SECRETS_KEY_FILE: file })).toThrow(/cannot be read/);
    writeFileSync(file, '\n');
    expect(() => boxOf({ SECRETS_KEY_FILE: file })).toThrow(/contains no key/);
    expect(() => boxOf({ SECRETS_KEY_FILE: file, SECRETS_KEY: KEY.toString('hex') })).toThrow(/both set/);
  });
});
