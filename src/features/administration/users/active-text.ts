import type { Translate } from '@/lib/i18n/translator';

/** Whether an account is open, in a word. One message: an active address is another word than an active user elsewhere. */
export const activeText = (t: Translate, active: boolean): string =>
  t('{active, select, true {Active} other {Deactivated}}', { active });
