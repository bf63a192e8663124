import { Loader, NativeSelect, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { parseJson } from '../../parts/json-text.ts';
import { usePlace } from '../../session.tsx';
import { TEXTS } from '../../texts.ts';
import type { PlayerFlag } from './player-flag.ts';

const texts = TEXTS.playerFlags;

interface OverrideDialogProps {
  flag: PlayerFlag;
  /** Whether the override is to be removed. */
  removes: boolean;
  playerId: string;
  onClose: () => void;
}

/** Sets or removes the override of one flag for one player. */
export function OverrideDialog({ flag, removes, playerId, onClose }: OverrideDialogProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const path = { key: flag.flag_key, player_id: playerId };
  const { game, environment } = scope;
  const definition = useQuery({
    queryKey: ['flag', game, environment, flag.flag_key],
    queryFn: ({ signal }) => call(scope, 'GET /v1/flags/flags/{key}', { path: { key: flag.flag_key }, signal }),
    enabled: !removes,
  });
  const variants = definition.data?.variants ?? [];
  const [chosen, setChosen] = useState('');
  const [text, setText] = useState(JSON.stringify(flag.override?.value ?? flag.now?.value ?? null));
  const parsed = parseJson(text);
  const hasVariants = variants.length > 0;
  const variant = chosen === '' ? variants[0]?.key : chosen;
  const change = useMutation({
    mutationFn: async () => {
      if (removes) await call(scope, 'DELETE /v1/flags/flags/{key}/overrides/{player_id}', { path });
      else {
        const body = hasVariants ? { variant_key: variant } : { value: parsed.kind === 'value' ? parsed.value : null };
        await call(scope, 'PUT /v1/flags/flags/{key}/overrides/{player_id}', { path, body });
      }
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['player-flags', game, environment, playerId] });
      onClose();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={removes ? texts.removeTitle(flag.flag_key) : texts.overrideTitle(flag.flag_key)}
      action={removes ? texts.removeOverride : texts.setOverride}
      onConfirm={() => change.mutate()}
      busy={change.isPending}
      error={change.error ?? definition.error}
      disabled={!removes && (definition.isPending || (!hasVariants && parsed.kind === 'fault'))}
    >
      <Text>{removes ? texts.removeHelp : texts.overrideHelp}</Text>
      {removes ? null : definition.isPending ? (
        <Loader size="sm" aria-label={TEXTS.loading} />
      ) : hasVariants ? (
        <NativeSelect
          label={texts.variant}
          data={variants.map(({ key }) => key)}
          value={variant ?? ''}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      ) : (
        <Textarea
          label={texts.value}
          value={text}
          error={parsed.kind === 'fault' ? texts.valueFault : undefined}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={2}
        />
      )}
    </Confirm>
  );
}
