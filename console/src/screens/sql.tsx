import { Alert, Button, Code, Grid, Group, Kbd, Stack, Text, Textarea, Title, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { call } from '../frame/api.ts';
import { Empty, Fault, Page } from '../parts/states.tsx';
import { Time } from '../parts/lists/values.tsx';
import { type Me, readsAllGames, useSession } from '../frame/session.tsx';
import { historyOf, type Ran, remember, withRan } from '../sql/history.ts';
import { type SqlAnswer, SqlResult } from '../sql/sql-result.tsx';
import { TablesPanel } from '../sql/tables-panel.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.sql;

/** Longer statements are not put into the address. */
const MOST_IN_ADDRESS = 4_000;

/** Statements that read ClickHouse. */
export function Sql() {
  const { session } = useSession();
  if (session.kind !== 'signed_in') return null;
  const { me } = session;
  return (
    <Page title={texts.title} intro={texts.intro}>
      {readsAllGames(me) ? (
        <Workbench me={me} />
      ) : (
        <Empty title={texts.notAllowed}>
          <Text c="dimmed">{texts.notAllowedHelp}</Text>
          <Code>{texts.grant(me.user.email)}</Code>
        </Empty>
      )}
    </Page>
  );
}

type State =
  | { kind: 'idle' }
  | { kind: 'running' }
  | { kind: 'failed'; error: Error }
  | { kind: 'answered'; result: SqlAnswer; tookMs: number };

function Workbench({ me }: { me: Me }) {
  const [location, navigate] = useLocation();
  const search = useSearch();
  const [statement, setStatement] = useState(() => new URLSearchParams(search).get('sql') ?? '');
  const [state, setState] = useState<State>({ kind: 'idle' });
  const [history, setHistory] = useState<readonly Ran[]>(() => historyOf(me.user.id));
  const field = useRef<HTMLTextAreaElement>(null);
  const running = useRef<AbortController | undefined>(undefined);
  // Leaving the screen ends the statement.
  useEffect(() => () => running.current?.abort(), []);

  const run = async (): Promise<void> => {
    const text = statement.trim();
    if (text === '') return;
    running.current?.abort();
    const mine = new AbortController();
    running.current = mine;
    setState({ kind: 'running' });
    if (text.length <= MOST_IN_ADDRESS) {
      navigate(`${location}?${new URLSearchParams({ sql: text }).toString()}`, { replace: true });
    }
    const startedMs = performance.now();
    let rows: number | null = null;
    try {
      const result = await call(undefined, 'POST /v1/console/sql', { body: { statement: text }, signal: mine.signal });
      if (mine.signal.aborted) return;
      rows = result.rows.length;
      setState({ kind: 'answered', result, tookMs: performance.now() - startedMs });
    } catch (error) {
      if (mine.signal.aborted) return;
      setState({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    }
    setHistory((before) => {
      const next = withRan(before, { statement: text, at: new Date().toISOString(), rows });
      remember(me.user.id, next);
      return next;
    });
  };
  const cancel = (): void => {
    running.current?.abort();
    setState({ kind: 'idle' });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void run();
  };
  const insert = (name: string): void => {
    const input = field.current;
    const [from, to] = [input?.selectionStart ?? statement.length, input?.selectionEnd ?? statement.length];
    const before = statement.slice(0, from);
    const gap = before === '' || /[\s(,.]$/.test(before) ? '' : ' ';
    setStatement(`${before}${gap}${name}${statement.slice(to)}`);
    input?.focus();
  };

  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 8, lg: 9 }}>
        <Stack gap="sm">
          <Textarea
            ref={field}
            label={texts.statement}
            autosize
            minRows={5}
            maxRows={18}
            spellCheck={false}
            autoCapitalize="off"
            maxLength={20_000}
            placeholder={texts.placeholder}
            classNames={{ input: 'mono' }}
            value={statement}
            onChange={(event) => setStatement(event.currentTarget.value)}
            onKeyDown={onKey}
          />
          <Group gap="xs">
            <Button size="sm" onClick={() => void run()} loading={state.kind === 'running'}>
              {texts.run}
            </Button>
            {state.kind === 'running' ? (
              <Button size="sm" variant="default" onClick={cancel}>
                {TEXTS.cancel}
              </Button>
            ) : null}
            <Text size="xs" c="dimmed">
              <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd> {texts.keys}
            </Text>
          </Group>
          <section aria-live="polite" aria-busy={state.kind === 'running'} aria-label={texts.result}>
            {state.kind === 'failed' ? <Fault error={state.error} /> : null}
            {state.kind === 'answered' ? <SqlResult result={state.result} tookMs={state.tookMs} /> : null}
            {state.kind === 'idle' ? <Alert color="gray">{texts.hint}</Alert> : null}
          </section>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4, lg: 3 }}>
        <Stack gap="sm">
          <TablesPanel onInsert={insert} />
          <History history={history} onChoose={setStatement} />
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

function History({ history, onChoose }: { history: readonly Ran[]; onChoose: (statement: string) => void }) {
  return (
    <section aria-label={texts.history}>
      <Title order={2} size="h6">
        {texts.history}
      </Title>
      {history.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.historyEmpty}
        </Text>
      ) : (
        <ul className="plain-list sql-history">
          {history.map(({ statement, at, rows }) => (
            <li key={at}>
              <UnstyledButton className="column" title={statement} onClick={() => onChoose(statement)}>
                <span className="mono one-line">{statement}</span>
              </UnstyledButton>
              <Text size="xs" c="dimmed">
                <Time at={at} /> · {rows === null ? texts.failed : texts.rows(rows)}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
