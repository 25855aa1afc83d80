import { msg } from '@/lib/i18n/translator';

/** How many rules become what by an apply. */
export const CHANGE_COUNTS = {
  added: msg('{n, number} added'),
  removed: msg('{n, number} removed'),
  moved: msg('{n, number} moved'),
  kept: msg('{n, number} kept'),
} as const;
