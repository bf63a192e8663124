import { Alert, Button, Card, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import { type AnswerOf, call } from '../../frame/api.ts';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { Fault } from '../../parts/states.tsx';
import { Json, number, Time } from '../../parts/lists/values.tsx';
import { isAtLeast, usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.schema;
type Result = AnswerOf<'POST /v1/events/schemas/dry-run'>;
type Found = Result['faults'][number];

/** Tries a schema on the newest events of its name. */
export function DryRun({ name, schema }: { name: string; schema: JsonObject | undefined }) {
  const { scope, role } = usePlace();
  const run = useMutation({
    mutationFn: () => call(scope, 'POST /v1/events/schemas/dry-run', { body: { event_name: name, schema } }),
  });
  return (
    <Card withBorder>
      <Stack align="stretch">
        <Title order={2} size="h5">
          {texts.dryRun}
        </Title>
        <Text size="sm">{texts.dryRunHelp}</Text>
        {isAtLeast(role, 'analyst') ? (
          <Button
            variant="default"
            w="fit-content"
            onClick={() => run.mutate()}
            loading={run.isPending}
            disabled={schema === undefined || name === ''}
          >
            {texts.dryRun}
          </Button>
        ) : (
          <Text size="sm">{texts.dryRunNeeds}</Text>
        )}
        {run.error === null ? null : <Fault error={run.error} />}
        {run.data === undefined ? null : <Shown result={run.data} />}
      </Stack>
    </Card>
  );
}

function Shown({ result }: { result: Result }) {
  const { events_checked: checked, events_invalid: refused, quarantined_valid: releasable } = result;
  if (checked === 0) return <Text role="status">{texts.dryRunNone}</Text>;
  return (
    <>
      <Alert
        color={refused === 0 ? 'green' : 'orange'}
        variant="outline"
        role="status"
        title={texts.dryRunResult(number(checked), number(refused))}
      >
        {releasable === 0 ? null : <Text size="sm">{texts.dryRunReleasable(number(releasable))}</Text>}
        {result.stopped_early ? <Text size="sm">{texts.dryRunStopped}</Text> : null}
        <Text size="sm">
          {texts.dryRunSince} <Time at={result.oldest_received_at} />
        </Text>
      </Alert>
      {result.faults.length === 0 ? null : (
        <DataTable
          label={texts.dryRun}
          columns={COLUMNS}
          rows={result.faults}
          keyOf={({ path, message }) => `${path} ${message}`}
        />
      )}
      {result.examples.length === 0 ? null : <Json value={result.examples} label={texts.examples} />}
    </>
  );
}

const COLUMNS: Column<Found>[] = [
  {
    id: 'path',
    label: texts.dryRunColumns.path,
    cell: ({ path }) => <span className="mono">{path === '' ? '/' : path}</span>,
  },
  { id: 'message', label: texts.dryRunColumns.message, cell: ({ message }) => message },
  {
    id: 'events',
    label: texts.dryRunColumns.events,
    align: 'right',
    sortBy: ({ events }) => events,
    cell: ({ events }) => number(events),
  },
];
