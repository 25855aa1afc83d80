import { pino } from 'pino';
import { env } from './env';
import { lazy } from './lazy';

/** The process's log: one JSON object a line on stdout; secrets under their usual names are removed. */
export const logger = lazy(() =>
  pino({
    level: env().LOG_LEVEL,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        'authorization',
        'password',
        'token',
        'api_token',
        '*.authorization',
        '*.password',
        '*.token',
        '*.api_token',
        '*.cookie',
      ],
      censor: '[redacted]',
    },
  }),
);
