/** Writes all sources without their types to a folder: `strip-sources.ts FOLDER`. `load-stripped.ts` reads them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDERS = ['src', 'actors', 'streams', 'clickhouse-schema', 'core', 'models', 'test'];
const folder = process.argv[2];
if (folder === undefined) throw new Error('name the folder to write to');

for (const name of FOLDERS) {
  for (const file of readdirSync(join(ROOT, name), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const stripped = join(folder, name, `${file}.mjs`);
    mkdirSync(dirname(stripped), { recursive: true });
    writeFileSync(stripped, stripTypeScriptTypes(readFileSync(join(ROOT, name, file), 'utf8')));
  }
}
