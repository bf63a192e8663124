import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { rateLines } from '../../core/kernel/text/rate-lines.ts';
import { dateOf } from '../../core/kernel/zoned-days.ts';
import type { ConfigEntry, ConfigStore } from '../../streams/config/config-store.ts';
import { ratesAddress } from '../../streams/config/exchange-rates.ts';
import { currencyIn, gameAddress } from '../../streams/config/games.ts';
import { type RateRow, tableOf } from '../api/settings/rate-table.ts';
import { CliError } from './cli-error.ts';
import type { CliContext } from './context.ts';
import { printable } from './printable.ts';
import { reasonOption } from './reason-option.ts';
import { table } from './table.ts';

interface RatesOptions {
  file?: string;
  delete?: true;
  reason: string;
}

/** `games rates <id>`: shows, replaces or deletes the exchange rates of a game. */
export function gameRatesCommand(context: CliContext): Command {
  return new Command('rates')
    .description('Show, replace or delete the exchange rates by which purchases in other currencies are converted.')
    .argument('<id>', 'the game')
    .option('--file <file>', 'CSV with the columns day, currency and rate, which replaces all rates')
    .option('--delete', 'delete the rates: no purchase is converted any more')
    .addOption(reasonOption())
    .action((id: string, { file, delete: isDeleted, reason }: RatesOptions) =>
      context.withConfigStore(
        async (store) => {
          const game = store.get(gameAddress(id))?.document;
          if (game === undefined) throw new CliError(`There is no game ${id}.`);
          if (file !== undefined && isDeleted === true) throw new CliError('Name --file or --delete, not both.');
          const held = store.get(ratesAddress(id));
          if (isDeleted === true) await deleteRates(store, held, id);
          if (file !== undefined) await putRates(store, held, id, currencyIn(game), file, context);
          show(store.get(ratesAddress(id)), id, context);
        },
        { reason },
      ),
    );
}

type Held = ConfigEntry<'exchange_rates'> | undefined;

async function deleteRates(store: ConfigStore, held: Held, id: string): Promise<void> {
  if (held === undefined) throw new CliError(`The game ${id} has no exchange rates.`);
  if (!(await store.delete(ratesAddress(id), held.revision))) throw notConfirmed();
}

async function putRates(
  store: ConfigStore,
  held: Held,
  id: string,
  currency: string | undefined,
  file: string,
  { clock }: CliContext,
): Promise<void> {
  if (currency === undefined) throw new CliError(`The game has no currency. Name it with games set ${id} --currency.`);
  const made = tableOf(rowsOf(await readFile(file, 'utf8'), file), currency, file);
  if (made.kind === 'faults') {
    throw new CliError(made.faults.map(({ path, message }) => `${path} ${message}.`).join('\n'));
  }
  const before = held === undefined ? store.ended(ratesAddress(id)) : { ...held.document, revision: held.revision };
  const version = before.version + 1;
  const document = { currency, rates: made.rates, updatedAt: clock.wallMs(), version };
  const written = await store.put(ratesAddress(id), document, before.revision);
  if (written.kind !== 'written') throw notConfirmed();
}

const notConfirmed = () => new CliError('NATS did not confirm the change, or another one came first. Try again.');

/** The rows of CSV, in any order of its columns. */
function rowsOf(text: string, file: string): RateRow[] {
  const read = rateLines(text);
  if ('fault' in read) throw new CliError(`${file}:${read.line} ${read.fault}.`);
  return read.map(({ line, day, currency, rate }) => ({
    path: `${file}:${line}`,
    day: printable(day, 20),
    currency: printable(currency, 20),
    rate,
  }));
}

function show(entry: Held, id: string, { print }: CliContext): void {
  if (entry === undefined) {
    print(`The game ${id} has no exchange rates. No purchase is converted.`);
    return;
  }
  const { currency, rates, version, updatedAt } = entry.document;
  print(`Rates to ${currency}, version ${version}, stored at ${new Date(updatedAt).toISOString()}.`);
  const rows = Object.entries(rates)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, { days, rates: values }]) => [
      code,
      String(days.length),
      dateOf(days[0] ?? 0),
      dateOf(days.at(-1) ?? 0),
      String(values.at(-1)),
    ]);
  print(table(['currency', 'rates', 'first day', 'last day', 'last rate'], rows));
}
