'use client';
import { useMutation } from '@tanstack/react-query';
import { type Cluster, ClusterInput } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConnectionForm } from '../shared/cluster-connection/connection-form';
import { EMPTY_CONNECTION, toClusterInput } from '../shared/cluster-connection/connection-values';

/** Adds the first cluster, or leaves it for later. */
export function ClusterStep({ onAdded, onSkip }: { onAdded: (cluster: Cluster) => void; onSkip: () => void }) {
  const t = useT();
  const add = useMutation(useTRPC().clusters.create.mutationOptions({ onSuccess: onAdded }));
  return (
    <ConnectionForm
      defaultValues={EMPTY_CONNECTION}
      schema={ClusterInput}
      toInput={toClusterInput}
      onSubmit={(input) => add.mutate(input)}
      error={add.error ? failureOf(add.error) : null}
      pending={add.isPending}
      submitLabel={t('Add cluster')}
      onCancel={onSkip}
      cancelLabel={t('Skip for now')}
    />
  );
}
