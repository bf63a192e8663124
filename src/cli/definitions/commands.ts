import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { readCurrent } from './current.ts';
import { readDefinitions } from './definition-files.ts';
import { planOf } from './plan.ts';
import { promotionOf } from './promotion.ts';
import { connectService, type GameService } from './service.ts';
import type { Step } from './step.ts';
import { readTargets, type Target } from './targets.ts';
import { printable } from '../printable.ts';

/* `plan`, `apply` and `promote`: definitions in files. They use the HTTP API, since pipelines do not reach NATS. */

interface FileOptions {
  only?: string[];
  delete?: true;
  takeOver?: true;
}

interface ApplyOptions {
  reason?: string;
  yes?: true;
}

/** As `terraform plan -detailed-exitcode`; 1 is any failure. */
const EXIT_PENDING = 2;

const filesIn = (name: string): Command =>
  new Command(name)
    .argument('<dir>', 'directory with games.json')
    .option('--only <folder...>', 'only these folders of games.json')
    .option('--delete', 'delete definitions that the files managed and do not have any more')
    .option('--take-over', 'take definitions that something else manages');

const changing = (command: Command): Command =>
  command
    .option('--reason <text>', 'why, for the history: X-Change-Reason')
    .option('--yes', 'do not ask before changes are made');

export function planCommand(context: CliContext): Command {
  return filesIn('plan')
    .description('Show what `apply` would change. Exit code 0: nothing; 2: something; 1: failure.')
    .action(async (dir: string, options: FileOptions) => {
      const plans = await plansOf(dir, options, '', context);
      for (const plan of plans) print(plan, context);
      if (plans.some(({ steps }) => pending(steps).length > 0)) process.exitCode = EXIT_PENDING;
    });
}

export function applyCommand(context: CliContext): Command {
  return changing(filesIn('apply'))
    .description('Change the services to what the files say. Stops at the first failure; run it again to go on.')
    .action(async (dir: string, { reason = '', yes, ...options }: FileOptions & ApplyOptions) => {
      const plans = await plansOf(dir, options, reason, context);
      await perform(plans, yes === true, context);
    });
}

export function promoteCommand(context: CliContext): Command {
  return changing(new Command('promote'))
    .description('Bring definitions of one environment to another one, with what they need there.')
    .argument('<dir>', 'directory with games.json')
    .argument('<definition...>', 'such as flags/shop')
    .requiredOption('--from <folder>', 'game of games.json that has them')
    .requiredOption('--to <folder>', 'game of games.json that gets them')
    .option('--with-needs', 'change what they need, too, where it differs')
    .action(async (dir: string, labels: string[], options: ApplyOptions & Promoting) => {
      const plan = await promotionPlan(dir, labels, options, context);
      await perform([plan], options.yes === true, context);
    });
}

interface Promoting {
  from: string;
  to: string;
  withNeeds?: true;
}

interface Plan {
  target: Target;
  steps: Step[];
  notes: string[];
}

async function plansOf(dir: string, options: FileOptions, reason: string, context: CliContext): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const target of await readTargets(dir, options.only, process.env)) {
    const desired = await readDefinitions(target.folder, process.env);
    const managedBy = target.repository;
    const service = connectService(target, { reason, managedBy }, context.clock);
    const current = await readCurrent(service);
    const chosen = { managedBy, deletes: options.delete === true, takesOver: options.takeOver === true };
    plans.push({ target, steps: await planOf(desired, current, service, chosen), notes: [] });
  }
  return plans;
}

async function promotionPlan(
  dir: string,
  labels: readonly string[],
  { from, to, withNeeds, reason = '' }: ApplyOptions & Promoting,
  { clock }: CliContext,
): Promise<Plan> {
  const targets = await readTargets(dir, [from, to], process.env);
  const [source, target] = [from, to].map((name) => targets.find((one) => one.name === name));
  if (source === undefined || target === undefined || source === target) {
    throw new CliError('--from and --to must be two games of games.json.');
  }
  const said = { reason, managedBy: undefined };
  const service: GameService = connectService(target, said, clock);
  const current = await readCurrent(service);
  const there = await readCurrent(connectService(source, said, clock));
  const { desired, kept } = promotionOf(labels, there, current, withNeeds === true);
  const steps = await planOf(desired, current, service, { managedBy: undefined, deletes: false, takesOver: true });
  const managed = desired.definitions.flatMap(({ kind, key }) => {
    const by = current.definitions.get(`${kind.folder}/${key}`)?.managedBy?.by;
    return by === undefined ? [] : [`${kind.folder}/${key} is managed by ${by}, whose next run replaces this.`];
  });
  const left = kept.map((label) => `${label} differs in ${to} and stays; --with-needs changes it too.`);
  return { target, steps, notes: [...managed, ...left] };
}

const pending = (steps: readonly Step[]): Step[] => steps.filter(({ perform }) => perform !== undefined);

const SIGNS: Readonly<Record<Step['action'], string>> = {
  create: '+',
  change: '~',
  adopt: '@',
  delete: '-',
  gone: '?',
  same: '=',
};

const WORDS: Readonly<Record<Step['action'], string>> = {
  create: 'to create',
  change: 'to change',
  adopt: 'to take over as it is',
  delete: 'to delete',
  gone: 'without a file; --delete deletes it',
  same: 'unchanged',
};

function print({ target, steps, notes }: Plan, { print: line }: CliContext): void {
  line(`${target.name} (${target.baseUrl})`);
  for (const { label, action, difference, notes: said } of steps) {
    if (action === 'same') continue;
    line(`  ${SIGNS[action]} ${printable(label)}: ${WORDS[action]}`);
    for (const words of difference) line(`      ${printable(words)}`);
    for (const words of said) line(`      ! ${words}`);
  }
  for (const note of notes) line(`  ! ${note}`);
  const counts = Object.entries(WORDS).flatMap(([action, words]) => {
    const count = steps.filter((step) => step.action === action).length;
    return count === 0 ? [] : [`${count} ${words.replace(/;.*/, '')}`];
  });
  line(`  ${counts.length === 0 ? 'no definitions' : counts.join(', ')}`);
}

async function perform(plans: readonly Plan[], isAgreed: boolean, context: CliContext): Promise<void> {
  for (const plan of plans) print(plan, context);
  const count = plans.reduce((sum, { steps }) => sum + pending(steps).length, 0);
  if (count === 0) return;
  if (!isAgreed) await agree(count);
  let done = 0;
  for (const { target, steps } of plans) {
    for (const { label, perform: run } of pending(steps)) {
      const answered = await run?.();
      if (answered?.kind === 'refused') {
        const later = count - done - 1;
        throw new CliError(
          `${target.name}: ${label} was not changed: ${answered.text}\n${CONFLICTS[answered.status] ?? ''}` +
            `${done} of ${count} changes were made before it, ${later} were not tried. Run it again to go on.`,
        );
      }
      done += 1;
    }
  }
  context.print(`${done} changes made.`);
}

const CONFLICTS: Readonly<Record<number, string>> = {
  412: 'It was changed after the plan was made. Look at a new plan.\n',
};

async function agree(count: number): Promise<void> {
  if (!process.stdin.isTTY) throw new CliError('Nothing was changed: without a terminal to ask on, pass --yes.');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question(`Make ${count} changes? Type yes: `);
  asking.close();
  if (answer.trim() !== 'yes') throw new CliError('Nothing was changed.');
}
