import { logger } from '../lib/logger';

/** Codes of a broken connection or a server shutdown: from the socket, from postgres.js, from PostgreSQL. */
const LOST = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', '57P01', '57P02', '57P03'],
]);

/** Whether an error only says that the connection to a store is gone. */
export const isLostConnection = (reason: unknown): boolean =>
  reason instanceof Error && LOST.has(String((reason as { code?: unknown }).code));

/** Ends the process as Node would without a listener; others that listen have their own idea. */
export function onUnhandled(reason: unknown, listeners: number): void {
  if (isLostConnection(reason)) {
    logger.warn({ err: reason }, 'an idle connection was lost');
    return;
  }
  if (listeners <= 1) throw reason;
}

let listens = false;

/**
 * A connection that breaks while postgres.js asks for the types of a new one rejects a promise that no code can
 * handle, which would end the process. The query that needed the connection fails or is retried on its own.
 */
export function tolerateLostConnections(): void {
  if (listens) return;
  listens = true;
  process.on('unhandledRejection', (reason) => onUnhandled(reason, process.listenerCount('unhandledRejection')));
}
