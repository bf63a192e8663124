import { useQueryClient } from '@tanstack/react-query';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { call } from '../frame/api.ts';
import type { Draft } from '../parts/drafts/draft.ts';
import { SaveDraft } from '../parts/drafts/save-draft.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { type Flag, flagQuery } from '../definitions.ts';
import { contentOf, type EditedFlag, editedOf, rulesOf } from './edited-flag.ts';
import { EditEffect } from './edit-effect.tsx';
import { RuleCounts } from './rule-counts.tsx';

const texts = TEXTS.flag;

interface SaveFlagProps {
  draft: Draft<Flag, EditedFlag>;
  /** The fields to save; undefined: some are not valid yet. */
  body: JsonObject | undefined;
  setDraft: (draft: Draft<Flag, EditedFlag> | undefined) => void;
}

export function SaveFlag({ draft: { base }, body, setDraft }: SaveFlagProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const path = { key: base.key };
  const place = flagQuery(scope, base.key);
  return (
    <SaveDraft
      base={base}
      body={body}
      notReady={texts.notReady}
      contentOf={contentOf}
      title={texts.saveTitle(base.key)}
      send={(fields) =>
        call(scope, 'PUT /v1/flags/flags/{key}', {
          path,
          headers: { 'If-Match': String(base.version) },
          body: { ...fields, flag_type: base.flag_type },
        })
      }
      read={() => call(scope, 'GET /v1/flags/flags/{key}', { path })}
      placeOf={() => place}
      onSaved={(saved) => {
        queries.setQueryData(place, saved);
        setDraft(undefined);
        return queries.invalidateQueries({ queryKey: ['all flags'] });
      }}
      onMerge={(theirs, merged) => {
        queries.setQueryData(place, theirs);
        setDraft({ base: theirs, edited: editedOf({ ...theirs, ...merged }) });
      }}
    >
      {body === undefined ? null : (
        <>
          <RuleCounts rules={rulesOf(body)} enabled={body['enabled'] === true} />
          <EditEffect scope={scope} flagKey={base.key} body={body} />
        </>
      )}
    </SaveDraft>
  );
}
