import { AppError, type FieldError } from './errors';

/** What may have become of something whose id names nothing; of everything else, that it was deleted. */
const FATES: Readonly<Record<string, string>> = {
  'API token': 'It may already have been revoked.',
  delivery: 'It may have expired.',
  deployment: 'It may have been deleted with its cluster.',
  node: 'It may have been removed from its cluster.',
  session: 'It may have ended already.',
  'sync run': 'It may have been deleted with its cluster.',
  user: 'The account may have been deleted.',
  workload: 'It may have been removed by a sync.',
};

/** The answer to an id that does not exist or is not visible to the caller. */
export const notFound = (what: string, errors?: FieldError[]) =>
  new AppError('not_found', `The ${what} was not found. ${FATES[what] ?? 'It may have been deleted.'}`, {
    ...(errors && { errors }),
  });

/** The answer to a name that another one of its kind has. */
export const nameTaken = (what: string, name: string) =>
  new AppError('conflict', `A ${what} named ${name} already exists.`, {
    errors: [{ field: 'name', message: 'Choose another name.' }],
  });

/** The answer to a value that is valid by itself but not here. */
export const refuseField = (field: string, message: string) =>
  new AppError('refused', message, { errors: [{ field, message }] });

/**
 * Refuses a change that was made from an older version than the stored one. `extra`: what is stored now, for comparison.
 * @throws AppError `version_conflict` with both versions
 */
export function assertVersion(what: string, stored: number, given: number | undefined, extra: object = {}): void {
  if (given === undefined || given === stored) return;
  throw new AppError('version_conflict', `The ${what} was changed by someone else. Reload it, then save again.`, {
    extra: { version: stored, given_version: given, ...extra },
  });
}

/** What a change changes: its fields that are given and differ from what is stored. */
export function changedFields<T extends object, C extends Partial<T>>(stored: T, given: C): Partial<C> {
  const differs = ([name, value]: [string, unknown]) =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(stored[name as keyof T]);
  return Object.fromEntries(Object.entries(given).filter(differs)) as Partial<C>;
}
