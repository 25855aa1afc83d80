'use client';
import { Database } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { NETBOX_SOURCE_SORTS } from '@/domain/choices';
import type { NetboxSource } from '@/domain/netbox/source';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { createColumnHelper } from '@/ui/columns';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageTrail } from '@/ui/page-trail';
import { declareList } from '../../shared/list/declare-list';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';
import { useAdding } from '../../shared/use-url-state';

const AddNetboxDrawer = loadOnOpening(() => import('./netbox-drawers').then((module) => module.AddNetboxDrawer));

const make = createColumnHelper<NetboxSource>();

const columns = (t: Translate) => [
  make.text('name', t('Name'), ({ name }) => name, { sortable: true, width: 200, grow: true }),
  make.mono('url', t('URL'), ({ url }) => url, { width: 260, grow: true }),
  make.text('networks', t('Networks'), ({ networks }) => networks.map((one) => one.network_name).join(', '), {
    width: 200,
    grow: true,
  }),
  make.time('last_import_at', t('Last import'), (source) => source.last_import_at, { none: t('Never') }),
  make.time('updated_at', t('Changed'), (source) => source.updated_at, { sortable: true, hidden: true }),
  make.time('created_at', t('Created'), (source) => source.created_at, { sortable: true, hidden: true }),
];

const SOURCES = declareList({
  from: 'netbox.list',
  name: 'netbox-sources',
  id: 'netbox-sources',
  title: msg('NetBox sources'),
  label: msg('NetBox sources'),
  noun: { one: msg('source'), many: msg('sources') },
  search: msg('Search NetBox sources'),
  sorts: NETBOX_SOURCE_SORTS,
  defaultSort: 'name',
  filters: {},
  columns,
  rowId: ({ id }) => id,
  rowPath: ({ id }) => paths.netboxSource({ sourceId: id }),
  add: { label: msg('Add NetBox source'), permission: 'ipam:write' },
  empty: {
    icon: <Database />,
    title: msg('No NetBox sources yet'),
    text: msg('Imports prefixes and addresses from NetBox after a preview of every change.'),
  },
});

/** The NetBox sources. A row opens its page, with preview and import. */
export function NetboxSources() {
  const t = useT();
  const router = useRouter();
  const [adding, setAdding] = useAdding('ipam:write');
  return (
    <>
      <PageTrail crumbs={[{ label: t('NetBox sources') }]} />
      <ListView
        of={useList(SOURCES)}
        description={t('NetBox is only read. Nothing is written in Fabric without a preview.')}
        onAdd={() => setAdding(true)}
      />
      {adding && (
        <AddNetboxDrawer
          onClose={() => setAdding(false)}
          onAdded={({ id }) => router.push(paths.netboxSource({ sourceId: id }))}
        />
      )}
    </>
  );
}
