import { Alert, Text } from '@mantine/core';
import { TEXTS } from '../../texts.ts';
import { managedIn } from './labels.ts';

const texts = TEXTS.managed;

/** Says that files or another tool own a definition: what is changed here does not last. */
export function ManagedNotice({ of }: { of: object }) {
  const managed = managedIn(of);
  if (managed === undefined) return null;
  return (
    <Alert color="orange" variant="outline" title={texts.title(managed.by)}>
      <Text size="sm">{texts.help}</Text>
      {managed.isElsewhere ? (
        <Text size="sm" fw={600}>
          {texts.elsewhere}
        </Text>
      ) : null}
    </Alert>
  );
}
