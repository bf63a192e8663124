import type { ImportSource } from '../../../src/cli/import/files/file-formats.ts';
import { amplitudeLine, firebaseLine, mixpanelLine } from './lines-of-apps.ts';
import { gameAnalyticsLine, posthogLine, segmentLine, unityLine } from './lines-of-games.ts';
import type { Play, ProductLine } from './made-play.ts';

export interface ProductWriter {
  /** The line of a play; `undefined`: the product has nothing for it. */
  lineOf: (play: Play) => ProductLine | undefined;
  /** Whether lines have ids, so that a repeated one counts once. */
  hasIds: boolean;
}

export type Product = Exclude<ImportSource, 'native'>;

/** Writers in the shapes that src/cli/import/products names with their sources. */
export const PRODUCT_WRITERS: Readonly<Record<Product, ProductWriter>> = {
  firebase: { lineOf: firebaseLine, hasIds: true },
  mixpanel: { lineOf: mixpanelLine, hasIds: true },
  unity: { lineOf: unityLine, hasIds: true },
  gameanalytics: { lineOf: gameAnalyticsLine, hasIds: false },
  posthog: { lineOf: posthogLine, hasIds: true },
  amplitude: { lineOf: amplitudeLine, hasIds: true },
  segment: { lineOf: segmentLine, hasIds: true },
};

export const isProduct = (name: string): name is Product => Object.hasOwn(PRODUCT_WRITERS, name);
