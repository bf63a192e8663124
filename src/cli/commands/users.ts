import { Command, Option } from 'commander';
import { type Grant, type Role, ROLES, type UserDocument } from '../../../core/vocabulary/documents/users.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import type { ConfigEntry, ConfigStore } from '../../../streams/config/config-store.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import {
  newUser,
  normalEmail,
  userAddress,
  userOfEmail,
  withoutToken,
  withToken,
} from '../../../streams/config/people/users.ts';
import { allRoles, EVERYWHERE, provedAnew, withRoles } from '../../../streams/config/people/proof.ts';
import { withGrant } from '../../../streams/config/people/user-roles.ts';
import { USER_LIMITS } from '../../api/console/users/limits.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { table } from '../table.ts';

interface GrantOptions {
  role: Role;
  game: string[];
  environment?: Environment;
}

const withGrantOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--role <role>', 'each may do everything that the ones before it may')
        .choices(ROLES)
        .makeOptionMandatory(),
    )
    .requiredOption('--game <id...>', 'games of the role; "*" means all, and an admin of all manages users')
    .addOption(new Option('--environment <environment>', 'default: both').choices(['live', 'test']));

/** `users add|grant|link|list|sign-out|remove` */
export function usersCommand(context: CliContext): Command {
  const command = new Command('users').description('Manage the people who use the console.');
  withGrantOptions(
    command
      .command('add')
      .description('Add a user, and print a one-time link that signs them in.')
      .argument('<email>', 'e-mail address'),
  ).action((text: string, options: GrantOptions) =>
    context.withConfigStore((store) => add(store, text, options, context)),
  );
  withGrantOptions(
    command.command('grant').description('Give a user a role, or change it.').argument('<email>', 'e-mail address'),
  ).action((email: string, options: GrantOptions) =>
    context.withConfigStore(async (store) => {
      const { document, revision } = held(store, email);
      const user = withRoles(document, grantsOf(store, options));
      if (allRoles(user).length > USER_LIMITS.userGrants)
        throw new CliError(`A user has at most ${USER_LIMITS.userGrants} roles.`);
      await write(store, { ...user, updatedAt: context.clock.wallMs() }, revision);
      context.note(`Changed the roles of ${document.email}.`);
      if (user.pending !== undefined) context.note(waiting(user));
    }),
  );
  command
    .command('link')
    .description(
      'Print a new one-time link, for a user who lost the way in. It replaces password, passkeys and sessions.',
    )
    .argument('<email>', 'e-mail address')
    .action((email: string) =>
      context.withConfigStore(async (store) => {
        const { document, revision } = held(store, email);
        await writeWithLink(store, provedAnew(document, EVERYWHERE), revision, context);
      }),
    );
  command
    .command('list')
    .description('List all users with their roles.')
    .action(() =>
      context.withConfigStore(async (store) => {
        const rows = store.list('user').map(({ document }) => row(document, context.clock.wallMs()));
        context.print(table(['email', 'roles', 'waiting', 'added by', 'password', 'sessions', 'created'], rows));
      }),
    );
  command
    .command('sign-out')
    .description('Sign a user out of all browsers.')
    .argument('<email>', 'e-mail address')
    .action((email: string) =>
      context.withConfigStore(async (store) => {
        const { document, revision } = held(store, email);
        await write(store, withoutToken(document, 'session'), revision);
        context.note(`Signed ${document.email} out.`);
      }),
    );
  command
    .command('remove')
    .description('Remove a user. All sessions and links end.')
    .argument('<email>', 'e-mail address')
    .action((email: string) =>
      context.withConfigStore(async (store) => {
        const { document, revision } = held(store, email);
        if (!(await store.delete(userAddress(document.id), revision))) throw new CliError(NOT_CONFIRMED);
        context.note(`Removed ${document.email}.`);
      }),
    );
  return command;
}

async function add(store: ConfigStore, text: string, options: GrantOptions, context: CliContext): Promise<void> {
  const email = emailIn(text);
  if (userOfEmail(store, email) !== undefined) {
    throw new CliError(`${email} is a user already. Use users grant for roles, and users link for a new link.`);
  }
  if (store.list('user').length >= USER_LIMITS.users)
    throw new CliError(`There are ${USER_LIMITS.users} users, the maximum.`);
  const user = newUser(email, grantsOf(store, options).reduce<Grant[]>(withGrant, []), context.clock, context.ids);
  await writeWithLink(store, user, 0, context);
}

function grantsOf(store: ConfigStore, { role, game: games, environment }: GrantOptions): Grant[] {
  for (const game of games) {
    if (game !== '*' && store.get(gameAddress(game)) === undefined) {
      throw new CliError(`There is no game ${game}. List the games with games list.`);
    }
  }
  return games.map((game) => ({ game, environment: environment ?? '*', role }));
}

async function writeWithLink(
  store: ConfigStore,
  user: UserDocument,
  revision: number,
  { clock, ids, print, note, baseUrl }: CliContext,
): Promise<void> {
  const made = withToken(user, 'link', USER_LIMITS.userLinkMs, clock, ids);
  await write(store, made.user, revision);
  note(`This link signs ${user.email} in once, until ${new Date(made.expiresAt).toISOString()}:`);
  print(`${baseUrl() ?? 'https://<your host>'}/console/link#${made.token}`);
}

async function write(store: ConfigStore, user: UserDocument, revision: number): Promise<void> {
  const written = await store.put(userAddress(user.id), user, revision);
  if (written.kind !== 'written') throw new CliError(NOT_CONFIRMED);
}

const NOT_CONFIRMED = 'NATS did not confirm the write, or the user was changed meanwhile. Try again.';

function held(store: ConfigStore, text: string): ConfigEntry<'user'> {
  const entry = userOfEmail(store, emailIn(text));
  if (entry === undefined) throw new CliError(`There is no user ${text}. List the users with users list.`);
  return entry;
}

function emailIn(text: string): string {
  const email = normalEmail(text);
  if (email === undefined) throw new CliError(`"${text}" is not an e-mail address.`);
  return email;
}

/** Says which roles do not count yet, and why. */
const waiting = ({ email, pending = [] }: UserDocument): string =>
  `Not in effect yet: ${rolesText(pending)}. The account was made by an admin of another game, so these roles wait until ` +
  `${email} signs in with the identity provider, or by the link of users link, which ends all other ways in.`;

const rolesText = (grants: readonly Grant[]): string =>
  grants.map(({ game, environment, role }) => `${role} in ${game} (${environment})`).join(', ');

function row(user: UserDocument, nowMs: number): string[] {
  const { email, grants, pending = [], addedBy = 'an operator', password, sessions, createdAt } = user;
  return [
    email,
    rolesText(grants),
    rolesText(pending),
    addedBy,
    password === null ? 'none' : 'chosen',
    String(sessions.filter(({ expiresAt }) => expiresAt > nowMs).length),
    new Date(createdAt).toISOString(),
  ];
}
