import { stripControls } from './strip-controls';

/** Enough for every message of the hypervisor that helps, and bounded for the database. */
const MAX_LENGTH = 500;

/**
 * The server's own words in one bounded line, fit to be stored and shown. `secret` is removed should a proxy or a
 * debug message repeat it.
 */
export function providerText(text: string, secret?: string): string {
  const line = stripControls(text.slice(0, 4 * MAX_LENGTH));
  const safe = secret ? line.replaceAll(secret, '…') : line;
  return safe.length > MAX_LENGTH ? `${safe.slice(0, MAX_LENGTH - 1)}…` : safe;
}
