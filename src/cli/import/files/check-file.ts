import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { NEVER_SEEN } from '../../../../core/vocabulary/state/player.ts';
import { printable } from '../../printable.ts';
import { openFile } from './open-source.ts';
import { fittedTexts, noFittedLines, noteFitted, type FittedLines } from './fitted-lines.ts';
import { grouped } from '../progress-line.ts';
import { readHistory, type ReadOptions } from './read-history.ts';

/** What a file holds, without importing it. */
export interface FileReport {
  lines: number;
  good: number;
  faulty: number;
  /** The first faults. */
  faults: { line: number; reason: string }[];
  fitted: FittedLines;
  /** Lines by name of event, the most frequent first. */
  names: [name: string, lines: number][];
  /** Epoch milliseconds; `undefined` without a good line. */
  fromMs: number | undefined;
  toMs: number | undefined;
  /** Distinct players, at most `MOST_PLAYERS`. */
  players: number;
}

const SHOWN_FAULTS = 10;
const SHOWN_NAMES = 20;
/** Names and players that are counted apart: enough for a look, and a bound on memory. */
const MOST_NAMES = 10_000;
const MOST_PLAYERS = 1_000_000;

/** Reads a whole file as an import would. */
export async function checkFile(path: string, options: ReadOptions): Promise<FileReport> {
  const report: FileReport = {
    lines: 0,
    good: 0,
    faulty: 0,
    faults: [],
    fitted: noFittedLines(),
    names: [],
    fromMs: undefined,
    toMs: undefined,
    players: 0,
  };
  const names = new Map<string, number>();
  const players = new Set<string>();
  for await (const lines of readHistory(await openFile(path, options.fileKind), options)) {
    for (const read of lines) {
      report.lines += 1;
      if (read.kind === 'fault') {
        report.faulty += 1;
        if (report.faults.length < SHOWN_FAULTS) report.faults.push({ line: read.line, reason: read.reason });
        continue;
      }
      report.good += 1;
      noteFitted(report.fitted, read);
      const { at, event, playerId } = read.item;
      if (at !== NEVER_SEEN) {
        report.fromMs = Math.min(report.fromMs ?? at, at);
        report.toMs = Math.max(report.toMs ?? at, at);
      }
      if (players.size < MOST_PLAYERS) players.add(playerId);
      const name = event?.eventName;
      if (name !== undefined && (names.has(name) || names.size < MOST_NAMES)) {
        names.set(name, (names.get(name) ?? 0) + 1);
      }
    }
  }
  report.players = players.size;
  report.names = [...names].sort(([, one], [, other]) => other - one).slice(0, SHOWN_NAMES);
  return report;
}

/** The report as lines of text. */
export function reportLines(path: string, report: FileReport): string[] {
  const { lines, good, faulty, faults, fitted, names, fromMs, toMs, players } = report;
  const times =
    fromMs === undefined || toMs === undefined ? '' : `, ${formatTimestamp(fromMs)} to ${formatTimestamp(toMs)}`;
  const most = players === MOST_PLAYERS ? 'at least ' : '';
  return [
    `${path}: ${grouped(lines)} lines, ${grouped(good)} good, ${grouped(faulty)} faulty`,
    `  ${most}${grouped(players)} players${times}`,
    ...names.map(([name, count]) => `  ${grouped(count)} ${printable(name)}`),
    ...fittedTexts(fitted).map((text) => `  ${text}`),
    ...faults.map(({ line, reason }) => `  line ${line}: ${printable(reason)}`),
  ];
}
