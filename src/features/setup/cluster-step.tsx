'use client';
import { useMutation } from '@tanstack/react-query';
import { type Cluster, ClusterInput } from '@/domain/cluster';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConnectionForm } from '../shared/cluster-connection/connection-form';
import { EMPTY_CONNECTION, toClusterInput } from '../shared/cluster-connection/connection-values';

/** Adds the first cluster, or leaves it for later. */
export function ClusterStep({ onAdded, onSkip }: { onAdded: (cluster: Cluster) => void; onSkip: () => void }) {
  const add = useMutation(useTRPC().clusters.create.mutationOptions({ onSuccess: onAdded }));
  return (
    <ConnectionForm
      defaultValues={EMPTY_CONNECTION}
      schema={ClusterInput}
      toInput={toClusterInput}
      onSubmit={(input) => add.mutate(input)}
      error={add.error ? failureOf(add.error) : null}
      pending={add.isPending}
      submitLabel="Add cluster"
      onCancel={onSkip}
      cancelLabel="Skip for now"
    />
  );
}
