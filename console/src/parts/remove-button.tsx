import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { ConfirmButton } from './confirm-button.tsx';
import { type Patch, useOptimistic } from './optimistic.ts';

interface RemoveButtonProps {
  /** What the button says, such as "Archive". */
  action: string;
  title: string;
  /** Address of the list, which is shown at once, without what was removed. */
  list: string;
  send: () => Promise<unknown>;
  /** The lists that lose it. */
  patches: readonly Patch[];
  renews: readonly (readonly string[])[];
  /** Whether it cannot be removed, as `children` say. */
  disabled?: boolean;
  children: ReactNode;
}

/** Archives or deletes a definition after a confirmation, and goes to its list. */
export function RemoveButton({ action, title, list, disabled = false, children, ...change }: RemoveButtonProps) {
  const [, navigate] = useLocation();
  const remove = useOptimistic({
    send: change.send,
    patches: () => change.patches,
    renews: change.renews,
    named: () => title,
    onShown: () => navigate(list),
  });
  return (
    <ConfirmButton
      action={action}
      title={title}
      isDangerous
      disabled={disabled}
      busy={remove.isPending}
      onConfirm={() => remove.mutate(undefined)}
    >
      {children}
    </ConfirmButton>
  );
}
