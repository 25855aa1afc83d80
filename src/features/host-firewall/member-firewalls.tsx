'use client';
import { useMemo } from 'react';
import type { ClusterFirewall, NetworkFirewall } from '@/domain/host-firewall';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { NetworkLink, NodeLink } from '../shared/entity-links';
import { KnownFlag } from '../shared/inventory-states';

type Node = ClusterFirewall['nodes'][number];
type NodeOfVnet = NetworkFirewall['nodes'][number];
type Vnet = ClusterFirewall['vnets'][number];

const implementationColumns = <Row extends NodeOfVnet>(t: Translate) => {
  const make = createColumnHelper<Row>();
  return [
    make.text('name', t('Node'), (node) => node.name, {
      grow: true,
      render: (node) => <NodeLink id={node.node_id} name={node.name} firewall />,
    }),
    make.text('implementation', t('Implementation'), (node) => node.implementation, {
      render: (node) => node.implementation ?? <Status tone="unknown">{t('Unknown')}</Status>,
    }),
  ];
};

const toFlag = (enabled: boolean | null) => (enabled === null ? 'unknown' : enabled ? 'on' : 'off');

/** Whether the firewall of a node or VNet is on, and how many rules it has. */
const stateColumns = <Row extends Pick<Node, 'firewall_enabled' | 'rules_total'>>(t: Translate) => {
  const make = createColumnHelper<Row>();
  return [
    make.custom('firewall', t('Firewall'), (one) => <KnownFlag value={one.firewall_enabled} />, {
      csv: (one) => toFlag(one.firewall_enabled),
    }),
    make.custom(
      'rules',
      t('Rules'),
      (one) =>
        one.rules_total === null ? (
          <Status tone="unknown">{t('Unknown')}</Status>
        ) : (
          <span className="tabular-nums">{one.rules_total}</span>
        ),
      { csv: (one) => one.rules_total?.toString() },
    ),
  ];
};

const nodeColumns = (t: Translate) => [...implementationColumns<Node>(t), ...stateColumns<Node>(t)];

const vnetColumns = (t: Translate) => [
  createColumnHelper<Vnet>().text('name', t('VNet'), (vnet) => vnet.name, {
    grow: true,
    render: (vnet) => <NetworkLink id={vnet.network_id} name={vnet.name} firewall />,
  }),
  createColumnHelper<Vnet>().custom(
    'running',
    t('Status'),
    ({ running }) =>
      running === false ? (
        <Status tone="off">{t('Not running')}</Status>
      ) : (
        <KnownFlag value={running} yes={t('Running')} />
      ),
    { csv: ({ running }) => toFlag(running) },
  ),
  ...stateColumns<Vnet>(t),
];

const SHOWN = { loading: false, error: null, height: 'auto' } as const;

/** The nodes of a cluster with their own firewall. */
export function NodeFirewalls({ nodes }: { nodes: readonly Node[] }) {
  const t = useT();
  const columns = useMemo(() => nodeColumns(t), [t]);
  return (
    <Section title={t('Nodes')} bare>
      <DataTable
        {...SHOWN}
        id="node-firewalls"
        label={t('Node firewalls')}
        noun={{ one: t('node'), many: t('nodes') }}
        columns={columns}
        rows={nodes}
        rowId={(node) => node.node_id}
        total={nodes.length}
        empty={
          <EmptyState title={t('No nodes yet')}>
            {t('Nodes appear with the first successful sync of this cluster.')}
          </EmptyState>
        }
      />
    </Section>
  );
}

/** The VNets of a cluster with their own firewall. */
export function VnetFirewalls({ vnets }: { vnets: readonly Vnet[] }) {
  const t = useT();
  const columns = useMemo(() => vnetColumns(t), [t]);
  return (
    <Section title={t('VNets')} bare>
      <DataTable
        {...SHOWN}
        id="vnet-firewalls"
        label={t('VNet firewalls')}
        noun={{ one: t('VNet'), many: t('VNets') }}
        columns={columns}
        rows={vnets}
        rowId={(vnet) => vnet.network_id}
        total={vnets.length}
        empty={null}
      />
    </Section>
  );
}

/** The nodes that enforce the rules of a VNet. */
export function VnetNodes({ nodes }: { nodes: readonly NodeOfVnet[] }) {
  const t = useT();
  const columns = useMemo(() => implementationColumns<NodeOfVnet>(t), [t]);
  return (
    <Section title={t('Nodes')} bare>
      <DataTable
        {...SHOWN}
        id="vnet-nodes"
        label={t('Nodes')}
        noun={{ one: t('node'), many: t('nodes') }}
        columns={columns}
        rows={nodes}
        rowId={(node) => node.node_id}
        total={nodes.length}
        empty={<EmptyState title={t('No nodes of this VNet are known.')} />}
      />
    </Section>
  );
}
