import { failureOf } from '../../../clickhouse-schema/queries/statements/exceptions.ts';

/*
 * The embedded database is not of the engine Atomic: it drops a view before it creates the new one, and a statement in
 * between finds none. Such a statement runs again. All statements pass this process, so it knows of every replacement.
 */
export interface ViewReplaces {
  /** Runs the statement that replaces a view. */
  replace<T>(run: () => Promise<T>): Promise<T>;
  /**
   * Runs a statement, which fails before it has a result if it does not find a view. Runs it again if a view was
   * replaced meanwhile: at most once for each replacement.
   */
  read<T>(run: () => Promise<T>): Promise<T>;
}

export const isReplace = (sql: string): boolean => sql.startsWith('CREATE OR REPLACE VIEW ');

export function createViewReplaces(): ViewReplaces {
  const running = new Set<Promise<unknown>>();
  let begun = 0;
  return {
    async replace(run) {
      begun += 1;
      const replacing = run();
      running.add(replacing);
      try {
        return await replacing;
      } finally {
        running.delete(replacing);
      }
    },
    async read(run) {
      for (;;) {
        const [before, wasRunning] = [begun, running.size > 0];
        try {
          return await run();
        } catch (error) {
          const mayBeReplaced = wasRunning || begun > before;
          if (!mayBeReplaced || !UNFOUND.includes(failureOf(error, '').code)) throw error;
        }
        await Promise.allSettled(running);
      }
    },
  };
}

/** UNKNOWN_TABLE, and UNKNOWN_FUNCTION of a view with parameters. */
const UNFOUND: readonly number[] = [60, 46];
