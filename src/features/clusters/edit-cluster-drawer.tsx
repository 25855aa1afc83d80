'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Cluster, ClusterUpdate, RULE_PLACEMENTS } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { RadioField } from '@/ui/form/radio-field';
import { showToast } from '@/ui/toast';
import { ConnectionForm } from '../shared/cluster-connection/connection-form';
import { toClusterUpdate, toConnectionValues } from '../shared/cluster-connection/connection-values';
import { PLACEMENT_WORDS } from './placement-words';

type Props = { cluster: Cluster; open: boolean; onClose: () => void };

/** Changes name, address, token, trusted certificate and rule order of a cluster. */
export function EditClusterDrawer({ cluster, open, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const save = useMutation(
    trpc.clusters.update.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.clusters.get.queryKey({ id: saved.id }), saved);
        void queryClient.invalidateQueries(trpc.clusters.pathFilter());
        showToast('ok', { title: t('Cluster saved') });
        onClose();
      },
    }),
  );
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => {
        if (next) return;
        save.reset();
        onClose();
      }}
      size="lg"
      persistent
      title={t('Edit {name}', { name: cluster.name })}
    >
      <ConnectionForm
        defaultValues={toConnectionValues(cluster)}
        schema={ClusterUpdate}
        toInput={(values) => toClusterUpdate(values, cluster)}
        onSubmit={(changes) => save.mutate({ id: cluster.id, ...changes })}
        error={save.error ? failureOf(save.error) : null}
        pending={save.isPending}
        submitLabel={t('Save cluster')}
        clusterId={cluster.id}
        checkAtOnce={cluster.sync_status === 'failed'}
        onCancel={onClose}
        layout="panel"
      >
        {(form) => (
          <RadioField
            control={form.control}
            name="rule_placement"
            label={t('Place of our firewall rules')}
            options={RULE_PLACEMENTS.map((value) => ({
              value,
              label: t(PLACEMENT_WORDS[value].label),
              description: t(PLACEMENT_WORDS[value].description),
            }))}
          />
        )}
      </ConnectionForm>
    </Drawer>
  );
}
