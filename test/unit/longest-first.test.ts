import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LONGEST } from '../support/longest-first.ts';

test('the files that run first exist', () => {
  const missing = LONGEST.filter((file) => !existsSync(fileURLToPath(new URL(`../../${file}`, import.meta.url))));
  expect(missing).toEqual([]);
});
