import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Dialog } from '../../parts/editors/dialog.tsx';
import { Copy, Time } from '../../parts/lists/values.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.webhook.secret;

export interface ShownSecret {
  secret: string;
  /** Until when the previous one signs too. */
  until: string | null;
}

/** Shows a secret once. It is in no cache, and gone once the dialog is closed. */
export function SecretDialog({ shown, onClose }: { shown: ShownSecret | undefined; onClose: () => void }) {
  return (
    <Dialog opened={shown !== undefined} onClose={onClose} title={texts.title} onlyByButton>
      {shown === undefined ? null : (
        <Stack>
          <Alert color="yellow" variant="outline">
            {texts.help}
          </Alert>
          <Text className="mono" fw={600}>
            {shown.secret}
          </Text>
          {shown.until === null ? null : (
            <Text size="sm">
              {texts.until} <Time at={shown.until} />
            </Text>
          )}
          <Group justify="space-between">
            <Copy text={shown.secret} />
            <Button onClick={onClose}>{texts.close}</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
