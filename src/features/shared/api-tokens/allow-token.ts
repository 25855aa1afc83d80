import type { Translate } from '@/lib/i18n/translator';
import { failureOf } from '@/lib/problem';
import { showToast } from '@/ui/toast';

/** What happens when a suspended token acts again. */
export const tokenAllowed = (t: Translate, refresh: () => void) => () => {
  refresh();
  showToast('ok', { title: t('Token allowed again') });
};

export const tokenNotAllowed = (t: Translate) => (error: unknown) => {
  const failure = failureOf(error);
  showToast('danger', { title: t('Token not allowed'), description: failure.detail ?? failure.title });
};
