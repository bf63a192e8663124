import { inUnits } from '../../../../core/kernel/money.ts';
import { NEVER_SEEN } from '../../../../core/vocabulary/state/player.ts';
import { openFile } from '../files/open-source.ts';
import { noFittedLines, noteFitted, type FittedLines } from '../files/fitted-lines.ts';
import { readHistory, type ReadLine, type ReadOptions } from '../files/read-history.ts';
import { keptOf, type KeptLine } from './kept-line.ts';

/** What a file holds, without importing it. */
export interface FileReport {
  lines: number;
  good: number;
  faulty: number;
  /** Lines that hold nothing to import, by the reason. */
  empty: ReadonlyMap<string, number>;
  /** The first faults of the command. */
  faults: { line: number; reason: string; remedy: string | undefined }[];
  fitted: FittedLines;
  /** Lines by name of event, the most frequent first, with one of them if no file before had the name. */
  names: { name: string; lines: number; kept: KeptLine | undefined }[];
  /** Lines of names that are not counted apart. */
  otherNames: number;
  /** Epoch milliseconds; `undefined` without a good line. */
  fromMs: number | undefined;
  toMs: number | undefined;
  /** Distinct players, at most `MOST_PLAYERS`. */
  players: number;
  sessions: number;
  playtimeSeconds: number;
  /** Purchases and refunds by currency; an empty text is that of the game. */
  money: ReadonlyMap<string, { purchases: number; paid: number; refunds: number; refunded: number }>;
}

/** What the reports of several files share. */
export interface CheckState {
  faultsLeft: number;
  /** Names of which a line was shown. */
  shown: Set<string>;
}

const SHOWN_FAULTS = 10;
const SHOWN_NAMES = 50;
/** Names and players that are counted apart: enough for a look, and a bound on memory. */
const MOST_NAMES = 10_000;
/** Names of which a line is remembered, and currencies. */
const MOST_KEPT = 1_000;
export const MOST_PLAYERS = 1_000_000;

export const newCheck = (): CheckState => ({ faultsLeft: SHOWN_FAULTS, shown: new Set() });

/** Reads a whole file as an import would. */
export async function checkFile(path: string, options: ReadOptions, state: CheckState): Promise<FileReport> {
  const empty = new Map<string, number>();
  const money = new Map<string, { purchases: number; paid: number; refunds: number; refunded: number }>();
  const report: FileReport = {
    lines: 0,
    good: 0,
    faulty: 0,
    empty,
    faults: [],
    fitted: noFittedLines(),
    names: [],
    otherNames: 0,
    fromMs: undefined,
    toMs: undefined,
    players: 0,
    sessions: 0,
    playtimeSeconds: 0,
    money,
  };
  const names = new Map<string, { lines: number; kept: KeptLine | undefined }>();
  const players = new Set<string>();

  function noteItem(read: Extract<ReadLine, { kind: 'item' }>): void {
    noteFitted(report.fitted, read);
    const { at, event, playerId, session } = read.item;
    if (at !== NEVER_SEEN) {
      report.fromMs = Math.min(report.fromMs ?? at, at);
      report.toMs = Math.max(report.toMs ?? at, at);
    }
    if (players.size < MOST_PLAYERS) players.add(playerId);
    if (session !== undefined) {
      report.sessions += 1;
      report.playtimeSeconds += session.durationSeconds;
    }
    noteMoney(read);
    const name = event?.eventName ?? read.item.quarantined?.eventName;
    if (name === undefined) return;
    const held = names.get(name);
    if (held !== undefined) held.lines += 1;
    else if (names.size >= MOST_NAMES) report.otherNames += 1;
    else names.set(name, { lines: 1, kept: names.size < MOST_KEPT ? keptOf(read, options) : undefined });
  }

  function noteMoney({ item: { purchase, refund } }: Extract<ReadLine, { kind: 'item' }>): void {
    if (purchase === undefined && refund === undefined) return;
    const currency = purchase?.currency ?? '';
    const held = money.get(currency) ?? { purchases: 0, paid: 0, refunds: 0, refunded: 0 };
    if (purchase !== undefined) {
      held.purchases += 1;
      held.paid += inUnits(purchase.amount);
    }
    if (refund !== undefined) {
      held.refunds += 1;
      held.refunded += inUnits(refund.amount);
    }
    if (money.size < MOST_KEPT) money.set(currency, held);
  }

  const onEmpty = (_: number, reason: string): void => {
    report.lines += 1;
    empty.set(reason, (empty.get(reason) ?? 0) + 1);
  };
  const file = await openFile(path, options.fileKind);
  for await (const lines of readHistory(file, { ...options, onEmpty, withFields: true })) {
    for (const read of lines) {
      report.lines += 1;
      if (read.kind === 'item') {
        report.good += 1;
        noteItem(read);
        continue;
      }
      report.faulty += 1;
      if (state.faultsLeft <= 0) continue;
      state.faultsLeft -= 1;
      report.faults.push({ line: read.line, reason: read.reason, remedy: read.remedy });
    }
  }
  report.players = players.size;
  const sorted = [...names].sort(([, one], [, other]) => other.lines - one.lines);
  for (const [, { lines }] of sorted.slice(SHOWN_NAMES)) report.otherNames += lines;
  report.names = sorted.slice(0, SHOWN_NAMES).map(([name, { lines, kept }]) => {
    const isNew = !state.shown.has(name);
    state.shown.add(name);
    return { name, lines, kept: isNew ? kept : undefined };
  });
  return report;
}
