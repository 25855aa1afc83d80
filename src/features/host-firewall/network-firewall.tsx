'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { GroupSections, HostFirewallView, OptionSection } from './host-firewall-view';
import { NetworkPacketForm } from './host-packet-test';
import { HostRules } from './host-rules';
import { VnetNodes } from './member-firewalls';

/** The firewall of a VNet, read now: its rules for forwarded traffic, and the nodes that enforce them. */
export function NetworkFirewall({ networkId }: { networkId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const query = useQuery({ ...trpc.networks.firewall.queryOptions({ id: networkId }), staleTime: 5_000 });
  return (
    <HostFirewallView query={query} place={t('Datacenter › SDN › VNet Firewall')}>
      {(firewall) => (
        <>
          {firewall.running === false && (
            <Notice tone="warn" title={t('The VNet is not running')}>
              {t('The VNet was created but not applied. Its firewall is read once the VNet is running.')}
            </Notice>
          )}
          {firewall.nodes.length > 0 && firewall.nodes.every(({ implementation }) => implementation === 'iptables') && (
            <Notice tone="warn" title={t('No node enforces these rules')}>
              {t('VNet rules require nftables. All nodes of this VNet use iptables.')}
            </Notice>
          )}
          <OptionSection firewall={firewall} />
          <Section
            title={t('VNet rules')}
            description={t('Filter traffic that nodes with nftables forward through the VNet.')}
            bare
          >
            <HostRules
              id="vnet-rules"
              label={t('VNet rules')}
              rules={firewall.rules}
              none={t("The VNet's default policy applies.")}
            />
          </Section>
          <GroupSections groups={firewall.groups} />
          {firewall.running !== false && (
            <Section title={t('Test packet')} description={t('Evaluated against the live rules. Nothing is sent.')}>
              <NetworkPacketForm ask={(packet) => client.networks.testPacket.query({ id: networkId, ...packet })} />
            </Section>
          )}
          <VnetNodes nodes={firewall.nodes} />
        </>
      )}
    </HostFirewallView>
  );
}
