import { problemReporter } from '../wire/callbacks.ts';
import type { GameOptions } from '../options.ts';
import type { Platform } from '../platform.ts';
import type { ReportProblem } from '../wire/problems.ts';

/* What the client says: to the game's callback, and to the log where `debug` is on or no listener is set. */

export interface Reports {
  onProblem: ReportProblem;
  /** Reports a mistake of the game once. */
  advise: (message: string) => void;
  /** Writes a line, if the game asked for it. */
  debug: (line: string) => void;
}

/** What only the game's developer can mend: without `onProblem` it would stay unseen. */
const WARNED = /^(usage|unauthorized|refused|invalid)$/;
/** Of texts that were said already. */
const MOST_TEXTS = 100;

export function createReports(
  { onProblem: callback, debug: isDebug = false }: Pick<GameOptions, 'onProblem' | 'debug'>,
  { log }: Pick<Platform, 'log'>,
): Reports {
  const tell = problemReporter(callback);
  const said = new Set<string>();
  const isNew = (text: string) => said.size < MOST_TEXTS && said.size < said.add(text).size;
  const debug = (line: string) => void (isDebug && log?.('debug', `player-analytics: ${line}`));

  const onProblem: ReportProblem = (problem) => {
    const line = `${problem.kind}: ${problem.message}`;
    debug(line);
    if (callback === undefined && !isDebug && WARNED.test(problem.kind) && isNew(line)) {
      log?.('warn', `player-analytics: ${line}`);
    }
    tell(problem);
  };
  return {
    onProblem,
    debug,
    advise: (message) => void (isNew(message) && onProblem({ kind: 'usage', message })),
  };
}
