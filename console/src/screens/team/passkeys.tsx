import { Alert, Badge, Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../frame/api.ts';
import { Fault } from '../../parts/states.tsx';
import { Time } from '../../parts/lists/values.tsx';
import { createPasskey, hasPasskeys } from '../../frame/passkeys.ts';
import { type Me, useSession } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.passkeys;

/** The passkeys of the signed-in user: add, name, remove. */
export function Passkeys({ me }: { me: Me }) {
  const { signedIn } = useSession();
  const remove = useMutation({
    mutationFn: (id: string) => call(undefined, 'DELETE /v1/console/passkeys/{id}', { path: { id } }),
    onSuccess: signedIn,
  });
  return (
    <Card withBorder>
      <Stack maw={560}>
        <Title order={2} size="h5">
          {texts.title}
        </Title>
        <Text size="sm">{texts.intro}</Text>
        {me.user.passkeys.length === 0 ? null : (
          <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {me.user.passkeys.map((passkey) => (
              <Group key={passkey.id} component="li" justify="space-between">
                <div>
                  <Text fw={600}>
                    {passkey.name}{' '}
                    <Badge variant="default" tt="none" miw="max-content">
                      {passkey.host}
                    </Badge>
                  </Text>
                  <Text size="sm" c="dimmed">
                    {texts.used} <Time at={passkey.last_used_at} />
                  </Text>
                </div>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={texts.removeNamed(passkey.name)}
                  loading={remove.isPending && remove.variables === passkey.id}
                  onClick={() => remove.mutate(passkey.id)}
                >
                  {texts.remove}
                </Button>
              </Group>
            ))}
          </Stack>
        )}
        {remove.error === null ? null : <Fault error={remove.error} />}
        <AddPasskey />
      </Stack>
    </Card>
  );
}

function AddPasskey() {
  const { signedIn } = useSession();
  const [name, setName] = useState('');
  const add = useMutation({
    mutationFn: async () => {
      const options = await call(undefined, 'POST /v1/console/passkeys/challenge');
      const passkey = await createPasskey(options);
      return call(undefined, 'POST /v1/console/passkeys', { body: { name, passkey } });
    },
    onSuccess(after) {
      signedIn(after);
      setName('');
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <>
      {hasPasskeys() ? (
        <form onSubmit={submit}>
          <Group align="flex-end">
            <TextInput
              label={texts.name}
              placeholder={texts.namePlaceholder}
              required
              maxLength={64}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" loading={add.isPending}>
              {texts.add}
            </Button>
          </Group>
        </form>
      ) : (
        <Alert color="yellow" variant="outline" title={texts.noBrowser} />
      )}
      {add.error === null ? null : <Fault error={add.error} />}
      {add.isSuccess ? <Alert color="green" variant="outline" title={texts.added} /> : null}
    </>
  );
}
