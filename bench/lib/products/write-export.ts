import { closeSync, openSync, writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { DAY_MS, type GameRules, playsOn } from '../history/game-history.ts';
import { playsOf } from './made-play.ts';
import { PRODUCT_WRITERS, type Product } from './product-lines.ts';

/** What the generator of an export knows of it. */
export interface Truth {
  /** Lines that count, and lines that repeat another one. */
  lines: number;
  repeated: number;
  players: number;
  events: Map<string, number>;
  days: DayTruth[];
  revenueCents: number;
}

export interface DayTruth {
  day: string;
  dau: number;
  newPlayers: number;
  events: number;
  sessions: number;
  playtimeSeconds: number;
  purchases: number;
  revenueCents: number;
  /** Of the players whose first day it is: those who played 1 and 7 days later. */
  returned: { d1: number; d7: number };
}

/** One line of so many is written again later, in the same or the next file. */
const REPEATED_EVERY = 97;

/**
 * Writes an export of a product into files, compressed if their names end with `.gz`, and counts what is in it. Days
 * that are over the last file's share go to the next one, so an anonymous id and its user may be in two files.
 */
export function writeExport(paths: readonly string[], product: Product, rules: GameRules): Truth {
  const writer = PRODUCT_WRITERS[product];
  const truth: Truth = { lines: 0, repeated: 0, players: 0, events: new Map(), days: [], revenueCents: 0 };
  const firstDays = new Map<number, number>();
  let number = 0;
  const again: string[] = [];
  for (const [place, path] of paths.entries()) {
    const file = openSync(path, 'w');
    const from = Math.floor((rules.days * place) / paths.length);
    const to = Math.floor((rules.days * (place + 1)) / paths.length);
    const write = (lines: readonly string[]): void => {
      if (lines.length === 0) return;
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      const written = path.endsWith('.gz') ? gzipSync(bytes, { level: 1 }) : bytes;
      for (let at = 0; at < written.length; at += writeSync(file, written, at));
    };
    for (let day = from; day < to; day++) {
      const today: DayTruth = {
        day: new Date(rules.startMs + day * DAY_MS).toISOString().slice(0, 10),
        dau: 0,
        newPlayers: 0,
        events: 0,
        sessions: 0,
        playtimeSeconds: 0,
        purchases: 0,
        revenueCents: 0,
        returned: { d1: 0, d7: 0 },
      };
      truth.days.push(today);
      const lines: string[] = again.splice(0);
      truth.repeated += lines.length;
      for (let player = 0; player < rules.players; player++) {
        if (!playsOn(rules, player, day)) continue;
        const plays = playsOf(rules, player, day, number);
        number += plays.length;
        today.dau += 1;
        if (!firstDays.has(player)) {
          firstDays.set(player, day);
          today.newPlayers += 1;
        }
        const age = day - (firstDays.get(player) ?? day);
        const cohort = truth.days[day - age];
        if (cohort !== undefined && age === 1) cohort.returned.d1 += 1;
        if (cohort !== undefined && age === 7) cohort.returned.d7 += 1;
        for (const play of plays) {
          if (play.kind === 'start') {
            today.sessions += 1;
            today.playtimeSeconds += play.sessionSeconds;
          }
          if (play.kind === 'purchase') {
            const cents = play.priceCents * (MULTIPLIES.has(product) ? play.quantity : 1);
            today.purchases += 1;
            today.revenueCents += cents;
            truth.revenueCents += cents;
          }
          const written = writer.lineOf(play);
          if (written === undefined) continue;
          const text = JSON.stringify(written.line);
          lines.push(text);
          truth.events.set(written.name, (truth.events.get(written.name) ?? 0) + 1);
          today.events += 1;
          if (writer.hasIds && play.number % REPEATED_EVERY === 3) again.push(text);
        }
      }
      truth.lines += today.events;
      write(lines);
    }
    if (place === paths.length - 1) {
      truth.repeated += again.length;
      write(again.splice(0));
    }
    closeSync(file);
  }
  truth.players = firstDays.size;
  return truth;
}

/** Products whose lines say a price and a quantity, and not their product. */
const MULTIPLIES: ReadonlySet<string> = new Set(['firebase', 'amplitude']);
