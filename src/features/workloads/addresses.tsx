import type { Workload } from '@/domain/inventory';
import { useT } from '@/lib/i18n/use-t';
import { Missing } from '@/ui/missing';

/** The first addresses of a guest, and how many more there are. */
export function Addresses({ workload }: { workload: Pick<Workload, 'primary_addresses' | 'addresses_total'> }) {
  const t = useT();
  const { primary_addresses, addresses_total } = workload;
  if (primary_addresses.length === 0) return <Missing label={t('No address known')} />;
  const more = addresses_total - primary_addresses.length;
  return (
    <span title={primary_addresses.join(', ')}>
      <span className="mono">{primary_addresses.join(', ')}</span>
      {more > 0 && <span className="text-faint"> +{more}</span>}
    </span>
  );
}
