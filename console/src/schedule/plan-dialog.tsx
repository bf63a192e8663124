import { Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, changeReason } from '../frame/api.ts';
import { usePlace } from '../frame/session.tsx';
import { Difference } from '../parts/difference.tsx';
import { useArrival } from '../parts/editors/approval.tsx';
import { Confirm } from '../parts/editors/confirm.tsx';
import { Time } from '../parts/lists/values.tsx';
import { Loaded } from '../parts/states.tsx';
import { TEXTS } from '../texts.ts';
import { type Plan, placeOf, type ScheduledKind } from './planned.ts';

const texts = TEXTS.schedule;
/** How long after the last key the plan is looked at. */
const TYPING_MS = 400;

interface PlanDialogProps {
  of: ScheduledKind;
  id: string;
  title: string;
  /** undefined: something is not given yet. */
  plan: Plan | undefined;
  opened: boolean;
  onClose: () => void;
  onPlanned?: () => void;
  /** What is entered. */
  children: ReactNode;
}

/** Plans changes, after a look at what they would change. */
export function PlanDialog({ of, id, title, plan, opened, onClose, onPlanned, children }: PlanDialogProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const arrival = useArrival();
  const [why, setWhy] = useState('');
  const { base, path } = placeOf(of, id);
  const add = useMutation({
    mutationFn: (body: Plan) => call(scope, `POST ${base}/schedule`, { path, body, headers: changeReason(why) }),
    onSuccess() {
      onPlanned?.();
      close();
    },
    onSettled: () =>
      Promise.all(['schedule', 'approvals'].map((kind) => queries.invalidateQueries({ queryKey: [kind] }))),
  });
  const close = (): void => {
    setWhy('');
    add.reset();
    onClose();
  };
  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={title}
      action={texts.plan}
      size="xl"
      changes={texts.plans[arrival](scope.game)}
      disabled={plan === undefined}
      busy={add.isPending}
      error={add.error}
      onConfirm={() => {
        if (plan !== undefined) add.mutate(plan);
      }}
    >
      <Stack gap="sm">
        {children}
        <TextInput
          label={TEXTS.history.why}
          value={why}
          maxLength={500}
          onChange={(event) => setWhy(event.currentTarget.value)}
        />
        {plan === undefined ? null : <PlanPreview of={of} id={id} plan={plan} />}
      </Stack>
    </Confirm>
  );
}

/** What the changes of a plan would change, in the service's words, with their times. */
export function PlanPreview({ of, id, plan }: { of: ScheduledKind; id: string; plan: Plan }) {
  const { scope } = usePlace();
  const [body] = useDebouncedValue(plan, TYPING_MS);
  const { base, path } = placeOf(of, id);
  const query = useQuery({
    queryKey: ['schedule preview', scope.game, scope.environment, of, id, body],
    queryFn: ({ signal }) => call(scope, `POST ${base}/schedule/preview`, { path, body, signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
  return (
    <Stack gap={4} component="section" aria-label={texts.preview}>
      <Text fw={600}>{texts.preview}</Text>
      <Loaded query={query} rows={2}>
        {({ changes }) => (
          <ol className="plain-list" aria-live="polite">
            {changes.map(({ at, difference }, place) => (
              <li key={`${place} ${at}`}>
                <Text size="sm" c="dimmed">
                  <Time at={at} />
                </Text>
                <Difference lines={difference} />
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Stack>
  );
}
