import type { HostFirewallOption } from '@/domain/host-firewall';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Status } from '@/ui/status';

function valueText(t: Translate, value: HostFirewallOption['value']): string {
  if (typeof value === 'boolean') return value ? t('On') : t('Off');
  return value === '' ? t('None') : String(value);
}

/** All options with what holds for each: stored, default or unknown. */
export function HostOptions({ options }: { options: readonly HostFirewallOption[] }) {
  const t = useT();
  return (
    <dl aria-label={t('Options')} className="grid gap-x-8 gap-y-1 sm:grid-cols-2">
      {options.map(({ name, value, origin }) => (
        <div key={name} className="flex flex-wrap items-baseline gap-x-2">
          <dt className="mono text-muted">{name}</dt>
          <dd className="[overflow-wrap:anywhere]">
            {origin === 'unknown' ? (
              <Status tone="unknown">{t('Unknown')}</Status>
            ) : (
              <>
                <span className={origin === 'stored' ? 'font-semibold' : ''}>{valueText(t, value)}</span>
                {origin === 'default' && <span className="text-faint"> {t('(default)')}</span>}
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
