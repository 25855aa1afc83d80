import { pino } from 'pino';
import { env } from './env';
import { loggableError } from './loggable-error';
import { lazy } from './process-state';
import { redact } from './redact';

/** How every log line of the program is made; tests write to a stream of their own with it. */
export const LOGGER_OPTIONS = {
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: {
    level: (label: string) => ({ level: label }),
    log: (fields: Record<string, unknown>) => redact(fields),
  },
  // The bindings of child loggers do not pass the formatter above; these names are taken out of them.
  redact: {
    paths: ['authorization', 'cookie', 'password', 'token', 'access_token', 'refresh_token', 'api_token'],
    censor: '[redacted]',
  },
  serializers: { err: loggableError },
};

/**
 * The process's log: one JSON object a line on stdout. Secrets are removed by name at any depth; errors are shown with
 * their causes under `err`, without the parameters of queries.
 */
export const logger = lazy(() => pino({ level: env().LOG_LEVEL, ...LOGGER_OPTIONS }));
