import { expect, it } from 'vitest';
import { withoutTexts } from './statement-shown.ts';

it.each([
  ['SELECT count() FROM events', 'SELECT count() FROM events'],
  ["SELECT 1 WHERE external_id = 'leo' AND x = 5", "SELECT 1 WHERE external_id = '…' AND x = 5"],
  [
    "SELECT 1 WHERE player_id = '3f0f5a3e-8d7b-5c39-9a43-000000000000'",
    "SELECT 1 WHERE player_id = '3f0f5a3e-8d7b-5c39-9a43-000000000000'",
  ],
  ["SELECT 'it''s', 'a\\'b', 'open", "SELECT '…''…', '…', '…'"],
  ['SELECT 1 -- leo@example.com', 'SELECT 1 …'],
  ['SELECT $$leo$$, 1', 'SELECT …'],
])('shows %s as %s', (statement, shown) => {
  expect(withoutTexts(statement)).toBe(shown);
});
