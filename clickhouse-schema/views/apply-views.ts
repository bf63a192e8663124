import { readdir, readFile } from 'node:fs/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { expanded } from '../templates.ts';
import { builtZones, type GameZones, viewMacros } from './view-macros.ts';
import { checksumOf, type Recorded, recordOf, SchemaError, statementsOf } from '../schema-record.ts';

/**
 * Makes the next `applyViews` create all views again. Call it before tables change: a view of `*` has the columns that
 * its source had when it was created.
 */
export async function outdateViews(client: ClickHouseClient): Promise<void> {
  const record = await recordOf(client, 'schema_views');
  const views = [...record.checksums.keys()].map((name) => ({ name, checksum: 'outdated' }));
  if (views.length > 0) await record.add(views);
}

/**
 * Creates the views of this folder's SQL files, with the zones in which days are built, and drops the recorded ones
 * that no file has any more. If one differs from its record in `schema_views`, all are created again. An interrupted
 * call is repeated by the next.
 * @returns the names of the views that were created, changed or dropped
 */
export async function applyViews(client: ClickHouseClient): Promise<string[]> {
  return apply(client, (views) => views);
}

/** Creates only the views whose text changed, because a game's time zone did: their columns stay the same. */
export async function followZones(client: ClickHouseClient): Promise<string[]> {
  return apply(client, (_, changed) => changed);
}

async function apply(
  client: ClickHouseClient,
  chosen: (views: readonly View[], changed: readonly View[]) => readonly View[],
): Promise<string[]> {
  const record = await recordOf(client, 'schema_views');
  const views = inOrder(await readViews(await builtZones(client)));
  const changed = views.filter(({ name, checksum }) => record.checksums.get(name) !== checksum);
  const names = new Set(views.map(({ name }) => name));
  const dropped = [...record.checksums.keys()].filter((name) => !names.has(name));
  if (changed.length === 0 && dropped.length === 0) return [];
  for (const name of dropped) await client.command({ query: `DROP VIEW IF EXISTS ${name}` });
  for (const { sql } of chosen(views, changed)) await client.command({ query: sql, clickhouse_settings: LONG_TEXTS });
  const applied = [...changed, ...dropped.map((name) => ({ name, checksum: '' }))];
  await record.add(applied);
  return applied.map(({ name }) => name);
}

/** A view names every game that counts its days in a zone of its own. */
const LONG_TEXTS = { max_query_size: String(16 * 1024 * 1024) } as const;

interface View extends Recorded {
  sql: string;
}

async function readViews(zones: GameZones): Promise<View[]> {
  const folder = new URL('.', import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));
  const macros = viewMacros(zones);
  return texts
    .flatMap((text) => statementsOf(expanded(text, macros)))
    .map((sql) => {
      const name = /^CREATE OR REPLACE VIEW (\w+) AS$/m.exec(sql)?.[1];
      if (name === undefined) throw new SchemaError(`A file of views has only \`CREATE OR REPLACE VIEW\`, not: ${sql}`);
      return { name, sql, checksum: checksumOf(sql) };
    });
}

/** Each view behind those that it reads. */
function inOrder(views: readonly View[]): View[] {
  const byName = new Map(views.map((view) => [view.name, view]));
  const placed = new Set<View>();
  const place = (view: View, readers: readonly View[]): void => {
    if (readers.includes(view)) throw new SchemaError(`The view ${view.name} reads itself.`);
    for (const [, name = ''] of view.sql.matchAll(/\b(?:FROM|JOIN) (\w+)/g)) {
      const source = byName.get(name);
      if (source !== undefined && !placed.has(source)) place(source, [...readers, view]);
    }
    placed.add(view);
  };
  for (const view of views) place(view, []);
  return [...placed];
}
