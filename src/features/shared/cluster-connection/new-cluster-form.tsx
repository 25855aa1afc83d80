'use client';
import { useMutation } from '@tanstack/react-query';
import { type Cluster, ClusterInput } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { domainResolver, useCheckedForm } from '../domain-resolver';
import { ConnectionForm } from './connection-form';
import { type ConnectionValues, EMPTY_CONNECTION, toClusterInput } from './connection-values';

type Props = {
  onAdded: (cluster: Cluster) => void;
  onCancel: () => void;
  cancelLabel?: string;
  layout?: 'page' | 'panel';
};

/** Adds a cluster by address and token. */
export function NewClusterForm({ onAdded, ...frame }: Props) {
  const t = useT();
  const form = useCheckedForm<ConnectionValues, unknown, ClusterInput>({
    defaultValues: EMPTY_CONNECTION,
    resolver: domainResolver(ClusterInput, toClusterInput),
  });
  const add = useMutation(useTRPC().clusters.create.mutationOptions({ onSuccess: onAdded }));
  return (
    <ConnectionForm
      form={form}
      onSubmit={(input) => add.mutate(input)}
      error={add.error ? toFailure(add.error) : null}
      pending={add.isPending}
      submitLabel={t('Add cluster')}
      {...frame}
    />
  );
}
