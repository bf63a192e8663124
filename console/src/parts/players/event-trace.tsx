import { Anchor, Badge, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { type AnswerOf, call } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { Loaded } from '../states.tsx';
import { mayGrow } from './trace-progress.ts';
import { number, Time } from '../lists/values.tsx';

const texts = TEXTS.trace;
type Answer = AnswerOf<'GET /v1/events/events/{event_id}/trace'>;
type Trace = Answer['traces'][number];

/** Where an event went: accepted, appended, its row, the stream, its deliveries. */
export function EventTrace({ eventId, playerId }: { eventId: string; playerId?: string }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const trace = useQuery({
    queryKey: ['trace', game, environment, eventId, playerId],
    queryFn: ({ signal }) =>
      call(scope, 'GET /v1/events/events/{event_id}/trace', {
        path: { event_id: eventId },
        query: { player_id: playerId },
        signal,
      }),
    // The row and the deliveries follow within seconds.
    refetchInterval: ({ state }) =>
      state.data !== undefined && mayGrow(state.data.traces, Date.now()) ? 1_500 : false,
  });
  return (
    <Stack gap="xs" role="group" aria-label={texts.title}>
      <Group justify="space-between">
        <Title order={3} size="h5">
          {texts.title}
        </Title>
        <Button size="compact-xs" variant="default" onClick={() => void trace.refetch()} loading={trace.isFetching}>
          {texts.refresh}
        </Button>
      </Group>
      <Loaded query={trace} rows={5}>
        {(answer) => (
          <>
            {answer.traces.length === 0 ? <Text>{texts.none(answer.searched_all)}</Text> : null}
            {answer.traces.map((one) => (
              <Steps key={`${one.log.sequence} ${one.log.index}`} trace={one} />
            ))}
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function Steps({ trace }: { trace: Trace }) {
  const { scope } = usePlace();
  const base = `/${scope.game}/${scope.environment}/webhooks`;
  const { log, row, attempts } = trace;
  const after = (at: string | null): string => (at === null ? '' : afterText(trace.received_at, at));
  return (
    <List spacing={6} size="sm" listStyleType="none" styles={{ itemWrapper: { display: 'block' } }}>
      <Step name={trace.state === 'accepted' ? texts.accepted : texts.quarantined} isDone>
        <Time at={trace.received_at} /> · {texts.sources[sourceOf(trace.source)]}
        {trace.faults.map(({ path, message }) => (
          <Text key={`${path} ${message}`} size="sm" className="mono">
            {path} {message}
          </Text>
        ))}
      </Step>
      <Step name={texts.appended} isDone>
        {log.partition === null
          ? texts.trimmed(number(log.sequence))
          : `${after(log.appended_at)} · ${texts.record(number(log.sequence), log.index, log.partition)}`}
      </Step>
      <Step name={texts.row} isDone={row !== null}>
        {row === null
          ? texts.noRow
          : [after(row.inserted_at), texts.inTable(row.table), texts.rows(row.rows_of_insert)]
              .filter((part) => part !== '')
              .join(' · ')}
      </Step>
      <Step name={texts.stream} isDone={trace.stream_id !== null}>
        {trace.stream_id === null ? texts.notStreamed : <span className="mono">{trace.stream_id}</span>}
      </Step>
      <Step name={texts.deliveries} isDone={trace.webhooks_matched}>
        {!trace.webhooks_matched ? texts.notMatched : attempts.length === 0 ? texts.noAttempts : null}
        {attempts.map((attempt) => (
          <div key={`${attempt.delivery_id} ${attempt.attempt} ${attempt.attempted_at}`}>
            <Anchor component={Link} href={`${base}/${attempt.webhook_id}`} size="sm">
              {attempt.webhook_name ?? attempt.webhook_id}
            </Anchor>{' '}
            {texts.attempt(attempt.attempt)}: {attempt.outcome}, {attempt.status ?? attempt.error ?? ''} ·{' '}
            {after(attempt.attempted_at)}
          </div>
        ))}
      </Step>
    </List>
  );
}

function Step({ name, isDone, children }: { name: string; isDone: boolean; children: ReactNode }) {
  return (
    <List.Item>
      <Badge variant="outline" color={isDone ? 'green' : 'gray'} tt="none" mr="xs">
        {name}
      </Badge>
      <Text span size="sm" component="div">
        {children}
      </Text>
    </List.Item>
  );
}

function sourceOf(source: string): keyof typeof texts.sources {
  return source === 'service' || source === 'import' ? source : 'caller';
}

/** A time after another one, as "+412 ms". */
function afterText(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from);
  return `${ms < 0 ? '−' : '+'}${number(Math.abs(ms))} ms`;
}
