import { Alert, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { TEXTS } from '../../texts.ts';

/** Says that a screen has changes that are not saved. @param children the button that saves them */
export function DraftBar({ onDiscard, children }: { onDiscard: () => void; children: ReactNode }) {
  return (
    <Alert className="draft-bar" color="yellow" variant="outline" title={TEXTS.draft.title} role="status">
      <Group>
        {children}
        <Button variant="default" size="xs" onClick={onDiscard}>
          {TEXTS.draft.discard}
        </Button>
      </Group>
    </Alert>
  );
}
