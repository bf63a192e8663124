import { percent } from '../parts/charts/units.ts';
import { Empty } from '../parts/states.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.analytics;

/** What a result without rows shows. */
export const NoRows = () => <Empty title={texts.empty}>{texts.emptyHelp}</Empty>;

/** A share in percent; a dash: it is unknown. */
export const shareText = (share: number | null): string => (share === null ? '–' : percent(share));
