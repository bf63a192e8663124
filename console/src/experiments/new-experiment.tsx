import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useFlags } from '../definitions.ts';
import { call } from '../frame/api.ts';
import { usePlace } from '../frame/session.tsx';
import { Dialog } from '../parts/editors/dialog.tsx';
import { Fault } from '../parts/states.tsx';
import { TEXTS } from '../texts.ts';
import { sharesText, variantsOf } from './experiment-document.ts';

const texts = TEXTS.experiments;

/** Creates a draft on a flag, with the variants and weights of the flag, and opens it. */
export function NewExperiment({ flagKey, onClose }: { flagKey: string; onClose: () => void }) {
  const { scope } = usePlace();
  const [, navigate] = useLocation();
  const [key, setKey] = useState('');
  const [chosen, setChosen] = useState(flagKey);
  const { data: flags = [] } = useFlags();
  const flag = flags.find((each) => each.key === chosen);
  const variants = flag === undefined ? [] : variantsOf(flag);
  const create = useMutation({
    mutationFn: () =>
      call(scope, 'POST /v1/experiments/experiments', { body: { key: key.trim(), flag_key: chosen, variants } }),
    onSuccess: (made) =>
      navigate(`/${scope.game}/${scope.environment}/experiments/${encodeURIComponent(made.key)}?tab=definition`),
  });
  return (
    <Dialog opened onClose={onClose} title={texts.newTitle}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Stack>
          <Text size="sm">{texts.newHelp}</Text>
          <TextInput
            label={texts.key}
            description={texts.keyHelp}
            value={key}
            data-autofocus
            onChange={(event) => setKey(event.currentTarget.value)}
          />
          <NativeSelect
            label={texts.flag}
            description={texts.flagHelp}
            value={chosen}
            data={[{ value: '', label: texts.chooseFlag }, ...flags.map((each) => each.key)]}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
          {flag === undefined ? null : variants.length < 2 ? (
            <Alert color="orange" variant="outline" title={texts.noVariants} />
          ) : (
            <Text size="sm">{sharesText(variants)}</Text>
          )}
          {create.error === null ? null : <Fault error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {TEXTS.cancel}
            </Button>
            <Button type="submit" loading={create.isPending} disabled={key.trim() === '' || variants.length < 2}>
              {TEXTS.create}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
