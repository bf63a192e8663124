import { Button } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Confirm } from './confirm.tsx';
import { type Patch, useOptimistic } from './optimistic.ts';

interface SwitchButtonProps<Saved> {
  /** Whether the definition is on now. */
  enabled: boolean;
  /** What the button says, such as "Pause". */
  action: string;
  title: string;
  send: (enabled: boolean) => Promise<Saved>;
  /** What changes at once. */
  patches: (enabled: boolean) => readonly Patch[];
  /** What is read again afterwards: the first parts of the keys. */
  renews: readonly QueryKey[];
  onDone?: (saved: Saved) => void;
  /** What the change does. */
  children: ReactNode;
}

/** Turns a definition on or off after a confirmation. */
export function SwitchButton<Saved>({ enabled, action, title, children, ...change }: SwitchButtonProps<Saved>) {
  const [asking, setAsking] = useState(false);
  const turn = useOptimistic({
    ...change,
    named: () => title,
    onShown: () => setAsking(false),
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)} disabled={turn.isPending}>
        {action}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={title}
        action={action}
        onConfirm={() => turn.mutate(!enabled)}
      >
        {children}
      </Confirm>
    </>
  );
}
