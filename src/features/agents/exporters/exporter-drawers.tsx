'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Control, useWatch } from 'react-hook-form';
import { type FlowExporter, FlowExporterInput, FlowExporterUpdate } from '@/domain/collector/exporter';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { Notice } from '@/ui/notice';
import { Properties } from '@/ui/properties';
import { DeleteDialog } from '../../shared/delete-dialog';
import { useVersioned } from '../../shared/record-cache';
import { RecordDrawer } from '../../shared/record-drawer';
import { useClusterOptions } from '../../shared/use-cluster-options';
import { VersionedDrawer } from '../../shared/versioned-form';
import { type ExporterValues, NO_NODE, toExporterInput, toExporterUpdate, toExporterValues } from './exporter-form';

type Props = { exporter: FlowExporter; onClose: () => void };

function ExporterFields<Out>({ control, isNew }: { control: Control<ExporterValues, unknown, Out>; isNew: boolean }) {
  const t = useT();
  const trpc = useTRPC();
  const clusters = useClusterOptions();
  const cluster_id = useWatch({ control, name: 'cluster_id' });
  const nodes = useQuery({
    ...trpc.nodes.list.queryOptions({ cluster_id: cluster_id ?? '', sort: 'name', limit: 500 }),
    enabled: cluster_id !== null,
  });
  const choices = (nodes.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <TextField control={control} name="name" label={t('Name')} maxLength={100} autoFocus={isNew} />
      <TextField
        control={control}
        name="address"
        label={t('Address')}
        mono
        placeholder="192.0.2.10"
        description={t('The source address of its datagrams.')}
      />
      {isNew && (
        <SelectField
          control={control}
          name="cluster_id"
          label={t('Cluster')}
          description={t('Its addresses identify the workloads. It cannot be changed later.')}
          options={clusters}
        />
      )}
      <SelectField
        control={control}
        name="node_id"
        label={t('Node')}
        description={t('Exact flows count as those of this node. The node must not have an agent that reports.')}
        options={[{ value: NO_NODE, label: t('None, such as a switch') }, ...choices]}
        disabled={cluster_id === null}
      />
      <CheckboxField control={control} name="enabled" label={t('Exporter enabled')} />
    </>
  );
}

/** Allows a device to send. Mount it when it opens. @param address of a sender that was refused */
export function AddExporterDrawer({ address, onClose }: { address: string; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const clusters = useClusterOptions();
  const save = useMutation(
    trpc.flowExporters.create.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries(trpc.flowExporters.pathFilter());
        onClose();
      },
    }),
  );
  return (
    <RecordDrawer
      title={t('Add exporter')}
      description={t('Datagrams of this address are read from now on.')}
      defaultValues={{ name: '', address, cluster_id: clusters[0]?.value ?? null, node_id: NO_NODE, enabled: true }}
      schema={FlowExporterInput}
      toInput={toExporterInput}
      save={save}
      submitLabel={t('Add exporter')}
      onClose={onClose}
    >
      {(control) => <ExporterFields control={control} isNew />}
    </RecordDrawer>
  );
}

/** What an exporter has sent, and what of it is missing. */
function ExporterCounts({ exporter }: { exporter: FlowExporter }) {
  const t = useT();
  const count = (value: number) => t('{count, number}', { count: value });
  const rows: [string, number, boolean][] = [
    [t('Datagrams'), exporter.datagrams, true],
    [t('Records'), exporter.records, true],
    [t('Records stored'), exporter.stored, true],
    [t('Sampled records'), exporter.sampled, false],
    [t('Records in estimates'), exporter.estimated, exporter.sampled > 0],
    [t('Estimates without their ends'), exporter.folded, false],
    [t('Lost'), exporter.lost, true],
    [t('Unknown templates'), exporter.unknown_templates, false],
    [t('Unreadable datagrams'), exporter.malformed, false],
    [t('Records without a plausible time'), exporter.untimed, false],
    [t('Not stored: the agent reports'), exporter.superseded, false],
    [t('Not stored'), exporter.dropped, false],
  ];
  return (
    <Properties
      items={rows.flatMap(([label, value, always]) => (always || value > 0 ? [{ label, value: count(value) }] : []))}
    />
  );
}

/** Changes an exporter, and shows what it has sent. Mount it when it opens. */
export function EditExporterDrawer({ exporter, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const query = trpc.flowExporters.get.queryOptions({ id: exporter.id });
  const stored = useVersioned({
    query,
    saved: () => t('Exporter saved'),
    outdated: [trpc.flowExporters.pathFilter()],
    onClose,
  });
  const now = useQuery(query).data ?? exporter;
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: exporter.name })}
      opened={exporter}
      {...stored}
      schema={FlowExporterUpdate}
      toValues={toExporterValues}
      toInput={toExporterUpdate}
      save={(input) => client.flowExporters.update.mutate({ id: exporter.id, ...input })}
      submitLabel={t('Save exporter')}
    >
      {({ control }) => (
        <>
          {now.has_agent && (
            <Notice tone="warn" title={t('The agent of this node reports')}>
              {t('Its reports count, and those of this exporter do not: otherwise traffic would count twice.')}
            </Notice>
          )}
          <ExporterCounts exporter={now} />
          <ExporterFields control={control} isNew={false} />
        </>
      )}
    </VersionedDrawer>
  );
}

/** Asks before an exporter goes. */
export function DeleteExporterDialog({ exporter, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  return (
    <DeleteDialog
      title={t('Delete exporter {name}?', { name: exporter.name })}
      confirmLabel={t('Delete exporter')}
      name={exporter.name}
      remove={() => client.flowExporters.delete.mutate({ id: exporter.id })}
      outdated={[trpc.flowExporters.pathFilter()]}
      onClose={onClose}
    >
      <p>{t('Its datagrams are refused from now on. Stored flows stay until their retention ends.')}</p>
    </DeleteDialog>
  );
}
