import { Badge, Group, List, Stack, Text, TextInput, Title } from '@mantine/core';
import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call, changeReason } from '../frame/api.ts';
import { usePlace } from '../frame/session.tsx';
import { Difference } from '../parts/difference.tsx';
import { ConfirmButton } from '../parts/editors/confirm-button.tsx';
import { Time } from '../parts/lists/values.tsx';
import { Loaded } from '../parts/states.tsx';
import { TEXTS } from '../texts.ts';
import { PlanChange } from './plan-change.tsx';
import { PlanRollout, type RolledRule } from './plan-rollout.tsx';
import { type Change, heldRollout, placeOf, readAgainMs, type ScheduledKind } from './planned.ts';

const texts = TEXTS.schedule;

interface ScheduleProps {
  of: ScheduledKind;
  /** Its key, or its id, as in its path. */
  id: string;
  /** The version that the screen shows. */
  version: number;
  /** Whether it is on; undefined: definitions of this kind are not turned on and off. */
  enabled?: boolean;
  /** The rules of a flag, in the service's order. */
  rules?: readonly RolledRule[];
  /** What is read again once a change was made: the first parts of the keys. */
  renews: readonly QueryKey[];
}

/** The changes of a definition that are made later, and what became of earlier ones. */
export function Schedule({ of, id, version, enabled, rules, renews }: ScheduleProps) {
  const { scope, mayEdit } = usePlace();
  const queries = useQueryClient();
  const { base, path } = placeOf(of, id);
  const found = useQuery({
    queryKey: ['schedule', scope.game, scope.environment, of, id],
    queryFn: ({ signal }) => call(scope, `GET ${base}/schedule`, { path, signal }),
    refetchInterval: ({ state }) => readAgainMs(state.data?.changes ?? [], Date.now()),
  });
  const newest = Math.max(0, ...(found.data?.changes ?? []).map((each) => each.version ?? 0));
  useEffect(() => {
    if (newest > version) for (const queryKey of renews) void queries.invalidateQueries({ queryKey });
    // The list of keys is a new one with every draw.
  }, [newest, version, queries]);
  return (
    <Stack component="section" aria-labelledby="schedule" gap="sm">
      <Title order={2} size="h5" id="schedule">
        {texts.title}
      </Title>
      <Text size="sm" c="dimmed">
        {texts.help}
      </Text>
      <Loaded query={found} rows={2}>
        {({ changes }) => (
          <>
            {mayEdit ? (
              <Group gap="xs">
                {rules === undefined ? null : <PlanRollout flagKey={id} rules={rules} held={heldRollout(changes)} />}
                <PlanChange of={of} id={id} enabled={enabled} />
                {of === 'flag' && changes.some(isWaitingStep) ? <Hold id={id} /> : null}
              </Group>
            ) : null}
            <Changes of={of} id={id} changes={changes} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}

const isWaitingStep = ({ state, step }: Change): boolean => state === 'pending' && step !== null;

interface ChangesProps {
  of: ScheduledKind;
  id: string;
  changes: readonly Change[];
}

/** What waits, the next one first, then what has ended, the latest first. */
function Changes({ of, id, changes }: ChangesProps) {
  const waiting = changes.filter(({ state }) => state === 'pending');
  const ended = changes
    .filter(({ state }) => state !== 'pending')
    .toSorted((one, other) => (other.ended_at ?? '').localeCompare(one.ended_at ?? ''));
  const [next] = waiting;
  return (
    <>
      <div aria-live="polite">
        {next === undefined ? (
          <Text c="dimmed">{texts.empty}</Text>
        ) : (
          <Text fw={600}>
            {texts.next} <Time at={next.at} /> · {summaryOf(next)}
          </Text>
        )}
      </div>
      <ChangeList label={texts.waiting} of={of} id={id} changes={waiting} />
      <ChangeList label={texts.ended} of={of} id={id} changes={ended} />
    </>
  );
}

/** A change in one line. */
const summaryOf = ({ step, difference: [first = '', ...more] }: Change): string =>
  step === null ? `${first}${more.length === 0 ? '' : ' …'}` : texts.step(step.rule, step.percentage);

function ChangeList({ label, of, id, changes }: ChangesProps & { label: string }) {
  const { mayEdit } = usePlace();
  if (changes.length === 0) return null;
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        {label}
      </Text>
      <List listStyleType="none" spacing="sm" aria-label={label}>
        {changes.map((each) => (
          <List.Item key={each.id}>
            <Entry of={each}>
              {mayEdit && each.state === 'pending' ? <Cancel of={of} id={id} change={each} /> : null}
            </Entry>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

const COLORS = {
  pending: 'blue',
  made: 'green',
  skipped: 'gray',
  failed: 'red',
  cancelled: 'gray',
  held: 'orange',
} as const satisfies Record<Change['state'], string>;

function Entry({ of, children }: { of: Change; children: React.ReactNode }) {
  const { state, at, made_by: by, difference, reason, version, why } = of;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Badge color={COLORS[state]} variant="outline" tt="none">
          {texts.states[state]}
        </Badge>
        <Text size="sm" component="span">
          <Time at={at} />
          {version === null ? '' : ` · ${texts.version(version)}`} · {by.email ?? TEXTS.history.by[by.kind](by.id)}
        </Text>
        {children}
      </Group>
      {reason === null ? null : <Text size="sm">{TEXTS.history.reason(reason)}</Text>}
      {why === null ? null : <Text size="sm">{texts.why(why)}</Text>}
      <Difference lines={difference} />
    </Stack>
  );
}

function Cancel({ of, id, change }: { of: ScheduledKind; id: string; change: Change }) {
  const { scope } = usePlace();
  const { base, path } = placeOf(of, id);
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => call(scope, `DELETE ${base}/schedule/{change}`, { path: { ...path, change: change.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['schedule'] }),
  });
  return (
    <ConfirmButton
      action={texts.cancel}
      size="xs"
      title={texts.cancelTitle}
      changes={texts.cancelChanges(scope.game)}
      busy={cancel.isPending}
      error={cancel.error}
      onConfirm={(close) => cancel.mutate(undefined, { onSuccess: close })}
      onClose={() => cancel.reset()}
    >
      <Text size="sm">
        <Time at={change.at} />
      </Text>
      <Difference lines={change.difference} />
      <Text size="sm">{texts.cancelHelp}</Text>
    </ConfirmButton>
  );
}

/** Stops the roll-outs of a flag. It needs no second person. */
function Hold({ id }: { id: string }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [why, setWhy] = useState('');
  const hold = useMutation({
    mutationFn: () =>
      call(scope, 'POST /v1/flags/flags/{key}/schedule/hold', { path: { key: id }, headers: changeReason(why) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['schedule'] }),
  });
  return (
    <ConfirmButton
      action={texts.hold}
      size="xs"
      title={texts.holdTitle}
      changes={texts.holdChanges(scope.game)}
      busy={hold.isPending}
      error={hold.error}
      onConfirm={(close) => hold.mutate(undefined, { onSuccess: close })}
      onClose={() => {
        setWhy('');
        hold.reset();
      }}
    >
      <Text size="sm">{texts.holdHelp}</Text>
      <TextInput
        label={TEXTS.history.why}
        value={why}
        maxLength={500}
        onChange={(event) => setWhy(event.currentTarget.value)}
      />
    </ConfirmButton>
  );
}
