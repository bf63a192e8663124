import { describe, expectTypeOf, it } from 'vitest';
import { createGame } from '../src/game.ts';
import type { Game } from '../src/schema/game-types.ts';
import type { Operations } from '../src/generated/operations.ts';

interface Arena {
  events: {
    match_end: { result: 'WIN' | 'LOSS'; seconds: number };
    tutorial_done: { skipped?: boolean };
  };
  flags: { new_shop: 'old' | 'new'; double_xp: boolean; bonus: 0 | 100; layout: { readonly rows: number } };
}

/** Only checked by the compiler, never called. */
function typed(game: Game<Arena>, untyped: Game): void {
  game.track('match_end', { result: 'WIN', seconds: 60 });
  game.track('tutorial_done');
  // @ts-expect-error an event that the schema does not have
  game.track('match_start');
  // @ts-expect-error properties are missing
  game.track('match_end');
  // @ts-expect-error a value that the schema does not have
  game.track('match_end', { result: 'DRAW', seconds: 60 });
  // @ts-expect-error a flag that the schema does not have
  game.flag('other', 'x');
  // @ts-expect-error a fallback of another type
  game.flag('double_xp', 'x');
  expectTypeOf(game.flag('new_shop', 'old')).toEqualTypeOf<'old' | 'new'>();
  expectTypeOf(game.flag('double_xp', false)).toEqualTypeOf<boolean>();
  expectTypeOf(game.flag('bonus', 0)).toEqualTypeOf<0 | 100>();
  expectTypeOf(game.flag('layout', { rows: 1 })).toEqualTypeOf<{ readonly rows: number }>();
  expectTypeOf(game.flag('layout', null)).toEqualTypeOf<{ readonly rows: number } | null>();
  expectTypeOf(untyped.flag('any', 'x')).toEqualTypeOf<string>();
  expectTypeOf(untyped.flag('any', 1)).toEqualTypeOf<number>();
  expectTypeOf(untyped.flag('any', { rows: 1 })).toEqualTypeOf<{ rows: number }>();
  expectTypeOf(untyped.flag('any', true)).toEqualTypeOf<boolean>();
  untyped.track('any', { any: 1 });
  game.onFlagChange((key) => expectTypeOf(key).toEqualTypeOf<'new_shop' | 'double_xp' | 'bonus' | 'layout'>());
}

describe('types', () => {
  it('hold events and flags to the schema', () => {
    expectTypeOf(typed).parameter(0).toEqualTypeOf<Game<Arena>>();
    expectTypeOf(createGame<Arena>).returns.toEqualTypeOf<Game<Arena>>();
  });

  it('describe the bodies and answers of every endpoint', () => {
    expectTypeOf<Operations['POST /v1/bff/game/sync']['body']['session_id']>().toEqualTypeOf<string>();
    expectTypeOf<Operations['POST /v1/bff/game/init']['answer']['segments']>().toEqualTypeOf<readonly string[]>();
  });
});
