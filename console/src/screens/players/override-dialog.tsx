import { Loader, NativeSelect, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, call } from '../../frame/api.ts';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { parseJson } from '../../parts/editors/json-text.ts';
import { patch, useOptimistic } from '../../parts/optimistic.ts';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import type { PlayerFlag } from './player-flag.ts';

const texts = TEXTS.playerFlags;

type PlayerFlags = AnswerOf<'GET /v1/players/players/{id}/flags'>;

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
  const title = removes ? texts.removeTitle(flag.flag_key) : texts.overrideTitle(flag.flag_key);
  const own = parsed.kind === 'value' ? parsed.value : null;
  const queryKey = ['player-flags', game, environment, playerId];
  const change = useOptimistic({
    send: async () => {
      if (removes) await call(scope, 'DELETE /v1/flags/flags/{key}/overrides/{player_id}', { path });
      else {
        const body = hasVariants ? { variant_key: variant } : { value: own };
        await call(scope, 'PUT /v1/flags/flags/{key}/overrides/{player_id}', { path, body });
      }
    },
    patches: () => {
      const value = hasVariants ? variants.find(({ key }) => key === variant)?.value : own;
      const override = removes ? null : { value };
      return [
        patch<PlayerFlags>(queryKey, ({ flags, ...rest }) => ({
          ...rest,
          flags: flags.map((each) => (each.flag_key === flag.flag_key ? { ...each, override } : each)),
        })),
      ];
    },
    renews: [queryKey],
    named: () => title,
    onShown: onClose,
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={title}
      action={removes ? texts.removeOverride : texts.setOverride}
      onConfirm={() => change.mutate(undefined)}
      busy={change.isPending}
      error={definition.error}
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
