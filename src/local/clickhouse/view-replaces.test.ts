import { expect, it } from 'vitest';
import { createViewReplaces } from './view-replaces.ts';

const unfound = (code = 60) => new Error(`Code: ${code}. DB::Exception: Unknown table expression identifier 'v'.`);

/** A statement that fails with these errors, one after the other, before it answers. */
function statement(...errors: Error[]) {
  let runs = 0;
  return {
    runs: () => runs,
    run: async () => {
      runs += 1;
      const error = errors[runs - 1];
      if (error !== undefined) throw error;
      return 'rows';
    },
  };
}

it('a statement of an unknown table fails at once, unless a view is replaced', async () => {
  const views = createViewReplaces();
  const { run, runs } = statement(unfound());
  await expect(views.read(run)).rejects.toThrow('Unknown table');
  expect(runs()).toBe(1);
});

it.each([60, 46])('a statement that begins while a view is replaced runs again behind it (%d)', async (code) => {
  const views = createViewReplaces();
  let end = (): void => {};
  const replaced = views.replace(() => new Promise<string>((resolve) => (end = () => resolve('done'))));
  const { run, runs } = statement(unfound(code), unfound(code));
  const read = views.read(async () => {
    const rows = run();
    end();
    return rows;
  });
  expect(await replaced).toBe('done');
  // The second failure is behind every replacement: the view is gone.
  await expect(read).rejects.toThrow('Unknown table');
  expect(runs()).toBe(2);
});

it('a statement during which a view is replaced runs again, also if that fails', async () => {
  const views = createViewReplaces();
  const { run, runs } = statement(unfound(), unfound());
  const rows = await views.read(async () => {
    if (runs() < 2) await views.replace(() => Promise.reject(new Error('no'))).catch(() => {});
    return run();
  });
  expect([rows, runs()]).toEqual(['rows', 3]);
});

it('other failures stay', async () => {
  const views = createViewReplaces();
  const { run, runs } = statement(unfound(62));
  const read = views.read(async () => {
    await views.replace(async () => {});
    return run();
  });
  await expect(read).rejects.toThrow();
  expect(runs()).toBe(1);
});
