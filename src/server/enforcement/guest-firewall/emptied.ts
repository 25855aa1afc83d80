import type { LiveRule } from '@/domain/firewall/live-state';
import { parseMarker } from '@/domain/policy/marker';
import type { GuestFilter } from '@/domain/policy/plan/guest-filter';

/** Longer than the replacing of a file takes. */
const REPLACED_MS = 500;

/** Parts of a guest's firewall that have content. */
export type Content = { readonly rules: boolean; readonly options: boolean; readonly sets: boolean };

/** Parts that were read; null: unreadable. */
type Parts = { readonly [part in 'rules' | 'options' | 'ipsets']: object | null };

const isEmpty = (part: object | null) => part !== null && Object.keys(part).length === 0;

/** Whether a part reads as empty that had content. */
export const isEmptied = (known: Content | undefined, { rules, options, ipsets }: Parts): boolean =>
  known !== undefined &&
  ((known.rules && isEmpty(rules)) || (known.options && isEmpty(options)) || (known.sets && isEmpty(ipsets)));

/** Comments of the managed rules. */
export const listManagedComments = ({ rules }: { readonly rules: readonly LiveRule[] }): string[] =>
  rules.flatMap(({ comment }) => (comment !== undefined && parseMarker(comment) ? comment : []));

/** Whether a managed rule, a set or an option that was expected was not read. */
export function isMissing(expected: GuestFilter, now: GuestFilter): boolean {
  const comments = new Set(listManagedComments(now));
  return (
    listManagedComments(expected).some((comment) => !comments.has(comment)) ||
    Object.keys(expected.sets).some((name) => now.sets[name] === undefined) ||
    Object.entries(expected.options).some(([name, value]) => value !== undefined && !(name in now.options))
  );
}

/**
 * The file of a guest can read as empty for a moment while it is being replaced, so what is missing in one read counts as gone
 * only when a later one has the same result.
 */
export async function readConfirmed<T>(
  read: () => Promise<T>,
  isDoubtful: (result: T) => boolean,
  pause: (ms: number) => Promise<void>,
): Promise<T> {
  const result = await read();
  if (!isDoubtful(result)) return result;
  await pause(REPLACED_MS);
  return read();
}
