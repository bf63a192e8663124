#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type EventSchema, type Flag, gameSchemaText } from './game-schema-text.ts';

/* The command `types`: writes the types of a game's events and flags, read from the service with a server key. */

const USAGE =
  'Usage: npx @player-analytics/sdk types --url https://… [--out game-schema.ts] [--name Game]\n' +
  'The server key (sk_…) is read from standard input, so that it appears in no list of processes.\n';

interface Page {
  success: boolean;
  data: Record<string, unknown> & { next_cursor: string | null };
  error?: { code: string; message: string };
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      out: { type: 'string', default: 'game-schema.ts' },
      name: { type: 'string', default: 'Game' },
      help: { type: 'boolean', default: false },
    },
  });
  const { url, out, name, help } = values;
  const isComplete = positionals.join() === 'types' && url !== undefined && /^[A-Za-z_$][\w$]*$/.test(name);
  if (help || !isComplete) {
    (help ? process.stdout : process.stderr).write(USAGE);
    return help ? 0 : 2;
  }
  const key = await standardInput();
  const schemas = await all<EventSchema>(url, key, '/v1/events/schemas', 'schemas');
  const flags = await all<Flag>(url, key, '/v1/flags/flags', 'flags');
  writeFileSync(out, gameSchemaText(name, schemas, flags));
  process.stdout.write(`${out}: ${schemas.length} events, ${flags.length} flags\n`);
  return 0;
}

/** Every item of a list. */
async function all<Item>(url: string, key: string, path: string, field: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`${url.replace(/\/$/, '')}${path}?limit=500${query}`, {
      headers: { 'X-API-Key': key },
    });
    const page: Page = JSON.parse(await response.text());
    if (!page.success) throw new Error(`${path} was refused: ${page.error?.code}: ${page.error?.message}`);
    items.push(...Object(page.data[field]));
    cursor = page.data.next_cursor;
  }
  return items;
}

async function standardInput(): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) text += String(part);
  return text.trim();
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
