import { Button, Card, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import {
  addressOf,
  type Asked,
  askedIn,
  bodyOf,
  FIRST,
  isComplete,
  type Kind,
  KINDS,
  type Names,
} from '../analytics/query.ts';
import { QueryForm } from '../analytics/query-form.tsx';
import { useSegments } from '../definitions.ts';
import { type Picked, PickProvider } from '../analytics/players/figure.tsx';
import { PlayersDialog } from '../analytics/players/players-dialog.tsx';
import { RangeField } from '../analytics/range-field.tsx';
import { tableOf } from '../analytics/result-table.ts';
import { ResultView } from '../analytics/result-view.tsx';
import { SaveDialog, SavedList } from '../analytics/saved-menu.tsx';
import { SqlDialog } from '../analytics/sql-dialog.tsx';
import { ask } from '../analytics/ask.ts';
import { useEventNames, useEventProperties } from '../conditions/names.ts';
import { csvText } from '../../../core/kernel/text/csv-text.ts';
import { download } from '../parts/lists/csv.ts';
import { Empty, Loaded, Page } from '../parts/states.tsx';
import { isAtLeast, usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.analytics;

/** Queries on events, sessions and purchases. The address holds the one whose result is shown. */
export function Analytics() {
  const search = useSearch();
  // The key makes the form show the query of a new address.
  return <Question key={search} asked={askedIn(search)} />;
}

function Question({ asked }: { asked: Asked }) {
  const { scope, role, zone } = usePlace();
  const [location, navigate] = useLocation();
  const [draft, setDraft] = useState(asked);
  const [sqlOpen, sql] = useDisclosure(false);
  const [saveOpen, save] = useDisclosure(false);
  const [picked, setPicked] = useState<Picked | undefined>();
  const { query } = asked;
  const complete = isComplete(query);
  const result = useQuery({
    queryKey: ['query', scope.game, scope.environment, asked],
    queryFn: ({ signal }) => ask(scope, bodyOf(asked), signal),
    enabled: complete,
    staleTime: 30_000,
  });
  const go = (next: Asked): void => navigate(location + addressOf(next));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const next = addressOf(draft);
    if (next === addressOf(asked)) void result.refetch();
    else navigate(location + next);
  };
  const saveCsv = (): void => {
    if (result.data === undefined) return;
    const { header, rows } = tableOf(result.data, zone);
    download(`${scope.game}-${scope.environment}-${query.kind}.csv`, csvText(header, rows));
  };

  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        <>
          <Button variant="default" size="xs" disabled={result.data === undefined} onClick={saveCsv}>
            {texts.csv}
          </Button>
          <Button variant="default" size="xs" disabled={!complete} onClick={sql.open}>
            {texts.sql}
          </Button>
          {isAtLeast(role, 'analyst') ? (
            <Button variant="default" size="xs" disabled={!complete} onClick={save.open}>
              {texts.save}
            </Button>
          ) : null}
        </>
      }
    >
      <section aria-label={texts.saved}>
        <SavedList />
      </section>
      <QuestionForm draft={draft} onDraft={setDraft} onGo={go} onSubmit={submit} isRunning={result.isFetching} />
      <section aria-live="polite" aria-busy={complete && result.isPending}>
        <Title order={2} size="h4" mb="xs">
          {texts.kinds[query.kind]}
        </Title>
        {complete ? (
          <Loaded query={result}>
            {(data) => (
              <PickProvider onPick={setPicked}>
                <ResultView result={data} isSplit={query.by !== undefined} answeredAt={result.dataUpdatedAt} />
                {picked === undefined ? null : (
                  <PlayersDialog
                    query={query}
                    range={{ from: data.from, to: data.to }}
                    picked={picked}
                    onClose={() => setPicked(undefined)}
                  />
                )}
              </PickProvider>
            )}
          </Loaded>
        ) : (
          <Empty title={texts.incomplete[query.kind]} />
        )}
      </section>
      <SqlDialog asked={asked} opened={sqlOpen} onClose={sql.close} />
      <SaveDialog asked={asked} opened={saveOpen} onClose={save.close} />
    </Page>
  );
}

interface QuestionFormProps {
  draft: Asked;
  onDraft: (draft: Asked) => void;
  /** Runs a query at once. */
  onGo: (next: Asked) => void;
  onSubmit: (event: FormEvent) => void;
  isRunning: boolean;
}

function QuestionForm({ draft, onDraft, onGo, onSubmit, isRunning }: QuestionFormProps) {
  const names = useNames(draft);
  return (
    <Card withBorder component="form" onSubmit={onSubmit}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label={texts.kind}
            value={draft.query.kind}
            data={KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
            onChange={(event) => {
              const kind: Kind = KINDS.find((each) => each === event.currentTarget.value) ?? 'trend';
              const next = { ...draft, query: FIRST[kind] };
              // The first query of a kind runs at once if it is complete.
              if (isComplete(next.query)) onGo(next);
              else onDraft(next);
            }}
          />
          <RangeField range={draft.range} onChange={(range) => onDraft({ ...draft, range })} />
          <Text size="sm" c="dimmed">
            {texts.about[draft.query.kind]}
          </Text>
        </Group>
        <QueryForm
          key={draft.query.kind}
          query={draft.query}
          names={names}
          onChange={(changed) => onDraft({ ...draft, query: changed })}
        />
        <Group>
          <Button type="submit" size="sm" disabled={!isComplete(draft.query)} loading={isRunning}>
            {texts.run}
          </Button>
          {isComplete(draft.query) ? null : (
            <Text size="sm" c="dimmed">
              {texts.incomplete[draft.query.kind]}
            </Text>
          )}
        </Group>
      </Stack>
    </Card>
  );
}

/** Names to suggest, from the dictionary of events. */
function useNames({ query }: Asked): Names {
  const { formula } = query;
  const name =
    query.event_names?.[0] ??
    formula?.numerator.event_names?.[0] ??
    query.event_name ??
    query.steps?.[0]?.event_name ??
    '';
  const { data: segments = [] } = useSegments();
  return { events: useEventNames(), properties: useEventProperties(name), segments: segments.map(({ key }) => key) };
}
