import type { Assignment, AssignmentInput } from '@/domain/user';
import { toTimestamp } from '@/lib/time/calendar';
import { parsePlace, placeValue } from '../use-choices';

/** One role of a user in a form. */
export type AssignmentValues = {
  role_id: string | null;
  /** Where, see `placeValue`; null: nothing chosen yet. */
  tenant_id: string | null;
  /** `YYYY-MM-DD`, the last day; empty: permanently. */
  until: string;
  /** The stored time, kept exactly while the day stays. */
  expires_at: string | null;
};

export const NEW_ASSIGNMENT: AssignmentValues = { role_id: null, tenant_id: null, until: '', expires_at: null };

const padTwo = (number: number) => String(number).padStart(2, '0');

/** The day of a time where the reader is. */
export function toLocalDay(time: string | null): string {
  if (time === null) return '';
  const at = new Date(time);
  return `${at.getFullYear()}-${padTwo(at.getMonth() + 1)}-${padTwo(at.getDate())}`;
}

/** The end of a day where the reader is, as a time; null for no day, and text that is no day as it is. */
function endOfDay(day: string): string | null {
  if (day === '') return null;
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (!match) return day;
  const [year = 0, month = 0, last = 0] = match.slice(1).map(Number);
  return new Date(toTimestamp({ year, month, day: last + 1 }, 0, 'local')).toISOString();
}

export const toAssignmentValues = ({ role_id, expires_at, ...place }: Assignment): AssignmentValues => ({
  role_id,
  tenant_id: placeValue(place),
  until: toLocalDay(expires_at),
  expires_at,
});

export const toAssignment = (values: AssignmentValues): AssignmentInput => ({
  role_id: values.role_id ?? '',
  ...parsePlace(values.tenant_id),
  expires_at:
    values.expires_at !== null && toLocalDay(values.expires_at) === values.until
      ? values.expires_at
      : endOfDay(values.until),
});
