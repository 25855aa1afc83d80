import type { MaintenanceWindow } from '@/domain/change/maintenance';
import type { APPROVAL_SCOPES, ON_EXPIRY, WEEKDAYS } from '@/domain/choices';
import { msg, type Translate } from '@/lib/i18n/translator';

export const SCOPE_LABELS: Record<(typeof APPROVAL_SCOPES)[number], string> = {
  enforcing: msg('Enforcing changes only'),
  all: msg('All changes'),
};

export const ON_EXPIRY_LABELS: Record<(typeof ON_EXPIRY)[number], string> = {
  report: msg('Report only'),
  remove: msg('Remove by a change'),
};

export const DAY_LABELS: Record<(typeof WEEKDAYS)[number], string> = {
  mon: msg('Mon'),
  tue: msg('Tue'),
  wed: msg('Wed'),
  thu: msg('Thu'),
  fri: msg('Fri'),
  sat: msg('Sat'),
  sun: msg('Sun'),
};

/** A maintenance window in one line. */
export const formatWindow = (t: Translate, { days, from, minutes, time_zone: zone }: MaintenanceWindow): string =>
  t('{days} {from}, {minutes, plural, one {# minute} other {# minutes}}, {zone}', {
    days: days.map((day) => t(DAY_LABELS[day])).join(', '),
    from,
    minutes,
    zone,
  });
