import { AppError } from '../../lib/errors';

/** @throws AppError `version_conflict` when a version is given and it is not the current one */
export function assertVersion(what: string, current: number, given: number | undefined): void {
  if (given === undefined || given === current) return;
  throw new AppError('version_conflict', `Somebody else changed the ${what} meanwhile. Look at it again, then save.`, {
    extra: { version: current, given_version: given },
  });
}

/** What the input changes: its fields that are given and differ. */
export function changedFields<T extends object>(row: T, input: Partial<T>): Partial<T> {
  const entries = Object.entries(input).filter(([name, value]) => {
    return value !== undefined && JSON.stringify(value) !== JSON.stringify(row[name as keyof T]);
  });
  return Object.fromEntries(entries) as Partial<T>;
}
