import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ClusterFirewall } from '@/domain/host-firewall';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Section } from '@/ui/section';
import { RelativeTime } from '@/ui/values';
import { KnownFlag } from '../shared/inventory-states';
import { QueryView } from '../shared/query-view';
import { UnreadableNotice } from '../shared/unreadable-notice';
import { FirewallLoading } from './firewall-loading';
import { HostOptions } from './host-options';
import { HostRules } from './host-rules';

type Firewall = Pick<
  ClusterFirewall,
  'read_at' | 'cluster_firewall_enabled' | 'options' | 'rules' | 'groups' | 'unreadable'
>;

type Props<T> = {
  query: { data: T | undefined; error: unknown; isFetching: boolean; refetch: () => unknown };
  /** Where in Proxmox VE this is changed. */
  place: string;
  children: (firewall: T) => ReactNode;
};

/** What the pages of a data center, node and VNet have in common: when it was read, what could not be, and where to change it. */
export function HostFirewallView<T extends Firewall>({ query, place, children }: Props<T>) {
  const t = useT();
  return (
    <QueryView query={query} skeleton={<FirewallLoading />}>
      {(firewall) => (
        <>
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="text-muted">
              {t.rich('Last read from the cluster {at}.', { at: <RelativeTime at={firewall.read_at} /> })}{' '}
              {t('Read-only. Change the firewall in Proxmox VE under {place}.', { place })}
            </p>
            <Button
              size="sm"
              icon={<RefreshCw size={14} />}
              onClick={() => void query.refetch()}
              pending={query.isFetching}
            >
              {t('Read again')}
            </Button>
          </div>
          <UnreadableNotice notes={firewall.unreadable} />
          {children(firewall)}
        </>
      )}
    </QueryView>
  );
}

/** The switch of the cluster and the options of one place. */
export function OptionSection({
  firewall,
  children,
}: {
  firewall: Pick<Firewall, 'cluster_firewall_enabled' | 'options'>;
  children?: ReactNode;
}) {
  const t = useT();
  return (
    <Section title={t('Options')}>
      <div className="flex flex-col gap-3">
        <ul className="flex flex-wrap gap-x-6 gap-y-1">
          <li className="flex items-baseline gap-2">
            {t('Cluster firewall')} <KnownFlag value={firewall.cluster_firewall_enabled} noTone="danger" />
          </li>
          {children}
        </ul>
        <HostOptions options={firewall.options} />
      </div>
    </Section>
  );
}

/** The security groups that rules refer to. */
export function GroupSections({ groups }: { groups: Firewall['groups'] }) {
  const t = useT();
  return groups?.map(({ name, rules }) => (
    <Section
      key={name}
      title={t('PVE security group {name}', { name })}
      description={t('Evaluated where a rule refers to this PVE security group.')}
      bare
    >
      <HostRules
        id="host-group-rules"
        label={t('Rules of PVE security group {name}', { name })}
        rules={rules}
        none={t('This PVE security group has no rules.')}
      />
    </Section>
  ));
}
