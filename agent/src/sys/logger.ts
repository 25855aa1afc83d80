import process from 'node:process';

/** Prefixes that journald reads as priority (sd-daemon). */
const PRIORITY = { debug: '<7>', info: '<6>', warning: '<4>', error: '<3>' } as const;

/** Writes one line per message to standard error, where the service manager collects it. */
export type Logger = Record<keyof typeof PRIORITY, (message: string) => void>;

/** @param isManaged whether journald reads the output; priorities are noise on a terminal */
export function createLogger(level: 'info' | 'debug', isManaged: boolean): Logger {
  const write = (priority: keyof typeof PRIORITY) => (message: string) => {
    if (priority === 'debug' && level !== 'debug') return;
    process.stderr.write(`${isManaged ? PRIORITY[priority] : ''}${message.replaceAll('\n', ' ')}\n`);
  };
  return { debug: write('debug'), info: write('info'), warning: write('warning'), error: write('error') };
}
