'use client';
import { useQuery } from '@tanstack/react-query';
import type { ClusterFirewall as Firewall } from '@/domain/host-firewall';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { GroupSections, HostFirewallView, OptionSection } from './host-firewall-view';
import { HostRules } from './host-rules';
import { NodeFirewalls, VnetFirewalls } from './member-firewalls';

/** The firewall of a data center, read now: options and rules for its nodes, and what nodes and VNets add. */
export function ClusterFirewall({ clusterId }: { clusterId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.clusters.firewall.queryOptions({ id: clusterId }), staleTime: 5_000 });
  return (
    <HostFirewallView query={query} place={t('Datacenter › Firewall')}>
      {(firewall) => (
        <>
          <OptionSection firewall={firewall} />
          <Section
            title={t('Data center rules')}
            description={t("Filter traffic of the nodes, after each node's own rules. They never filter workloads.")}
            bare
          >
            <HostRules
              id="data-center-rules"
              label={t('Data center rules')}
              rules={firewall.rules}
              none={t("The data center's default policy applies.")}
            />
          </Section>
          <GroupSections groups={firewall.groups} />
          <NodeFirewalls nodes={firewall.nodes} />
          {firewall.vnets.length > 0 && <VnetFirewalls vnets={firewall.vnets} />}
          <Objects firewall={firewall} />
        </>
      )}
    </HostFirewallView>
  );
}

function Objects({ firewall: { sets, aliases } }: { firewall: Firewall }) {
  const t = useT();
  const unread = <Status tone="unknown">{t('Could not be read')}</Status>;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Section title={t('IP sets')}>
        {sets === null ? (
          unread
        ) : sets.length === 0 ? (
          <p className="text-muted">{t('None')}</p>
        ) : (
          <ul className="flex flex-col gap-1">
            {sets.map(({ name, entries }) => (
              <li key={name} className="[overflow-wrap:anywhere]">
                <span className="mono font-medium">+{name}</span>{' '}
                <span className="mono text-muted">
                  {entries.map(({ cidr, nomatch }) => (nomatch ? t('not {cidr}', { cidr }) : cidr)).join(', ') ||
                    t('empty')}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title={t('Aliases')}>
        {aliases === null ? (
          unread
        ) : aliases.length === 0 ? (
          <p className="text-muted">{t('None')}</p>
        ) : (
          <ul className="flex flex-col gap-1">
            {aliases.map(({ name, cidr }) => (
              <li key={name}>
                <span className="mono font-medium">{name}</span> <span className="mono text-muted">{cidr}</span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </div>
  );
}
