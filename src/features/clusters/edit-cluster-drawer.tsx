'use client';
import { useQueryClient } from '@tanstack/react-query';
import { RULE_PLACEMENTS } from '@/domain/choices';
import { type Cluster, ClusterUpdate } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { RadioField } from '@/ui/form/radio-field';
import { ConnectionForm } from '../shared/cluster-connection/connection-form';
import { toClusterUpdate, toConnectionValues } from '../shared/cluster-connection/connection-values';
import { useReadAgain, useSaved } from '../shared/record-cache';
import { useVersionedForm } from '../shared/use-versioned-form';
import { RecordOutdated } from '../shared/versioned-form';
import { PLACEMENT_LABELS } from './cluster-labels';

type Props = { cluster: Cluster; open: boolean; onClose: () => void };

/** Changes name, address, token, trusted certificate and rule order of a cluster. */
export function EditClusterDrawer({ cluster, open, onClose }: Props) {
  const t = useT();
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => !next && onClose()}
      size="lg"
      persistent
      title={t('Edit {name}', { name: cluster.name })}
    >
      <Content cluster={cluster} onClose={onClose} />
    </Drawer>
  );
}

function Content({ cluster, onClose }: Omit<Props, 'open'>) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const done = useSaved(onClose);
  const edit = useVersionedForm({
    opened: cluster,
    read: () => readAgain(trpc.clusters.get.queryOptions({ id: cluster.id })),
    schema: ClusterUpdate,
    toValues: toConnectionValues,
    toInput: toClusterUpdate,
    save: (changes) => client.clusters.update.mutate({ id: cluster.id, ...changes }),
    onSaved: (saved) => {
      queryClient.setQueryData(trpc.clusters.get.queryKey({ id: saved.id }), saved);
      done(t('Cluster saved'), trpc.clusters.pathFilter());
    },
  });
  return (
    <div className="flex flex-col gap-4">
      <RecordOutdated edit={edit} />
      <ConnectionForm
        key={edit.base.version}
        form={edit.form}
        onSubmit={edit.submit}
        error={edit.failure}
        pending={edit.pending}
        submitLabel={t('Save cluster')}
        clusterId={cluster.id}
        checkAtOnce={cluster.sync_status === 'failed'}
        onCancel={onClose}
        layout="panel"
      >
        <RadioField
          control={edit.form.control}
          name="rule_placement"
          label={t('Position of managed rules')}
          options={RULE_PLACEMENTS.map((value) => ({
            value,
            label: t(PLACEMENT_LABELS[value].label),
            description: t(PLACEMENT_LABELS[value].description),
          }))}
        />
      </ConnectionForm>
    </div>
  );
}
