import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type AnswerOf, call } from '../../frame/api.ts';
import { Dialog } from '../../parts/editors/dialog.tsx';
import { Fault } from '../../parts/states.tsx';
import { isDeploymentAdmin, ROLES, roleIn, usePlace, useSession } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.users;

export type User = AnswerOf<'GET /v1/console/users'>['users'][number];

interface Chosen {
  game: string;
  environment: string;
  role: string;
}

/** Adds a user with one role. */
export function AddUser({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (email: string, link: string | null) => void;
}) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [chosen, setChosen] = useState<Chosen>({ game: scope.game, environment: '*', role: 'viewer' });
  const add = useMutation({
    mutationFn: () => call(undefined, 'POST /v1/console/users', { body: { email, grants: [chosen] } }),
    onSuccess: async ({ user, link }) => {
      await queries.invalidateQueries({ queryKey: ['users'] });
      onMade(user.email, link);
    },
  });
  return (
    <Form title={texts.add} action={texts.add} onClose={onClose} onSubmit={() => add.mutate()} mutation={add}>
      <Text size="sm">{texts.addHelp}</Text>
      <TextInput
        label={texts.email}
        type="email"
        autoComplete="off"
        required
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <RoleFields chosen={chosen} change={setChosen} />
    </Form>
  );
}

/** Gives a user a role, or changes it. */
export function GiveRole({ user, onClose }: { user: User; onClose: () => void }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const held = user.grants.find(({ game }) => game === scope.game);
  const [chosen, setChosen] = useState<Chosen>({
    game: scope.game,
    environment: held?.environment ?? '*',
    role: held?.role ?? 'viewer',
  });
  const give = useMutation({
    mutationFn: () => call(undefined, 'PUT /v1/console/users/{id}/grants', { path: { id: user.id }, body: chosen }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['users'] });
      onClose();
    },
  });
  return (
    <Form
      title={texts.giveTitle(user.email)}
      action={TEXTS.save}
      onClose={onClose}
      onSubmit={() => give.mutate()}
      mutation={give}
    >
      <RoleFields chosen={chosen} change={setChosen} />
    </Form>
  );
}

/** The games and environments in which the signed-in user gives roles. */
function RoleFields({ chosen, change }: { chosen: Chosen; change: (chosen: Chosen) => void }) {
  const { session } = useSession();
  const me = session.kind === 'signed_in' ? session.me : undefined;
  const isAdminIn = (game: string, environment: 'live' | 'test'): boolean =>
    me !== undefined && roleIn(me, { game, environment }) === 'admin';
  const games = (me?.games ?? []).filter(({ id }) => isAdminIn(id, 'live') || isAdminIn(id, 'test'));
  const all = me !== undefined && isDeploymentAdmin(me);
  const environments = [
    { value: '*', label: texts.both },
    { value: 'live', label: texts.live },
    { value: 'test', label: texts.test },
  ];
  return (
    <>
      <NativeSelect
        label={texts.where}
        value={chosen.game}
        data={[
          ...games.map(({ id, name }) => ({ value: id, label: name })),
          ...(all ? [{ value: '*', label: texts.allGames }] : []),
        ]}
        onChange={(event) => change({ ...chosen, game: event.currentTarget.value })}
      />
      <NativeSelect
        label={texts.environment}
        value={chosen.environment}
        data={environments}
        onChange={(event) => change({ ...chosen, environment: event.currentTarget.value })}
      />
      <NativeSelect
        label={texts.role}
        value={chosen.role}
        data={ROLES.map((role) => ({ value: role, label: texts.roleHelp[role] }))}
        onChange={(event) => change({ ...chosen, role: event.currentTarget.value })}
      />
    </>
  );
}

interface FormProps {
  title: string;
  action: string;
  onClose: () => void;
  onSubmit: () => void;
  mutation: { isPending: boolean; error: Error | null };
  children: React.ReactNode;
}

function Form({ title, action, onClose, onSubmit, mutation, children }: FormProps) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog opened onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          {children}
          {mutation.error === null ? null : <Fault error={mutation.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {TEXTS.cancel}
            </Button>
            <Button type="submit" loading={mutation.isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
