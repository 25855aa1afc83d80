import { useT } from '@/lib/i18n/use-t';
import { Status } from '@/ui/status';

/** What a silent agent said last: it is unknown whether that still holds. */
export function LastKnown({ state }: { state: string }) {
  const t = useT();
  return <Status tone="unknown">{t('Unknown, last: {state}', { state })}</Status>;
}
