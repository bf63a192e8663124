import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MUTANTS } from './mutants.ts';
import { changesByFile, mutate } from './mutate.ts';

/**
 * Applies the named mutant to the modules that this process imports from now on. The process must have no other
 * purpose.
 */
export function applyMutant(name: string): void {
  const mutant = MUTANTS.find((candidate) => candidate.name === name);
  if (mutant === undefined) throw new Error(`there is no mutant ${name}`);
  const root = resolve(import.meta.dirname, '../../..');
  const byUrl = new Map(
    [...changesByFile(mutant.changes)].map(([file, changes]) => [pathToFileURL(resolve(root, file)).href, changes]),
  );

  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const changes = byUrl.get(url);
      if (changes === undefined) return loaded;
      const { source } = loaded;
      if (source === undefined || source === null) throw new Error(`${url} has no source`);
      const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
      return { ...loaded, source: mutate(text, changes) };
    },
  });
}
