import { Command, Option } from 'commander';
import {
  type ClientAttributes,
  type GameDocument,
  type Revenue,
  REVENUES,
} from '../../core/vocabulary/documents/game.ts';
import { ratesAddress } from '../../streams/config/exchange-rates.ts';
import { changedGame, currencyIn, gameAddress, newSalt } from '../../streams/config/games.ts';
import { gameZoneOf, ZONE_RULE } from '../../actors/time-zones/game-zone.ts';
import { currencyOf, CURRENCY_RULE } from '../../core/kernel/currencies.ts';
import { APPROVAL_LIMITS } from '../api/approvals/limits.ts';
import { keptByText } from '../api/settings/game-settings.ts';
import { extractedFaults } from '../api/settings/extracted-properties.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { CLI_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import { playerTokensAddress } from '../../streams/config/player-tokens.ts';
import { CliError } from './cli-error.ts';
import type { CliContext } from './context.ts';
import { reasonOption } from './reason-option.ts';
import { lifecycleOptions, thresholdsAfter, type LifecycleOptions } from './lifecycle-options.ts';

interface SetOptions extends LifecycleOptions {
  clientPurchases?: 'on' | 'off';
  clientAttributes?: 'all' | 'listed' | 'none';
  listedAttributes?: string[];
  requirePlayerToken?: 'on' | 'off';
  approval?: 'on' | 'off';
  approvalDays?: string;
  changeReason?: 'on' | 'off';
  timeZone?: string;
  currency?: string;
  revenue?: Revenue;
  extractedProperties?: string[];
  holdout?: string;
  reason: string;
}

/** `games set`: one option for each setting; other settings do not change. */
export function setGameCommand(context: CliContext): Command {
  const command = new Command('set')
    .description("Change a game's settings. They take effect on every node within 200 ms.")
    .argument('<id>', 'the game')
    .addOption(
      new Option('--client-purchases <switch>', 'whether client keys (pk_) may record purchases; default on').choices([
        'on',
        'off',
      ]),
    )
    .addOption(
      new Option(
        '--client-attributes <which>',
        'attributes that client keys may set; others are ignored; default all',
      ).choices(['all', 'listed', 'none']),
    )
    .option('--listed-attributes <name...>', 'names of the attributes for --client-attributes listed')
    .addOption(
      new Option(
        '--require-player-token <switch>',
        'whether requests with client keys need a player token; default off; see games player-tokens --help',
      ).choices(['on', 'off']),
    )
    .addOption(
      new Option(
        '--approval <switch>',
        'whether changes of live flags and campaigns in the console wait for a second person; default off',
      ).choices(['on', 'off']),
    )
    .option(
      '--approval-days <days>',
      `days until a change that waits expires, 1 to ${APPROVAL_LIMITS.proposalDaysMost}; default ${APPROVAL_LIMITS.proposalDays}`,
    )
    .addOption(
      new Option(
        '--change-reason <switch>',
        'whether changes of live definitions must say why, in X-Change-Reason; default off',
      ).choices(['on', 'off']),
    )
    .option('--time-zone <name>', 'IANA name of the zone in which figures count days; default UTC')
    .option('--currency <code>', 'ISO 4217 code of the currency of all amounts, or none')
    .addOption(
      new Option(
        '--revenue <which>',
        'which purchases count: all, or those with verified receipts; default all; holds for purchases from then on',
      ).choices(REVENUES),
    )
    .option(
      '--extracted-properties <path...>',
      `at most ${STATE_LIMITS.extractedProperties} properties of events with columns of their own, or none; keep their order`,
    )
    .option('--holdout <percentage>', 'share of players who take part in no experiment, 0 to 100, or none')
    .addOption(reasonOption())
    .action((id: string, options: SetOptions) =>
      context.withConfigStore(
        async (store) => {
          const entry = store.get(gameAddress(id));
          if (entry === undefined) throw new CliError(`There is no game ${id}.`);
          const hasSecret = store.get(playerTokensAddress(id)) !== undefined;
          const changes = {
            ...changesOf(entry.document, hasSecret, options),
            ...holdoutOf(options, entry.document, context.ids),
          };
          if (Object.keys(changes).length === 0) throw new CliError('Name a setting; see games set --help.');
          const table = store.get(ratesAddress(id))?.document;
          const { currency = currencyIn(entry.document) } = changes;
          if (table !== undefined && currency !== table.currency) throw new CliError(keptByText(table.currency));
          const written = await store.put(
            gameAddress(id),
            changedGame(entry.document, changes, context.clock.wallMs()),
            entry.revision,
          );
          if (written.kind === 'conflict') {
            throw new CliError('Another command changed the game at the same time. Try again.');
          }
          if (written.kind === 'unavailable') throw new CliError('NATS did not confirm the write. Try again.');
          context.print(id);
        },
        { reason: options.reason },
      ),
    );
  for (const option of lifecycleOptions()) command.addOption(option);
  return command;
}

function changesOf(
  { lifecycle: before }: GameDocument,
  hasSecret: boolean,
  options: SetOptions,
): Partial<GameDocument> {
  const { clientPurchases, requirePlayerToken, approval, changeReason } = options;
  if (requirePlayerToken === 'on' && !hasSecret) {
    throw new CliError('The game has no secret for player tokens. Create one with games player-tokens create.');
  }
  const clientAttributes = attributesOf(options);
  const lifecycle = thresholdsAfter(before, options);
  return {
    ...(clientPurchases === undefined ? {} : { clientPurchases: clientPurchases === 'on' }),
    ...(clientAttributes === undefined ? {} : { clientAttributes }),
    ...(requirePlayerToken === undefined ? {} : { requirePlayerToken: requirePlayerToken === 'on' }),
    ...(approval === undefined ? {} : { approval: approval === 'on' }),
    ...approvalDaysOf(options),
    ...(options.revenue === undefined ? {} : { revenue: options.revenue }),
    ...(changeReason === undefined ? {} : { changeReason: changeReason === 'on' }),
    ...(lifecycle === undefined ? {} : { lifecycle }),
    ...figuresOf(options),
    ...extractedOf(options),
  };
}

function approvalDaysOf({ approvalDays: text }: SetOptions): Pick<GameDocument, 'approvalDays'> {
  if (text === undefined) return {};
  const approvalDays = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (approvalDays < 1 || approvalDays > APPROVAL_LIMITS.proposalDaysMost)
    throw new CliError(`--approval-days must be a whole number from 1 to ${APPROVAL_LIMITS.proposalDaysMost}.`);
  return { approvalDays };
}

function figuresOf({ timeZone: zoneText, currency: code }: SetOptions): Partial<GameDocument> {
  const timeZone = zoneText === undefined ? undefined : gameZoneOf(zoneText);
  if (zoneText !== undefined && timeZone === undefined) throw new CliError(`--time-zone ${ZONE_RULE}.`);
  if (code === undefined) return timeZone === undefined ? {} : { timeZone };
  const currency = code === 'none' ? '' : currencyOf(code);
  if (currency === undefined) throw new CliError(`--currency ${CURRENCY_RULE}, or \`none\`.`);
  return timeZone === undefined ? { currency } : { timeZone, currency };
}

function holdoutOf(
  { holdout }: SetOptions,
  { holdout: held }: GameDocument,
  ids: CliContext['ids'],
): Pick<GameDocument, 'holdout'> {
  if (holdout === undefined) return {};
  if (holdout === 'none') return { holdout: null };
  const percentage = Number(holdout);
  if (holdout.trim() === '' || !(percentage >= 0 && percentage <= 100)) {
    throw new CliError(`--holdout must be a number from 0 to 100, or none; got "${holdout}".`);
  }
  return { holdout: { percentage, salt: held?.salt ?? newSalt(ids) } };
}

function extractedOf({ extractedProperties: named }: SetOptions): Partial<GameDocument> {
  if (named === undefined) return {};
  const extractedProperties = named.join() === 'none' ? [] : named;
  const [fault] = extractedFaults(extractedProperties, '');
  if (fault === undefined) return { extractedProperties };
  const path = extractedProperties[Number(fault.path.slice(1))];
  throw new CliError(`--extracted-properties${fault.path === '' ? '' : `: "${path}"`} ${fault.message}.`);
}

function attributesOf({ clientAttributes, listedAttributes }: SetOptions): ClientAttributes | undefined {
  if (clientAttributes !== 'listed') {
    if (listedAttributes !== undefined) throw new CliError('--listed-attributes needs --client-attributes listed.');
    return clientAttributes;
  }
  const listed = [...new Set(listedAttributes)];
  if (listed.length === 0)
    throw new CliError('--client-attributes listed needs names: add --listed-attributes <name...>.');
  if (listed.length > CLI_LIMITS.listedAttributes) {
    throw new CliError(
      `--listed-attributes has ${listed.length} names; the maximum is ${CLI_LIMITS.listedAttributes}.`,
    );
  }
  const wrong = listed.find((name) => name === '' || name.length > TEXT_LIMITS.nameLength);
  if (wrong !== undefined)
    throw new CliError(
      `--listed-attributes has the name "${wrong}"; a name has 1 to ${TEXT_LIMITS.nameLength} characters.`,
    );
  return { listed };
}
