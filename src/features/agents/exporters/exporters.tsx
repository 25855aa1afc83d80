'use client';
import { RadioReceiver } from 'lucide-react';
import { useState } from 'react';
import { EXPORTER_SORTS, EXPORTER_STATES } from '@/domain/choices';
import type { FlowExporter } from '@/domain/collector/exporter';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../../shared/list/declare-list';
import { CLUSTER, choice } from '../../shared/list/filters';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';
import { usePermissions } from '../../shared/use-permissions';
import { useAdding } from '../../shared/use-url-state';
import { CollectorNotices } from './collector-notices';
import { exporterColumns, STATE_LABELS } from './exporter-columns';

const drawers = () => import('./exporter-drawers');
const AddExporterDrawer = loadOnOpening(() => drawers().then((module) => module.AddExporterDrawer));
const EditExporterDrawer = loadOnOpening(() => drawers().then((module) => module.EditExporterDrawer));
const DeleteExporterDialog = loadOnOpening(() => drawers().then((module) => module.DeleteExporterDialog));

/** What exporters send brings no events of its own. */
const REFRESH_MS = 10_000;

const EXPORTERS = declareList({
  from: 'flowExporters.list',
  name: 'exporters',
  id: 'flow-exporters',
  title: msg('Flow exporters'),
  label: msg('Flow exporters'),
  noun: { one: msg('exporter'), many: msg('exporters') },
  search: msg('Search exporters'),
  sorts: EXPORTER_SORTS,
  defaultSort: 'name',
  filters: { state: choice(msg('State'), EXPORTER_STATES, (one) => STATE_LABELS[one]), cluster_id: CLUSTER },
  columns: exporterColumns,
  rowId: ({ id }) => id,
  add: { label: msg('Add exporter'), permission: 'agent:install' },
  empty: {
    icon: <RadioReceiver />,
    title: msg('No flow exporters yet'),
    text: msg('Devices without an agent can send NetFlow 9, IPFIX or sFlow to Fabric.'),
  },
});

type Open = { kind: 'edit' | 'delete'; exporter: FlowExporter };

/** Devices that may send flow records, with what they sent. A row opens its form. */
export function Exporters() {
  const t = useT();
  const { reason, can } = usePermissions();
  const writeReason = reason('agent:install');
  const [open, setOpen] = useState<Open | null>(null);
  const [adding, setAdding] = useAdding('agent:install');
  const [address, setAddress] = useState('');
  const close = () => setOpen(null);
  const add = (sender: string) => {
    setAddress(sender);
    setAdding(true);
  };
  return (
    <>
      <ListView
        of={useList(EXPORTERS, { refetchMs: REFRESH_MS })}
        description={t('Switches, Open vSwitch and nodes without an agent that send flow records.')}
        summary={<CollectorNotices refetchMs={REFRESH_MS} disabledReason={writeReason} onAllow={add} />}
        actions={
          can('flow:read') && (
            <Link className={buttonClass()} href={paths.flowEstimates()}>
              {t('Estimates')}
            </Link>
          )
        }
        onAdd={() => add('')}
        onRowOpen={writeReason === null ? (exporter) => setOpen({ kind: 'edit', exporter }) : undefined}
        rowActions={(exporter) => ({
          name: exporter.name,
          entries: [
            {
              id: 'edit',
              label: t('Edit exporter'),
              onSelect: () => setOpen({ kind: 'edit', exporter }),
              disabledReason: writeReason,
            },
            {
              id: 'delete',
              label: t('Delete exporter'),
              tone: 'danger',
              onSelect: () => setOpen({ kind: 'delete', exporter }),
              disabledReason: writeReason,
            },
          ],
        })}
      />
      {adding && <AddExporterDrawer address={address} onClose={() => setAdding(false)} />}
      {open?.kind === 'edit' && <EditExporterDrawer exporter={open.exporter} onClose={close} />}
      {open?.kind === 'delete' && <DeleteExporterDialog exporter={open.exporter} onClose={close} />}
    </>
  );
}
