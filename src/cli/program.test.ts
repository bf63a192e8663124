import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { systemClock as clock } from '../../core/kernel/clock.ts';
import { systemIds as ids } from '../../core/kernel/ids.ts';
import { createProgram } from './program.ts';

const program = await createProgram({
  clock,
  ids,
  print: () => {},
  note: () => {},
  dataDir: '',
  modelPath: '',
  withConfigStore: () => Promise.reject(new Error('no command runs')),
  withDeployment: () => Promise.reject(new Error('no command runs')),
  baseUrl: () => undefined,
  clickhouse: () => ({ url: '', user: '', password: '', database: '' }),
});

/** The output of `--help` after these words. */
function help(words: readonly string[]): string {
  const command = words.reduce<Command | undefined>(
    (above, word) => above?.commands.find((known) => known.name() === word),
    program,
  );
  return command?.helpInformation() ?? '';
}

test.each([
  '',
  'keys',
  'keys create',
  'keys list',
  'keys revoke',
  'games create',
  'games list',
  'secrets',
  'clickhouse check',
  'clickhouse repair',
  'sql',
  'trace',
  'migrate',
])('%s --help prints its usage', (line) => {
  const words = line.split(' ').filter((word) => word !== '');
  expect(help(words)).toContain(`Usage: ${['npm run cli --', ...words].join(' ')}`);
});
