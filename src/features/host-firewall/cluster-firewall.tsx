'use client';
import { useQuery } from '@tanstack/react-query';
import type { ClusterFirewall as Firewall } from '@/domain/host-firewall';
import { formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { NetworkLink, NodeLink } from '../shared/entity-links';
import { KnownFlag } from '../shared/inventory-states';
import { GroupSections, HostFirewallView, OptionSection } from './host-firewall-view';
import { HostRules } from './host-rules';

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
          <Nodes nodes={firewall.nodes} />
          <Vnets vnets={firewall.vnets} />
          <Objects firewall={firewall} />
        </>
      )}
    </HostFirewallView>
  );
}

function RuleCount({ total }: { total: number | null }) {
  const t = useT();
  if (total === null) return <Status tone="unknown">{t('Rules unknown')}</Status>;
  return <span className="text-muted">{t('{n, plural, one {# rule} other {# rules}}', { n: total })}</span>;
}

function Nodes({ nodes }: { nodes: Firewall['nodes'] }) {
  const t = useT();
  return (
    <Section title={t('Nodes ({n})', { n: formatCount(nodes.length) })}>
      {nodes.length === 0 ? (
        <p className="text-muted">{t('Nodes appear with the first successful sync of this cluster.')}</p>
      ) : (
        <ul aria-label={t('Node firewalls')} className="flex flex-col gap-1">
          {nodes.map((node) => (
            <li key={node.node_id} className="flex flex-wrap items-baseline gap-x-3">
              <NodeLink id={node.node_id} name={node.name} firewall />
              <KnownFlag value={node.firewall_enabled} />
              <span className="text-muted">{node.implementation ?? t('implementation unknown')}</span>
              <RuleCount total={node.rules_total} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Vnets({ vnets }: { vnets: Firewall['vnets'] }) {
  const t = useT();
  if (vnets.length === 0) return null;
  return (
    <Section title={t('VNets ({n})', { n: formatCount(vnets.length) })}>
      <ul aria-label={t('VNet firewalls')} className="flex flex-col gap-1">
        {vnets.map((vnet) => (
          <li key={vnet.network_id} className="flex flex-wrap items-baseline gap-x-3">
            <NetworkLink id={vnet.network_id} name={vnet.name} firewall />
            {vnet.running === false ? (
              <Status tone="off">{t('Not running')}</Status>
            ) : (
              <>
                <KnownFlag value={vnet.firewall_enabled} />
                <RuleCount total={vnet.rules_total} />
              </>
            )}
          </li>
        ))}
      </ul>
    </Section>
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
