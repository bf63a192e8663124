import { Alert, Badge, Button, Card, Group, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../frame/api.ts';
import { Fault, Page } from '../../parts/states.tsx';
import { Passkeys } from './passkeys.tsx';
import { Time } from '../../parts/lists/values.tsx';
import { type Me, useSession } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.account;

/** The signed-in user: roles, password, sessions. */
export function Account({ me }: { me: Me }) {
  const { signOut } = useSession();
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Card withBorder>
        <Stack gap="xs">
          <Text fw={600}>{me.user.email}</Text>
          <Title order={2} size="h5">
            {texts.roles}
          </Title>
          <Group gap="xs">
            {me.user.grants.map(({ game, environment, role }) => (
              <Badge key={`${game} ${environment}`} variant="default" tt="none">
                {`${role}: ${game === '*' ? 'all games' : game}, ${environment === '*' ? 'live and test' : environment}`}
              </Badge>
            ))}
          </Group>
          <Text size="sm">
            {texts.sessions(me.user.sessions)} {texts.expires}: <Time at={me.expires_at} />
          </Text>
          <Group>
            <Button variant="default" onClick={() => void signOut(false)}>
              {TEXTS.header.signOut}
            </Button>
            <Button variant="default" onClick={() => void signOut(true)}>
              {TEXTS.header.signOutEverywhere}
            </Button>
          </Group>
        </Stack>
      </Card>
      <PasswordForm me={me} />
      <Passkeys me={me} />
    </Page>
  );
}

function PasswordForm({ me }: { me: Me }) {
  const { signedIn } = useSession();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () =>
      call(undefined, 'PUT /v1/console/password', {
        body: { password, ...(me.user.has_password ? { current } : {}) },
      }),
    onSuccess(after) {
      signedIn(after);
      setCurrent('');
      setPassword('');
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Card withBorder>
      <form onSubmit={submit}>
        <Stack maw={420}>
          <Title order={2} size="h5">
            {me.user.has_password ? texts.changePassword : texts.setPassword}
          </Title>
          {/* Lets password managers find the name. */}
          <input hidden readOnly autoComplete="username" value={me.user.email} />
          {me.user.has_password ? (
            <PasswordInput
              label={texts.current}
              autoComplete="current-password"
              required
              value={current}
              onChange={(event) => setCurrent(event.currentTarget.value)}
            />
          ) : null}
          <PasswordInput
            label={texts.next}
            description={texts.rule}
            autoComplete="new-password"
            minLength={12}
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {change.error === null ? null : <Fault error={change.error} />}
          {change.isSuccess ? <Alert color="green">{texts.saved}</Alert> : null}
          <Button type="submit" loading={change.isPending} w="fit-content">
            {TEXTS.save}
          </Button>
        </Stack>
      </form>
    </Card>
  );
}
