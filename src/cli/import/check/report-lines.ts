import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { printable } from '../../printable.ts';
import { fittedTexts } from '../files/fitted-lines.ts';
import { grouped } from '../progress-line.ts';
import { type FileReport, MOST_PLAYERS } from './check-file.ts';

/** The report of a file as lines of text. */
export function reportLines(path: string, report: FileReport): string[] {
  const { lines, good, faulty, faults, fitted, names, otherNames, fromMs, toMs, players, empty } = report;
  const times =
    fromMs === undefined || toMs === undefined ? '' : `, ${formatTimestamp(fromMs)} to ${formatTimestamp(toMs)}`;
  const most = players === MOST_PLAYERS ? 'at least ' : '';
  return [
    `${path}: ${grouped(lines)} lines, ${grouped(good)} good, ${grouped(faulty)} faulty`,
    `  ${most}${grouped(players)} players${times}`,
    ...moneyLines(report),
    ...names.flatMap(({ name, lines: count, kept }) => [
      `  ${grouped(count)} ${printable(name)}`,
      ...(kept === undefined
        ? []
        : [`    line ${kept.line} is kept as: ${kept.kept.map((one) => printable(one)).join('; ')}`]),
      ...(kept === undefined || kept.dropped.length === 0
        ? []
        : [`    dropped of it: ${kept.dropped.map((one) => printable(one)).join(', ')}`]),
    ]),
    ...(otherNames === 0 ? [] : [`  ${grouped(otherNames)} of other names`]),
    ...[...empty].map(([reason, count]) => `  ${grouped(count)} left out: ${reason}`),
    ...fittedTexts(fitted).map((text) => `  ${text}`),
    ...faults.flatMap(({ line, reason, remedy = MEND }) => [`  line ${line}: ${printable(reason)}`, `    ${remedy}`]),
  ];
}

const MEND = 'Mend the line in a copy of the file, and import the copy: what is imported stays as it is.';

function moneyLines({ sessions, playtimeSeconds, money }: FileReport): string[] {
  const played = sessions === 0 ? [] : [`  ${grouped(sessions)} sessions of ${grouped(playtimeSeconds)} seconds`];
  const sums = [...money].flatMap(([currency, { purchases, paid, refunds, refunded }]) => {
    const of = currency === '' ? 'no named currency' : printable(currency);
    return [
      ...(purchases === 0 ? [] : [`  ${grouped(purchases)} purchases of ${grouped(rounded(paid))} in ${of}`]),
      ...(refunds === 0 ? [] : [`  ${grouped(refunds)} refunds of ${grouped(rounded(refunded))}`]),
    ];
  });
  return [...played, ...sums];
}

const CENTS = 100;
const rounded = (sum: number): number => Math.round(sum * CENTS) / CENTS;
