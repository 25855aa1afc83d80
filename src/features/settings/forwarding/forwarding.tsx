'use client';
import { Forward } from 'lucide-react';
import { useState } from 'react';
import { FORWARDING_KINDS, FORWARDING_SORTS } from '@/domain/choices';
import type { ForwardingDestination } from '@/domain/forwarding/destination';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../../shared/list/declare-list';
import { choice } from '../../shared/list/filters';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';
import { usePermissions } from '../../shared/use-permissions';
import { useAdding } from '../../shared/use-url-state';
import { DestinationTestResult, useDestinationTest } from './destination-test';
import { forwardingColumns, KIND_LABELS } from './forwarding-columns';

const AddDestinationDrawer = loadOnOpening(() =>
  import('./forwarding-drawers').then((module) => module.AddDestinationDrawer),
);
const EditDestinationDrawer = loadOnOpening(() =>
  import('./forwarding-drawers').then((module) => module.EditDestinationDrawer),
);
const DeleteDestinationDialog = loadOnOpening(() =>
  import('./forwarding-drawers').then((module) => module.DeleteDestinationDialog),
);

const DESTINATIONS = declareList({
  from: 'forwarding.list',
  name: 'destinations',
  id: 'forwarding-destinations',
  title: msg('Log forwarding'),
  label: msg('Destinations'),
  noun: { one: msg('destination'), many: msg('destinations') },
  search: msg('Search destinations'),
  sorts: FORWARDING_SORTS,
  defaultSort: 'name',
  filters: { kind: choice(msg('Kind'), FORWARDING_KINDS, (one) => KIND_LABELS[one]) },
  columns: forwardingColumns,
  rowId: ({ id }) => id,
  add: { label: msg('Add destination'), permission: '*' },
  empty: {
    icon: <Forward />,
    title: msg('No destinations yet'),
    text: msg('Send audit records and conversations to a SIEM or another log system.'),
  },
});

type Open = { kind: 'edit' | 'delete'; destination: ForwardingDestination };

/** The destinations of records, with how far each is. A row opens its form. */
export function Forwarding() {
  const t = useT();
  const writeReason = usePermissions().reason('*');
  const [open, setOpen] = useState<Open | null>(null);
  const [adding, setAdding] = useAdding('*');
  const close = () => setOpen(null);
  const test = useDestinationTest();
  return (
    <>
      <ListView
        of={useList(DESTINATIONS)}
        description={t(
          'Sends audit records and conversations to other systems. Ingestion never waits for a destination.',
        )}
        summary={<DestinationTestResult {...test} />}
        onAdd={() => setAdding(true)}
        onRowOpen={writeReason === null ? (destination) => setOpen({ kind: 'edit', destination }) : undefined}
        rowActions={(destination) => ({
          name: destination.name,
          entries: [
            {
              id: 'edit',
              label: t('Edit destination'),
              onSelect: () => setOpen({ kind: 'edit', destination }),
              disabledReason: writeReason,
            },
            {
              id: 'test',
              label: t('Send test record'),
              onSelect: () => test.send(destination),
              disabledReason: writeReason,
            },
            {
              id: 'delete',
              label: t('Delete destination'),
              tone: 'danger',
              onSelect: () => setOpen({ kind: 'delete', destination }),
              disabledReason: writeReason,
            },
          ],
        })}
      />
      {adding && <AddDestinationDrawer onClose={() => setAdding(false)} />}
      {open?.kind === 'edit' && <EditDestinationDrawer destination={open.destination} onClose={close} />}
      {open?.kind === 'delete' && <DeleteDestinationDialog destination={open.destination} onClose={close} />}
    </>
  );
}
