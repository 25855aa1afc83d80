'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { GroupSections, HostFirewallView, OptionSection } from './host-firewall-view';
import { NodePacketForm } from './host-packet-test';
import { HostRules } from './host-rules';

/** The firewall of a node, read now: what filters its own traffic, and a packet to try. */
export function NodeFirewall({ nodeId }: { nodeId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const query = useQuery({ ...trpc.nodes.firewall.queryOptions({ id: nodeId }), staleTime: 5_000 });
  return (
    <HostFirewallView query={query} place={t('{node} › Firewall', { node: query.data?.node_name ?? '' })}>
      {(firewall) => (
        <>
          <OptionSection firewall={firewall}>
            <li className="flex items-baseline gap-2">
              {t('Implementation')} {firewall.implementation ?? <Status tone="unknown">{t('Unknown')}</Status>}
            </li>
          </OptionSection>
          <Section
            title={t('Node rules')}
            description={t('Filter traffic to and from the node itself. Evaluated first.')}
            bare
          >
            <HostRules
              id="node-rules"
              label={t('Node rules')}
              rules={firewall.rules}
              none={t('The data center rules apply.')}
            />
          </Section>
          <Section
            title={t('Data center rules')}
            description={t("Evaluated after the node's rules, on all nodes alike.")}
            bare
          >
            <HostRules
              id="data-center-rules"
              label={t('Data center rules')}
              rules={firewall.data_center_rules}
              none={t("The data center's default policy applies.")}
            />
          </Section>
          <GroupSections groups={firewall.groups} />
          <Section title={t('Test packet')} description={t('Evaluated against the live rules. Nothing is sent.')}>
            <NodePacketForm ask={(packet) => client.nodes.testPacket.query({ id: nodeId, ...packet })} />
          </Section>
        </>
      )}
    </HostFirewallView>
  );
}
