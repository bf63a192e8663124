import { Alert, Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { ApiError, call, type Scope } from '../frame/api.ts';
import { Confirm } from '../parts/editors/confirm.tsx';
import { Diff } from '../parts/drafts/diff.tsx';
import { type Warning, Warnings, type Written } from '../parts/drafts/saved.tsx';
import { Fault } from '../parts/states.tsx';
import { isAtLeast, roleIn, usePlace, useSession } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { type Flag, type Segment, segmentsOf } from '../definitions.ts';
import { EditEffect } from './edit-effect.tsx';
import { contentOf } from './edited-flag.ts';

const texts = TEXTS.flag;

/** What a promotion would do. */
interface Plan {
  /** The flag in live; undefined: it is created. */
  held: Flag | undefined;
  body: JsonObject;
  /** Keys of segments that live does not have. */
  missing: string[];
}

/** Copies a flag from test to live, after a look at the differences. Rules keep their segments by key. */
export function Promote({ flag }: { flag: Flag }) {
  const { scope } = usePlace();
  const { session } = useSession();
  const live: Scope = { game: scope.game, environment: 'live' };
  const plan = useMutation({ mutationFn: () => planOf(flag, scope, live) });
  const [done, setDone] = useState<Written | undefined>();
  const promote = useMutation({
    mutationFn: ({ held, body }: Plan) =>
      held === undefined
        ? call(live, 'POST /v1/flags/flags', { body: { ...body, key: flag.key, flag_type: flag.flag_type } })
        : call(live, 'PUT /v1/flags/flags/{key}', {
            path: { key: flag.key },
            headers: { 'If-Match': String(held.version) },
            body: { ...body, flag_type: flag.flag_type },
          }),
    onSuccess: (saved) => {
      setDone(saved);
      plan.reset();
    },
  });
  const mayPromote = session.kind === 'signed_in' && isAtLeast(roleIn(session.me, live), 'editor');
  if (!mayPromote) return null;
  const found = plan.data;
  return (
    <>
      {done === undefined ? null : <Promoted warnings={done.warnings ?? []} />}
      {plan.error === null ? null : <Fault error={plan.error} />}
      <Button variant="default" loading={plan.isPending} onClick={() => plan.mutate()}>
        {texts.promote}
      </Button>
      <Confirm
        opened={found !== undefined}
        onClose={() => {
          plan.reset();
          promote.reset();
        }}
        title={texts.promoteTitle(flag.key)}
        action={texts.promote}
        environment="live"
        size="xl"
        busy={promote.isPending}
        error={promote.error}
        disabled={(found?.missing.length ?? 0) > 0}
        onConfirm={() => {
          if (found !== undefined) promote.mutate(found);
        }}
      >
        {found === undefined ? null : (
          <>
            {found.held === undefined ? <Text>{texts.promoteNew}</Text> : null}
            {found.missing.length === 0 ? null : (
              <Alert color="red" variant="outline" title={texts.promoteMissing(found.missing.join(', '))} />
            )}
            <Diff before={found.held === undefined ? {} : contentOf(found.held)} after={found.body} />
            {found.held === undefined ? null : <EditEffect scope={live} flagKey={flag.key} body={found.body} />}
          </>
        )}
      </Confirm>
    </>
  );
}

/** That live has the flag now, and which of its names live does not know. */
function Promoted({ warnings: found }: { warnings: readonly Warning[] }) {
  if (found.length === 0) return <Text role="status">{texts.promoted}</Text>;
  return (
    <Alert color="yellow" variant="outline" role="status" title={texts.promotedWithWarnings}>
      <Warnings warnings={found} />
    </Alert>
  );
}

async function planOf(flag: Flag, test: Scope, live: Scope): Promise<Plan> {
  const [held, ofTest, ofLive] = await Promise.all([flagIn(live, flag.key), segmentsOf(test), segmentsOf(live)]);
  const missing: string[] = [];
  const rules = flag.targeting_rules.map((rule) => {
    if (rule.segment_id === null || rule.segment_id === undefined) return rule;
    const key = keyOf(ofTest, rule.segment_id);
    const same = ofLive.find((each) => each.key === key);
    if (same === undefined) missing.push(key);
    return { ...rule, segment_id: same?.segment_id ?? rule.segment_id };
  });
  return { held, body: contentOf({ ...flag, targeting_rules: rules }), missing };
}

function keyOf(segments: readonly Segment[], id: string): string {
  return segments.find(({ segment_id: each }) => each === id)?.key ?? id;
}

async function flagIn(scope: Scope, key: string): Promise<Flag | undefined> {
  try {
    return await call(scope, 'GET /v1/flags/flags/{key}', { path: { key } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
