import { ProviderError } from '../../errors';
import type { PreflightCheck, PreflightStatus } from '../../types';

export const ok = (name: string, detail: string): PreflightCheck => ({ name, status: 'ok', detail, remedy: null });

export const line = (
  name: string,
  status: Exclude<PreflightStatus, 'ok'>,
  detail: string,
  remedy: string | null,
): PreflightCheck => ({
  name,
  status,
  detail,
  remedy,
});

/** A check that could not be made, because of an error that has its own remedy. */
export const fromError = (name: string, status: 'failed' | 'unknown', error: unknown): PreflightCheck =>
  error instanceof ProviderError
    ? line(name, status, error.message, error.remedy)
    : line(name, 'unknown', 'The check failed', 'See the log of this service.');
