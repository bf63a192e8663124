import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SavedResults {
  /** Made when missing. */
  folder: string;
  name: string;
  startedAt: Date;
  results: object;
  /** Name → SVG text. */
  pictures: Readonly<Record<string, string>>;
}

/** Writes `<time>-<name>.json` and, beside it, `<time>-<name>-<picture>.svg`. @returns the files' paths */
export function saveResults({ folder, name, startedAt, results, pictures }: SavedResults): string[] {
  mkdirSync(folder, { recursive: true });
  const base = join(folder, `${startedAt.toISOString().slice(0, 19).replaceAll(':', '')}-${name}`);
  const files: [string, string][] = [
    [`${base}.json`, `${JSON.stringify({ started_at: startedAt.toISOString(), ...results }, null, 2)}\n`],
    ...Object.entries(pictures).map(([picture, svg]): [string, string] => [`${base}-${picture}.svg`, svg]),
  ];
  for (const [path, text] of files) writeFileSync(path, text);
  return files.map(([path]) => path);
}
