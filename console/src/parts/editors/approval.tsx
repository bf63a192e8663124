import { Alert, Anchor, Badge, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call } from '../../frame/api.ts';
import { usePlace, useSession } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { Dialog } from './dialog.tsx';
import { Fault } from '../states.tsx';

/* What says that changes wait for a second person, and the way around it in an emergency. */

const texts = TEXTS.approvals;

/** Whether live changes of the game wait for a second person. */
function useApproval(): boolean {
  const { scope } = usePlace();
  const { session } = useSession();
  if (session.kind !== 'signed_in') return false;
  return session.me.games.some(({ id, approval }) => id === scope.game && approval);
}

/** When a confirmed change of this screen reaches players. */
export function useArrival(): 'live' | 'waits' | 'mayWait' {
  const [location] = useLocation();
  const screen = screenOf(location).screen;
  const approval = useApproval();
  if (!approval) return 'live';
  if (['flags', 'experiments', 'campaigns'].includes(screen)) return 'waits';
  return ['segments', 'players', 'dictionary'].includes(screen) ? 'mayWait' : 'live';
}

function screenOf(location: string): { screen: string; name: string } {
  const [, , , screen = '', name = ''] = location.split('/');
  return { screen, name: decodeURIComponent(name) };
}

function useWaiting() {
  const { scope } = usePlace();
  const approval = useApproval();
  const { data } = useQuery({
    queryKey: ['approvals', scope.game, scope.environment, 'waiting'],
    queryFn: ({ signal }) => call(scope, 'GET /v1/console/approvals', { query: { limit: 200 }, signal }),
    enabled: approval && scope.environment === 'live',
    refetchInterval: 30_000,
  });
  return data?.approvals ?? [];
}

/** The number of changes that wait, beside the screen's name in the navigation. */
export function WaitingBadge() {
  const count = useWaiting().length;
  if (count === 0) return null;
  return (
    <Badge size="sm" color="orange" variant="filled" aria-label={texts.waitingCount(count)}>
      {count}
    </Badge>
  );
}

const SCREENS = {
  flag: ['flags'],
  experiment: ['experiments'],
  campaign: ['campaigns'],
  segment: ['segments'],
  property: ['dictionary'],
};

/** Says on a definition, and on its list, which changes wait. */
export function WaitingNotice() {
  const { scope } = usePlace();
  const [location] = useLocation();
  const { screen, name } = screenOf(location);
  const found = useWaiting()
    .filter(({ kind }) => SCREENS[kind].includes(screen))
    .filter(({ key, params }) => name === '' || name === key || Object.values(params).includes(name));
  if (found.length === 0) return null;
  const people = [...new Set(found.map(({ proposed_by }) => proposed_by))].join(', ');
  return (
    <Alert color="orange" variant="outline" role="status" mb="md" title={texts.waitingHere(found.length, people)}>
      {name === '' ? <Text size="sm">{[...new Set(found.map(({ key }) => key))].join(', ')}</Text> : null}
      <Anchor component={Link} href={`/${scope.game}/${scope.environment}/approvals`} size="sm" underline="always">
        {texts.title}
      </Anchor>
    </Alert>
  );
}

interface TurnOffNowProps {
  kind: 'flag' | 'experiment' | 'campaign';
  name: string;
  enabled: boolean;
}

/** Turns something off at once, in games whose changes wait otherwise. */
export function TurnOffNow({ kind, name, enabled }: TurnOffNowProps) {
  const { scope, mayEdit } = usePlace();
  const approval = useApproval();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const off = useMutation({
    mutationFn: () => call(scope, 'POST /v1/console/turn-off', { body: { kind, key: name, reason } }),
    onSuccess: async () => {
      setAsking(false);
      await queries.invalidateQueries();
    },
  });
  if (!approval || !mayEdit || !enabled || scope.environment !== 'live') return null;
  const close = (): void => {
    setAsking(false);
    off.reset();
  };
  return (
    <>
      <Button color="red" variant="outline" onClick={() => setAsking(true)}>
        {texts.turnOff}
      </Button>
      <Dialog opened={asking} onClose={close} title={texts.turnOffTitle(name)}>
        <Stack>
          <Alert color="red" variant="outline" title={texts.turnOffHelp} />
          <Textarea
            label={texts.reason}
            description={texts.reasonHelp}
            required
            maxLength={500}
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {off.error === null ? null : <Fault error={off.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {TEXTS.cancel}
            </Button>
            <Button color="red" disabled={reason.trim() === ''} loading={off.isPending} onClick={() => off.mutate()}>
              {texts.turnOff}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
