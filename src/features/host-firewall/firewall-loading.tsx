import { useT } from '@/lib/i18n/use-t';
import { Skeleton } from '@/ui/loading';

/** Placeholder of a firewall while it is read. */
export function FirewallLoading() {
  const t = useT();
  return (
    <div aria-busy="true" className="flex flex-col gap-3">
      <p className="text-muted">{t('Reading firewall…')}</p>
      <Skeleton className="h-56 w-full" />
    </div>
  );
}
