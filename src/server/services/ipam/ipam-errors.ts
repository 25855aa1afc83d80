import { AppError } from '../../lib/errors';

const absent = (what: string) => () => new AppError('not_found', `There is no such ${what}. It may have been deleted.`);

/** The answers to ids that name nothing, or nothing within reach. */
export const noSuch = {
  network: absent('network'),
  subnet: absent('subnet'),
  address: absent('address'),
  range: absent('range'),
  conflict: absent('conflict'),
  import: absent('import'),
};

/** The answer to a value that is valid by itself but not here. */
export function refuseField(field: string, message: string): AppError {
  return new AppError('refused', message, { errors: [{ field, message }] });
}

/**
 * Refuses a change that was made from an older version than the stored one.
 * @throws AppError `version_conflict` with both versions
 */
export function assertVersion(what: string, stored: number, given: number | undefined): void {
  if (given === undefined || given === stored) return;
  throw new AppError('version_conflict', `Somebody else changed the ${what} meanwhile. Look at it again, then save.`, {
    extra: { version: stored, given_version: given },
  });
}
