import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { Confirm } from './confirm.tsx';
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
export function RemoveButton({
  action,
  title,
  list,
  send,
  patches,
  renews,
  disabled = false,
  children,
}: RemoveButtonProps) {
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const remove = useOptimistic({
    send,
    patches: () => patches,
    renews,
    named: () => title,
    onShown: () => navigate(list),
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {action}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={title}
        action={action}
        isDangerous
        disabled={disabled}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        {children}
      </Confirm>
    </>
  );
}
