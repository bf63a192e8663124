import { describe, expect, it } from 'vitest';
import { rowsUnder } from '../../test/support/documentation.ts';
import { documentedSettings } from './documented-settings.ts';

describe('docs/sql.md', () => {
  it('lists the settings that readers may send as the gate has them', () => {
    const rows = rowsUnder('docs/sql.md', 'Settings that readers may send');
    expect(rows.slice(0, documentedSettings().length)).toEqual(documentedSettings());
  });
});
