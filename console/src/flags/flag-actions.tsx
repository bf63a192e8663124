import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Diff } from '../parts/diff.tsx';
import { Fault } from '../parts/states.tsx';
import { Time } from '../parts/values.tsx';
import { usePlace } from '../session.tsx';
import { StateBadge } from './state-badge.tsx';
import { TEXTS } from '../texts.ts';
import { type Flag, flagQuery, useFlagUsage } from './definitions.ts';
import { Promote } from './promote.tsx';

const texts = TEXTS.flag;

/** What one does with a whole flag: on and off, promote, archive. */
export function FlagActions({ flag, hasDraft }: { flag: Flag; hasDraft: boolean }) {
  const { scope, mayEdit } = usePlace();
  return (
    <>
      <StateBadge enabled={flag.enabled} />
      {mayEdit && !hasDraft ? <Toggle flag={flag} /> : null}
      {scope.environment === 'test' && !hasDraft ? <Promote flag={flag} /> : null}
      {mayEdit ? <Archive flag={flag} /> : null}
    </>
  );
}

/** Turns the flag on or off. The page shows it at once, and takes it back if the service refuses. */
function Toggle({ flag }: { flag: Flag }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const place = flagQuery(scope, flag.key);
  const toggle = useMutation({
    mutationFn: (enabled: boolean) =>
      call(scope, 'PATCH /v1/flags/flags/{key}', {
        path: { key: flag.key },
        headers: { 'If-Match': String(flag.version) },
        body: { enabled },
      }),
    onMutate: (enabled) => {
      setAsking(false);
      queries.setQueryData(place, { ...flag, enabled });
    },
    onError: () => queries.setQueryData(place, flag),
    onSuccess: (saved) => queries.setQueryData(place, saved),
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => isOfFlags(queryKey) }),
  });
  const { enabled } = flag;
  return (
    <>
      {toggle.error === null ? null : <Fault title={TEXTS.confirm.undone} error={toggle.error} />}
      <Button variant="default" onClick={() => setAsking(true)} disabled={toggle.isPending}>
        {enabled ? texts.off : texts.on}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={enabled ? texts.offTitle(flag.key) : texts.onTitle(flag.key)}
        action={enabled ? texts.off : texts.on}
        onConfirm={() => toggle.mutate(!enabled)}
      >
        <Diff before={{ enabled }} after={{ enabled: !enabled }} />
      </Confirm>
    </>
  );
}

function isOfFlags([kind]: readonly unknown[]): boolean {
  return kind === 'flag' || kind === 'all flags';
}

function Archive({ flag }: { flag: Flag }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const usage = useFlagUsage().data?.flags.find(({ key }) => key === flag.key);
  const archive = useMutation({
    mutationFn: () =>
      call(scope, 'DELETE /v1/flags/flags/{key}', {
        path: { key: flag.key },
        headers: { 'If-Match': String(flag.version) },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['all flags'] });
      await queries.invalidateQueries({ queryKey: ['flag usage'] });
      navigate(`/${scope.game}/${scope.environment}/flags`);
    },
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {texts.archive}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={texts.archiveTitle(flag.key)}
        action={texts.archive}
        isDangerous
        busy={archive.isPending}
        error={archive.error}
        onConfirm={() => archive.mutate()}
      >
        <Text>{texts.archiveHelp}</Text>
        <Text>
          {texts.lastUsed} <Time at={usage?.last_evaluated_at} />
        </Text>
        <Text>
          {texts.lastExposed} <Time at={usage?.last_exposed_at} />
        </Text>
      </Confirm>
    </>
  );
}
