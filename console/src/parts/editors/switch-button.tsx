import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConfirmButton } from './confirm-button.tsx';
import { type Patch, useOptimistic } from '../optimistic.ts';

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
  const turn = useOptimistic({ ...change, named: () => title });
  return (
    <ConfirmButton
      action={action}
      title={title}
      isResting={turn.isPending}
      onConfirm={(close) => {
        turn.mutate(!enabled);
        close();
      }}
    >
      {children}
    </ConfirmButton>
  );
}
