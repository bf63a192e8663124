import type { Bench } from './bench.ts';
import type { PlaceFlags } from './cli-options.ts';
import { describeMachine, machineLine } from './report/machine.ts';
import { saveResults } from './report/save-results.ts';

/** What came of a bench. */
export interface Told {
  /** Part of the files' names. */
  name: string;
  /** What was asked for. */
  settings: object;
  /** The rest of what the JSON file holds. */
  results: object;
  /** For the terminal. */
  tables: string;
  /** Name → SVG text. */
  pictures?: Readonly<Record<string, string>>;
}

/**
 * Notes when a bench began, and on what machine: its disk is timed before anything else uses it.
 * @returns tells what came of it: tables to the terminal, all of it to files beside one another
 */
export function beginReport({ report }: Bench, { folder, output }: PlaceFlags): (told: Told) => void {
  const startedAt = new Date();
  const machine = describeMachine(folder);
  return ({ name, settings, results, tables, pictures = {} }) => {
    report(['', machineLine(machine), tables].join('\n'));
    const saved = saveResults({
      folder: output,
      name,
      startedAt,
      results: { machine, settings, ...results },
      pictures,
    });
    report(saved.map((path) => `written: ${path}`).join('\n'));
  };
}
