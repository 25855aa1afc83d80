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
            title={t('Rules of the node')}
            description={t('They filter traffic to and from the node itself. They are evaluated first.')}
            bare
          >
            <HostRules
              id="node-rules"
              label={t('Rules of the node')}
              rules={firewall.rules}
              none={t('The rules of the data center apply.')}
            />
          </Section>
          <Section
            title={t('Rules of the data center')}
            description={t('Evaluated after the rules of the node, the same on every node.')}
            bare
          >
            <HostRules
              id="data-center-rules"
              label={t('Rules of the data center')}
              rules={firewall.data_center_rules}
              none={t('The default policy of the data center applies.')}
            />
          </Section>
          <GroupSections groups={firewall.groups} />
          <Section title={t('Test a packet')} description={t('Evaluated against the live rules. Nothing is sent.')}>
            <NodePacketForm ask={(packet) => client.nodes.testPacket.query({ id: nodeId, ...packet })} />
          </Section>
        </>
      )}
    </HostFirewallView>
  );
}
