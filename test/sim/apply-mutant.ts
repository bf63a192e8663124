import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MUTANTS } from './mutants.ts';

/** Makes a deliberate bug: what is imported from now on has the named texts changed. For a process that has no other use. */
export function applyMutant(name: string): void {
  const mutant = MUTANTS.find((candidate) => candidate.name === name);
  if (mutant === undefined) throw new Error(`there is no mutant ${name}`);
  const root = resolve(import.meta.dirname, '../..');
  const byUrl = new Map(mutant.changes.map((change) => [pathToFileURL(resolve(root, change.file)).href, change]));

  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const change = byUrl.get(url);
      if (change === undefined) return loaded;
      const { source } = loaded;
      if (source === undefined || source === null) throw new Error(`${change.file} has no source`);
      const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
      return { ...loaded, source: text.replace(change.original, () => change.mutated) };
    },
  });
}
