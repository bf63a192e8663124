import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HIDDEN_COLUMNS, readerGrants } from '../../clickhouse-schema/hidden-columns.ts';

/* One list of hidden columns: documents and deployment files name the command that prints its statements. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const files = [
  'docker-compose.yml',
  'README.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test('no document has grants of its own', () => {
  const own = files.filter((file) => /\b(?:GRANT|REVOKE) SELECT/.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(own).toEqual([]);
});

test('the documents name every hidden column', () => {
  const text = readFileSync(join(ROOT, 'docs/privacy.md'), 'utf8');
  for (const [table, columns] of Object.entries(HIDDEN_COLUMNS)) {
    const [row = ''] = text.split('\n').filter((line) => line.startsWith(`| \`${table}\``));
    for (const column of columns) expect(row).toContain(`\`${column}\``);
  }
});

test('the statements hide the columns with their subcolumns, and quote what they are given', () => {
  expect(readerGrants('analyst', 'pa', "it's")).toEqual([
    "CREATE USER IF NOT EXISTS `analyst` IDENTIFIED BY 'it\\'s' " +
      'SETTINGS readonly = 2, max_memory_usage = 4000000000, max_execution_time = 60',
    'GRANT SELECT ON `pa`.* TO `analyst`',
    'REVOKE SELECT(`email`) ON `pa`.players FROM `analyst`',
    'REVOKE SELECT(`email`, `email.null`, `email.size`, `state`, `state.size`) ON `pa`.player_snapshots FROM `analyst`',
    'REVOKE SELECT(`actor`, `actor.size`, `network`, `network.size`, `before`, `before.size`, `after`, `after.size`) ' +
      'ON `pa`.audit_entries FROM `analyst`',
    'REVOKE SELECT(`actor`, `actor.size`) ON `pa`.definition_changes FROM `analyst`',
  ]);
});
