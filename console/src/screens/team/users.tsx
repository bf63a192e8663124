import { Badge, Button, CloseButton, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../frame/api.ts';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { Dialog } from '../../parts/editors/dialog.tsx';
import { Loaded, OnlyAdmins, Page } from '../../parts/states.tsx';
import { Copy, Time } from '../../parts/lists/values.tsx';
import { usePlace, useSession } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { AddUser, GiveRole, type User } from './user-forms.tsx';

const texts = TEXTS.users;

type Grant = User['grants'][number];

/** What a dialog is about. */
type Opened =
  | { kind: 'add' }
  | { kind: 'give' | 'link' | 'sign_out' | 'remove'; user: User }
  | { kind: 'take'; user: User; grant: Grant }
  /** `link`: null if the user had an account. */
  | { kind: 'made'; email: string; link: string | null };

/** The people who use the console. */
export function Users() {
  const { isAdmin } = usePlace();
  const { session } = useSession();
  const [dialog, setDialog] = useState<Opened | undefined>();
  const found = useQuery({
    queryKey: ['users'],
    enabled: isAdmin,
    queryFn: ({ signal }) => call(undefined, 'GET /v1/console/users', { signal }),
  });
  if (!isAdmin) return <OnlyAdmins title={texts.title} why={texts.onlyAdmins} />;
  const own = session.kind === 'signed_in' ? session.me.user.id : '';
  const close = (): void => setDialog(undefined);
  const made = (email: string, link: string | null): void => setDialog({ kind: 'made', email, link });
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={<Button onClick={() => setDialog({ kind: 'add' })}>{texts.add}</Button>}
    >
      <Loaded query={found}>
        {({ users }) => (
          <DataTable label={texts.label} rows={users} keyOf={({ id }) => id} columns={columns(own, setDialog)} />
        )}
      </Loaded>
      {dialog?.kind === 'add' ? <AddUser onClose={close} onMade={made} /> : null}
      {dialog?.kind === 'give' ? <GiveRole user={dialog.user} onClose={close} /> : null}
      <Asked dialog={dialog} close={close} made={made} />
      <Dialog opened={dialog?.kind === 'made'} onClose={close} title={texts.linkLabel} size="lg" onlyByButton>
        {dialog?.kind === 'made' ? <Made {...dialog} close={close} /> : null}
      </Dialog>
    </Page>
  );
}

function columns(own: string, setDialog: (dialog: Opened) => void): Column<User>[] {
  return [
    {
      id: 'email',
      label: texts.email,
      sortBy: ({ email }) => email,
      cell: ({ id, email }) => (id === own ? `${email} (${texts.you})` : email),
    },
    {
      id: 'roles',
      label: texts.roles,
      cell: (user) => <Roles user={user} take={(grant) => setDialog({ kind: 'take', user, grant })} />,
    },
    {
      id: 'addedBy',
      label: texts.addedBy,
      sortBy: ({ added_by }) => added_by ?? '',
      cell: ({ added_by }) => added_by ?? texts.byOperator,
    },
    { id: 'signIn', label: texts.signIn, cell: waysIn },
    { id: 'sessions', label: texts.sessions, sortBy: ({ sessions }) => sessions, cell: ({ sessions }) => sessions },
    {
      id: 'created',
      label: texts.created,
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    { id: 'actions', label: texts.actions, cell: (user) => <Actions user={user} setDialog={setDialog} /> },
  ];
}

const where = ({ game, environment }: Grant): string =>
  `${game === '*' ? texts.everyGame : game}, ${environment === '*' ? texts.both : texts[environment]}`;

function Roles({ user, take }: { user: User; take: (grant: Grant) => void }) {
  const roles = [
    ...user.grants.map((grant) => ({ grant, waits: false })),
    ...user.pending.map((grant) => ({ grant, waits: true })),
  ];
  return (
    <Group gap={4}>
      {roles.map(({ grant, waits }) => {
        const name = `${grant.role}: ${where(grant)}${waits ? texts.waits : ''}`;
        return (
          <Badge
            key={`${grant.game} ${grant.environment}`}
            variant={waits ? 'outline' : 'default'}
            {...(waits ? { color: 'orange', title: texts.waitsHelp(user.added_by ?? texts.byOperator) } : {})}
            tt="none"
            miw="max-content"
            rightSection={
              <CloseButton size={16} aria-label={texts.take(name, user.email)} onClick={() => take(grant)} />
            }
          >
            {name}
          </Badge>
        );
      })}
    </Group>
  );
}

function waysIn({ has_password, passkeys, open_links }: User): string {
  const ways = [
    ...(passkeys.length > 0 ? [texts.withPasskeys(passkeys.length)] : []),
    ...(has_password ? [texts.withPassword] : []),
    ...(open_links > 0 ? [texts.withLink] : []),
  ];
  return ways.length === 0 ? texts.withNothing : ways.join(', ');
}

function Actions({ user, setDialog }: { user: User; setDialog: (dialog: Opened) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-xs" variant="default" aria-label={texts.menu(user.email)}>
          ⋯
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => setDialog({ kind: 'give', user })}>{texts.give}</Menu.Item>
        {user.linkable ? <Menu.Item onClick={() => setDialog({ kind: 'link', user })}>{texts.link}</Menu.Item> : null}
        {user.manageable ? (
          <>
            <Menu.Item onClick={() => setDialog({ kind: 'sign_out', user })}>{texts.signOut}</Menu.Item>
            <Menu.Item color="red" onClick={() => setDialog({ kind: 'remove', user })}>
              {texts.remove}
            </Menu.Item>
          </>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}

interface AskedProps {
  dialog: Opened | undefined;
  close: () => void;
  made: (email: string, link: string | null) => void;
}

/** Asks before a change that ends something. */
function Asked({ dialog, close, made }: AskedProps) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: perform,
    onSuccess: async (link, asked) => {
      await queries.invalidateQueries({ queryKey: ['users'] });
      if (link === undefined) close();
      else made(asked.user.email, link);
    },
  });
  const asked = dialog !== undefined && 'user' in dialog && dialog.kind !== 'give' ? dialog : undefined;
  const words = asked && wordsOf(asked);
  return (
    <Confirm
      opened={asked !== undefined}
      onClose={() => {
        change.reset();
        close();
      }}
      title={words?.title ?? ''}
      action={words?.action ?? ''}
      onConfirm={() => asked && change.mutate(asked)}
      busy={change.isPending}
      error={change.error}
      isDangerous
    >
      <Text>{words?.warning ?? ''}</Text>
    </Confirm>
  );
}

type AskedDialog = Extract<Opened, { user: User }>;

/** @returns the link if one was made */
async function perform(asked: AskedDialog): Promise<string | null | undefined> {
  const path = { id: asked.user.id };
  switch (asked.kind) {
    case 'link':
      return (await call(undefined, 'POST /v1/console/users/{id}/link', { path })).link;
    case 'sign_out':
      await call(undefined, 'DELETE /v1/console/users/{id}/sessions', { path });
      return undefined;
    case 'remove':
      await call(undefined, 'DELETE /v1/console/users/{id}', { path });
      return undefined;
    case 'take': {
      const { game, environment } = asked.grant;
      await call(undefined, 'DELETE /v1/console/users/{id}/grants', { path, query: { game, environment } });
      return undefined;
    }
    case 'give':
      return undefined;
  }
}

function wordsOf(asked: AskedDialog): { title: string; action: string; warning: string } {
  const { email, manageable } = asked.user;
  switch (asked.kind) {
    case 'link': {
      const warning = manageable ? texts.linkWarning : texts.proofLinkWarning;
      return { title: texts.linkTitle(email), action: texts.link, warning };
    }
    case 'sign_out':
      return { title: texts.signOutTitle(email), action: texts.signOut, warning: '' };
    case 'remove':
      return { title: texts.removeTitle(email), action: texts.remove, warning: texts.removeWarning };
    case 'take':
      return {
        title: texts.takeTitle,
        action: texts.takeAction,
        warning: `${email}: ${asked.grant.role}, ${where(asked.grant)}`,
      };
    case 'give':
      return { title: '', action: '', warning: '' };
  }
}

function Made({ email, link, close }: { email: string; link: string | null; close: () => void }) {
  const address = link === null ? undefined : globalThis.location.origin + link;
  return (
    <Stack>
      <Text>{address === undefined ? texts.hadAccount(email) : texts.linkMade(email)}</Text>
      {address === undefined ? null : (
        <TextInput label={texts.linkLabel} className="mono" readOnly value={address} data-autofocus />
      )}
      <Group justify="flex-end">
        {address === undefined ? null : <Copy text={address} />}
        <Button onClick={close}>{TEXTS.close}</Button>
      </Group>
    </Stack>
  );
}
