import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { useArrival } from './approval.tsx';
import { Dialog } from './dialog.tsx';
import { Fault, isWaiting } from '../states.tsx';

interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  /** What happens, as a question. */
  title: string;
  /** The action, as the button says it. */
  action: string;
  onConfirm: () => void;
  /** While the action runs, the dialog stays and its buttons rest. */
  busy?: boolean;
  /** Why the last try failed. */
  error?: Error | null;
  /** The environment that changes, if it is not the one of the page. */
  environment?: 'live' | 'test';
  isDangerous?: boolean;
  /** What it changes in live, if not what players get. */
  changes?: string;
  /** Whether the action is not possible yet. */
  disabled?: boolean;
  size?: string;
  /** What exactly changes: names, counts, a `Diff`. */
  children?: ReactNode;
}

/** Asks before a change, and says so plainly if players in live get it. */
export function Confirm({
  opened,
  onClose,
  title,
  action,
  onConfirm,
  busy = false,
  error,
  environment,
  isDangerous = false,
  changes,
  disabled = false,
  size = 'lg',
  children,
}: ConfirmProps) {
  const { scope } = usePlace();
  const arrival = useArrival();
  const waits = isWaiting(error);
  const isLive = (environment ?? scope.environment) === 'live';
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size={size} {...(busy ? { closesOutside: false } : {})}>
      <Stack>
        {isLive ? (
          <Alert color="red" variant="outline" title={changes ?? TEXTS.confirm[arrival](scope.game)} />
        ) : (
          <Alert color="gray" variant="outline" title={TEXTS.confirm.test(scope.game)} />
        )}
        {children}
        {error === null || error === undefined ? null : <Fault error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={busy}>
            {waits ? TEXTS.close : TEXTS.cancel}
          </Button>
          {/* Another try would store another proposal. */}
          {waits ? null : (
            <Button
              color={isLive || isDangerous ? 'red' : 'blue'}
              onClick={onConfirm}
              loading={busy}
              disabled={disabled}
              data-autofocus
            >
              {action}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
