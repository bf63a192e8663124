import { Alert, Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { reference as texts } from '../texts/reference.ts';
import { bodyTypeOf, curlOf, exampleBody, isTestKey, nameOf, requestOf } from './request.ts';
import { Copy } from '../parts/lists/values.tsx';
import { isForPeople, needsKey, type Operation } from './document.ts';

/** Of an answer, at most this is shown: streams do not end. */
const MOST_CHARACTERS = 100_000;

type Tried =
  | { kind: 'none' }
  | { kind: 'running'; head: string; text: string }
  | { kind: 'answered'; head: string; text: string; cut: boolean }
  | { kind: 'failed'; message: string };

/** A form for one request, the same request for a shell, and its answer. */
export function TryIt({ operation, apiKey }: { operation: Operation; apiKey: string }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(() => exampleBody(operation));
  const [tried, setTried] = useState<Tried>({ kind: 'none' });
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const withKey = needsKey(operation);
  const people = isForPeople(operation);
  const shellKey = withKey && !people ? '$KEY' : undefined;
  const curl = curlOf(operation, requestOf(operation, { values, body }, shellKey), location.origin).replace(
    "'X-API-Key: $KEY'",
    '"X-API-Key: $KEY"',
  );
  const isBlocked = people || (withKey && !isTestKey(apiKey));

  const send = async (): Promise<void> => {
    running.current?.abort();
    const mine = new AbortController();
    running.current = mine;
    setTried({ kind: 'running', head: '', text: '' });
    const { url, headers, body: text } = requestOf(operation, { values, body }, withKey ? apiKey : undefined);
    const startedMs = performance.now();
    try {
      const response = await fetch(url, {
        method: operation.method,
        headers,
        // A session of the console must not act here.
        credentials: 'omit',
        cache: 'no-store',
        signal: mine.signal,
        ...(text === undefined ? {} : { body: text }),
      });
      const head = texts.took(
        `${response.status} ${response.statusText}`.trim(),
        Math.round(performance.now() - startedMs),
      );
      const shown = await readText(response, (part) => setTried({ kind: 'running', head, text: part }));
      setTried({ kind: 'answered', head, ...shown });
    } catch (error) {
      if (mine.signal.aborted) {
        setTried((last) => (last.kind === 'running' ? { ...last, kind: 'answered', cut: true } : last));
        return;
      }
      setTried({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBlocked) void send();
  };

  return (
    <Stack gap="md">
      <InShell curl={curl} />
      <form onSubmit={submit} aria-labelledby="try-it">
        <Stack gap="xs">
          <Title order={2} size="h5" id="try-it">
            {texts.tryIt}
          </Title>
          {operation.parameters.map((parameter) => (
            <TextInput
              key={nameOf(parameter)}
              size="xs"
              label={`${parameter.name} (${texts.places[parameter.in]})`}
              required={parameter.required}
              value={values[nameOf(parameter)] ?? ''}
              onChange={(event) => setValues({ ...values, [nameOf(parameter)]: event.currentTarget.value })}
            />
          ))}
          {bodyTypeOf(operation) === undefined ? null : (
            <Textarea
              label={texts.body}
              autosize
              minRows={3}
              maxRows={20}
              spellCheck={false}
              classNames={{ input: 'mono' }}
              value={body}
              onChange={(event) => setBody(event.currentTarget.value)}
            />
          )}
          {people ? <Text size="sm">{texts.people}</Text> : null}
          {!people && isBlocked ? <Text size="sm">{apiKey === '' ? texts.needsKey : texts.notTest}</Text> : null}
          <Group>
            <Button type="submit" size="sm" disabled={isBlocked} loading={tried.kind === 'running'}>
              {texts.send}
            </Button>
            {tried.kind === 'running' ? (
              <Button size="sm" variant="default" onClick={() => running.current?.abort()}>
                {texts.stop}
              </Button>
            ) : null}
          </Group>
        </Stack>
      </form>
      <Answer tried={tried} />
    </Stack>
  );
}

/** The request for a shell. */
function InShell({ curl }: { curl: string }) {
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Title order={2} size="h5" id="curl">
          {texts.curl}
        </Title>
        <Copy text={curl} size="compact-xs" />
      </Group>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable */}
      <pre className="json" tabIndex={0} role="region" aria-label={texts.curl}>
        {curl}
      </pre>
    </div>
  );
}

/** What the service answered so far. */
function Answer({ tried }: { tried: Tried }) {
  return (
    <div aria-live="polite">
      {tried.kind === 'failed' ? (
        <Alert color="red" variant="outline" title={texts.failed}>
          {tried.message}
        </Alert>
      ) : null}
      {tried.kind === 'answered' || tried.kind === 'running' ? (
        <>
          <Text fw={600}>{tried.head}</Text>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as above */}
          <pre className="json" tabIndex={0} role="region" aria-label={texts.answer}>
            {tried.text}
          </pre>
          {tried.kind === 'answered' && tried.cut ? <Text size="sm">{texts.cut}</Text> : null}
        </>
      ) : null}
    </div>
  );
}

/** The body of an answer while it arrives; JSON is indented at the end. */
async function readText(response: Response, onPart: (text: string) => void): Promise<{ text: string; cut: boolean }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return { text: indented(text), cut: false };
    text += part.value;
    if (text.length > MOST_CHARACTERS) {
      await reader?.cancel();
      return { text: text.slice(0, MOST_CHARACTERS), cut: true };
    }
    onPart(text);
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
