'use client';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Split, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import type { SubnetDetail as Detail } from '@/domain/ipam/subnet';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { useCommands } from '@/ui/command-registry';
import { Link } from '@/ui/link';
import { loadOnOpening } from '@/ui/load-on-opening';
import { RowActions } from '@/ui/menu';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Section } from '@/ui/section';
import { Tabs } from '@/ui/tabs';
import { DetailPage } from '../shared/detail-page';
import { MissingSince } from '../shared/inventory-states';
import { loadTab } from '../shared/load-tab';
import { usePermissions } from '../shared/use-permissions';
import { useUrlTab } from '../shared/use-url-state';
import type { AddressStart } from './add-address-drawer';
import { AddressGrid } from './address-grid';
import { isWhole } from './grid-cells';
import { SubnetFacts } from './subnet-properties';
import { useSubnetDialogs } from './use-subnet-dialogs';

const AddressTable = loadTab(() => import('./address-table').then((module) => module.AddressTable));
const InnerPrefixes = loadTab(() => import('./inner-prefixes').then((module) => module.InnerPrefixes));
const RangeTable = loadTab(() => import('./range-table').then((module) => module.RangeTable));

const AddAddressDrawer = loadOnOpening(() => import('./add-address-drawer').then((module) => module.AddAddressDrawer));

const TABS = ['grid', 'addresses', 'prefixes', 'ranges'] as const;

/** One prefix: how full it is, its addresses as a grid and as a table, what lies inside it, its ranges. */
export function SubnetDetail({ subnetId }: { subnetId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.subnets.get.queryOptions({ id: subnetId }));
  return (
    <DetailPage query={query} title={(item) => item.cidr}>
      {(subnet) => <Content subnet={subnet} />}
    </DetailPage>
  );
}

function Content({ subnet }: { subnet: Detail }) {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.subnet({ subnetId: subnet.id, tab }), firstTab(subnet));
  const [adding, setAdding] = useState<AddressStart | null>(null);
  const subnets = useSubnetDialogs({ onDeleted: () => router.replace(paths.addresses()) });
  const { edit, next: takePrefix } = subnets;
  useCommands(
    useMemo(() => {
      if (writeReason !== null) return [];
      const group = t('This prefix');
      return [
        {
          id: 'subnet.next-address',
          label: t('Allocate next free address'),
          group,
          icon: <Plus />,
          run: () => setAdding({ kind: 'next' }),
        },
      ];
    }, [writeReason, t]),
  );
  const grid = (
    <AddressGrid
      subnet={subnet}
      onAssign={(address) => setAdding({ kind: 'given', address })}
      writeReason={writeReason}
    />
  );
  return (
    <>
      <PageTrail
        crumbs={[
          ...subnet.ancestors.map(({ id, cidr }) => ({ label: cidr, href: paths.subnet({ subnetId: id }) })),
          { label: subnet.cidr },
        ]}
      />
      <PageHeader
        title={subnet.cidr}
        description={subnet.description || undefined}
        badge={<MissingSince at={subnet.missing_since} />}
        actions={
          <>
            <Button icon={<Pencil size={14} />} onClick={() => edit(subnet)} disabledReason={writeReason}>
              {t('Edit')}
            </Button>
            <RowActions
              name={subnet.cidr}
              entries={[
                {
                  id: 'add',
                  label: t('Add specific address'),
                  icon: <Plus />,
                  onSelect: () => setAdding({ kind: 'given', address: '' }),
                  disabledReason: writeReason,
                },
                {
                  id: 'next',
                  label: t('Allocate next child prefix'),
                  icon: <Split />,
                  onSelect: () => takePrefix(subnet),
                  disabledReason: writeReason,
                },
                {
                  id: 'delete',
                  label: t('Delete prefix'),
                  icon: <Trash2 />,
                  tone: 'danger',
                  onSelect: () => subnets.remove(subnet),
                  disabledReason:
                    writeReason ??
                    (subnet.source === 'provider' && subnet.missing_since === null
                      ? t('This prefix comes from the cluster. Remove it there; the next sync removes it here.')
                      : null),
                },
              ]}
            />
            <Button
              variant="primary"
              icon={<Plus size={14} />}
              onClick={() => setAdding({ kind: 'next' })}
              disabledReason={writeReason}
            >
              {t('Next free address')}
            </Button>
          </>
        }
      />
      {subnet.conflicts_open > 0 && (
        <Notice
          tone="danger"
          title={t('{n, plural, one {# open conflict} other {# open conflicts}}', {
            n: subnet.conflicts_open,
          })}
          action={
            <Link
              className={buttonClass({ size: 'sm' })}
              href={paths.addresses({ tab: 'conflicts', cluster_id: subnet.cluster_id })}
            >
              {t('Show conflicts')}
            </Link>
          }
        />
      )}
      <Section>
        <SubnetFacts subnet={subnet} />
      </Section>
      <Tabs
        label={t('Prefix sections')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          { value: 'grid', label: t('Grid'), content: grid },
          {
            value: 'addresses',
            label: t('Addresses'),
            count: subnet.usage.used + subnet.usage.stale,
            content: <AddressTable subnetId={subnet.id} />,
          },
          {
            value: 'prefixes',
            label: t('Child prefixes'),
            count: subnet.children_total,
            content: <InnerPrefixes subnet={subnet} onTake={() => takePrefix(subnet)} writeReason={writeReason} />,
          },
          { value: 'ranges', label: t('Ranges'), count: subnet.ranges_total, content: <RangeTable subnet={subnet} /> },
        ]}
      />
      <AddAddressDrawer subnet={subnet} start={adding} onClose={() => setAdding(null)} />
      {subnets.dialogs}
    </>
  );
}

/** What says most of a subnet: its cells when they fit, what is inside a large one, else who is in it. */
function firstTab(subnet: Detail): (typeof TABS)[number] {
  if (isWhole(subnet.cidr)) return 'grid';
  return subnet.children_total > 0 ? 'prefixes' : 'addresses';
}
