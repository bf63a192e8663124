import { Alert, Button, Card, Center, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../frame/api.ts';
import { Empty, Fault } from '../../parts/states.tsx';
import { hasPasskeys, signWithPasskey } from '../../frame/passkeys.ts';
import { useSession } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.signIn;

/** Sign-in by e-mail address and password. */
export function SignIn({ ended }: { ended: boolean }) {
  const { signedIn } = useSession();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const attempt = useMutation({
    mutationFn: () => call(undefined, 'POST /v1/console/sessions', { body: { email, password } }),
    onSuccess: signedIn,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    attempt.mutate();
  };
  return (
    <Frame title={texts.title}>
      {ended ? <Alert color="yellow">{texts.ended}</Alert> : null}
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={texts.email}
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label={texts.password}
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {attempt.error === null ? null : <Fault error={attempt.error} />}
          <Button type="submit" loading={attempt.isPending}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
      <WithPasskey />
      <WithProvider />
      <Text size="sm" c="dimmed">
        {texts.help}
      </Text>
    </Frame>
  );
}

/** Sign-in by a passkey of this browser, which contains the user's id. */
function WithPasskey() {
  const { signedIn } = useSession();
  const attempt = useMutation({
    mutationFn: async () => {
      const options = await call(undefined, 'POST /v1/console/passkeys/sign-in');
      return call(undefined, 'POST /v1/console/sessions', { body: { passkey: await signWithPasskey(options) } });
    },
    onSuccess: signedIn,
  });
  if (!hasPasskeys()) return null;
  return (
    <>
      <Button variant="default" onClick={() => attempt.mutate()} loading={attempt.isPending}>
        {texts.withPasskey}
      </Button>
      {attempt.error === null ? null : <Fault error={attempt.error} />}
    </>
  );
}

/** Sign-in by the identity provider of the deployment, if there is one. */
function WithProvider() {
  const options = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: ({ signal }) => call(undefined, 'GET /v1/console/sign-in-options', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const begin = useMutation({
    mutationFn: () => call(undefined, 'POST /v1/console/openid'),
    onSuccess({ address }) {
      rememberWanted();
      globalThis.location.assign(address);
    },
  });
  const name = options.data?.openid ?? null;
  if (name === null) return null;
  return (
    <>
      <Button variant="default" onClick={() => begin.mutate()} loading={begin.isPending || begin.isSuccess}>
        {texts.withProvider(name)}
      </Button>
      {begin.error === null ? null : <Fault error={begin.error} />}
    </>
  );
}

const WANTED = 'console-wanted';

/** Keeps the address that the person wanted to open while the provider's pages are open. */
function rememberWanted(): void {
  try {
    const { pathname, search } = globalThis.location;
    sessionStorage.setItem(WANTED, pathname.slice('/console'.length) + search);
  } catch {
    // Without storage the overview opens.
  }
}

/** That address, once: below `/console`. */
function takeWanted(): string {
  try {
    const wanted = sessionStorage.getItem(WANTED);
    sessionStorage.removeItem(WANTED);
    return wanted === null || !wanted.startsWith('/') ? '/' : wanted;
  } catch {
    return '/';
  }
}

/** The page to which the identity provider redirects. It sends the parameters of the address once, and removes them. */
export function ProviderSignIn() {
  const { signedIn } = useSession();
  const [, navigate] = useLocation();
  const [query] = useState(() => new URLSearchParams(globalThis.location.search));
  const attempt = useMutation({
    mutationFn: () => {
      const [code, state, iss] = ['code', 'state', 'iss'].map((name) => query.get(name) ?? '');
      const openid = { code, state, ...(iss === '' ? {} : { iss }) };
      return call(undefined, 'POST /v1/console/sessions', { body: { openid } });
    },
    onSuccess(me) {
      signedIn(me);
      navigate(takeWanted(), { replace: true });
    },
  });
  const { mutate } = attempt;
  const refusal = query.get('error');
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current || refusal !== null) return;
    begun.current = true;
    globalThis.history.replaceState(null, '', globalThis.location.pathname);
    mutate();
  }, [mutate, refusal]);
  return (
    <Frame title={texts.title}>
      {attempt.error === null && refusal === null ? <Text role="status">{texts.link}</Text> : null}
      {refusal === null ? null : <Alert color="red" variant="outline" role="alert" title={texts.refused(refusal)} />}
      {attempt.error === null ? null : <Fault error={attempt.error} />}
      {attempt.error === null && refusal === null ? null : (
        <Button onClick={() => navigate('/', { replace: true })}>{texts.again}</Button>
      )}
    </Frame>
  );
}

/**
 * Sign-in by a one-time link. The token is behind `#`, so it reaches no log. A click uses it: programs that open links
 * to look at them do not.
 */
export function LinkSignIn() {
  const { signedIn } = useSession();
  const [, navigate] = useLocation();
  const [link] = useState(() => globalThis.location.hash.slice(1));
  const attempt = useMutation({
    mutationFn: () => call(undefined, 'POST /v1/console/sessions', { body: { link } }),
    onSuccess(me) {
      signedIn(me);
      navigate('/', { replace: true });
    },
  });
  return (
    <Frame title={texts.title}>
      {attempt.error === null ? (
        <Text>{texts.linkConfirm}</Text>
      ) : (
        <>
          <Fault title={texts.linkFailed} error={attempt.error} />
          <Text size="sm" c="dimmed">
            {texts.linkFailedHelp}
          </Text>
        </>
      )}
      <Button onClick={() => attempt.mutate()} loading={attempt.isPending} disabled={link === ''}>
        {texts.linkButton}
      </Button>
    </Frame>
  );
}

export function NoGames() {
  const { signOut } = useSession();
  return (
    <Frame title={TEXTS.product}>
      <Empty title={texts.noGames}>{texts.noGamesHelp}</Empty>
      <Button variant="default" onClick={() => void signOut(false)}>
        {TEXTS.header.signOut}
      </Button>
    </Frame>
  );
}

function Frame({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Center component="main" mih="100vh" p="md">
      <title>{`${title} · ${TEXTS.product}`}</title>
      <Card withBorder shadow="sm" padding="xl" w="100%" maw={420}>
        <Stack>
          <div>
            <Text c="dimmed" size="sm">
              {TEXTS.product}
            </Text>
            <Title order={1} size="h2">
              {title}
            </Title>
          </div>
          {children}
        </Stack>
      </Card>
    </Center>
  );
}
