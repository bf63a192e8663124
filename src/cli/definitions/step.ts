import type { Answered } from './service.ts';

/** `adopt`: as the file says, but not managed yet. `gone`: managed, without a file. */
type Action = 'create' | 'change' | 'adopt' | 'delete' | 'gone' | 'same';

export interface Step {
  label: string;
  action: Action;
  /** What differs, in words. */
  difference: string[];
  /** What people should know, such as a change that was made elsewhere. */
  notes: string[];
  /** Absent: there is nothing to do. */
  perform?: () => Promise<Answered>;
}
