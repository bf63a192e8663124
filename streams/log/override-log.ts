import type { Log } from './log.ts';

/** The log with some of its calls replaced; all others go to `log`. */
export function overrideLog(log: Log, replaced: Partial<Omit<Log, 'connected'>>): Log {
  return {
    append: (...append) => log.append(...append),
    read: (...query) => log.read(...query),
    last: (...query) => log.last(...query),
    next: (...query) => log.next(...query),
    info: (...query) => log.info(...query),
    countSubjects: (...query) => log.countSubjects(...query),
    countBySubject: (...query) => log.countBySubject(...query),
    purgeBelow: (...purge) => log.purgeBelow(...purge),
    work: (...work) => log.work(...work),
    bucket: (name) => log.bucket(name),
    publish: (...message) => log.publish(...message),
    subscribe: (...terms) => log.subscribe(...terms),
    get connected() {
      return log.connected;
    },
    close: () => log.close(),
    ...replaced,
  };
}
