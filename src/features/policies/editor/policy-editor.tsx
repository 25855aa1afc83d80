'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { type ChangedPolicy, type Policy, PolicyChange, PolicyCreate } from '@/domain/policies';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { showToast } from '@/ui/toast';
import { DetailSkeleton } from '../../shared/detail-skeleton';
import { QueryView } from '../../shared/query-view';
import { useDocumentTitle } from '../../shared/use-document-title';
import { usePermissions } from '../../shared/use-permissions';
import { useTenantChoice } from '../../shared/use-tenant-options';
import { PolicyForm } from './policy-form';
import { EMPTY_POLICY, type PolicyValues, toPolicyChange, toPolicyCreate, toPolicyValues } from './policy-form-values';
import { VersionConflict } from './version-conflict';

/** The page on which a policy is written: a new one without an id. */
export function PolicyEditor({ policyId }: { policyId?: string }) {
  const { reason } = usePermissions();
  const refused = reason('policy:write');
  if (refused) return <Refused>{refused}</Refused>;
  return policyId === undefined ? <NewPolicy /> : <ExistingPolicy policyId={policyId} />;
}

function Refused({ children }: { children: string }) {
  const t = useT();
  return <EmptyState title={t('You can look at policies, not change them')}>{children}</EmptyState>;
}

function NewPolicy() {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const { options: tenants, first: tenant_id } = useTenantChoice('policy:write');
  const create = useMutation(
    trpc.policies.create.mutationOptions({
      onSuccess: (policy) => {
        void queryClient.invalidateQueries(trpc.policies.pathFilter());
        showToast('ok', {
          title: t('{name} created', { name: policy.name }),
          description: t('Look at the preview before you apply it.'),
        });
        router.push(paths.policy({ policyId: policy.id, tab: 'preview' }));
      },
    }),
  );
  return (
    <>
      <PageTrail crumbs={[{ label: t('New policy') }]} />
      <PageHeader title={t('New policy')} />
      <PolicyForm
        defaultValues={{ ...EMPTY_POLICY, tenant_id }}
        schema={PolicyCreate}
        toInput={toPolicyCreate}
        onSubmit={(input) => create.mutate(input)}
        error={create.error ? failureOf(create.error) : null}
        pending={create.isPending}
        saved={create.isSuccess}
        submitLabel={t('Create policy')}
        tenants={tenants}
        backTo={paths.policies()}
      />
    </>
  );
}

function ExistingPolicy({ policyId }: { policyId: string }) {
  const t = useT();
  const { reason } = usePermissions();
  const trpc = useTRPC();
  // Read once for the form: what others save meanwhile is told when saving, not written under the author's hands.
  const query = useQuery({
    ...trpc.policies.get.queryOptions({ id: policyId }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  });
  useDocumentTitle(query.data && t('Edit {name}', { name: query.data.name }));
  const settled = query.isFetchedAfterMount || query.isError;
  return (
    <QueryView query={settled ? query : { ...query, data: undefined }} skeleton={<DetailSkeleton />}>
      {(policy) => {
        const refused = reason('policy:write', policy);
        return refused ? <Refused>{refused}</Refused> : <EditPolicy first={policy} />;
      }}
    </QueryView>
  );
}

type Base = { policy: Pick<Policy, 'id' | 'name' | 'tenant_id'>; version: number; values: PolicyValues; key: number };

function EditPolicy({ first }: { first: Policy }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [base, setBase] = useState<Base>({
    policy: first,
    version: first.version,
    values: toPolicyValues(first),
    key: 0,
  });
  const saved = (policy: ChangedPolicy) => {
    queryClient.setQueryData(trpc.policies.get.queryKey({ id: policy.id }), policy);
    void queryClient.invalidateQueries(trpc.policies.pathFilter());
    const removing = policy.cleanup.length > 0;
    showToast('ok', {
      title:
        policy.version === base.version
          ? t('Nothing had changed')
          : t('Saved as version {version}', { version: policy.version }),
      description: removing
        ? t('Its rules are being removed from the guests.')
        : policy.enabled && policy.definition.enforcement_mode === 'enforced'
          ? t('No guest has changed yet. Look at the preview, then apply.')
          : undefined,
    });
    router.push(paths.policy({ policyId: policy.id, tab: removing ? 'deployments' : 'preview' }));
  };
  const save = useMutation(trpc.policies.update.mutationOptions({ onSuccess: saved }));
  const failure = save.error ? failureOf(save.error) : null;
  const conflict = failure?.code === 'version_conflict' ? Number(failure.extra?.version) : null;
  const mine = save.variables;
  return (
    <>
      <PageTrail
        crumbs={[{ label: base.policy.name, href: paths.policy({ policyId: base.policy.id }) }, { label: t('Edit') }]}
      />
      <PageHeader
        title={t('Edit {name}', { name: base.policy.name })}
        description={t('Version {version}', { version: base.version })}
      />
      {conflict !== null && (
        <VersionConflict
          policyId={base.policy.id}
          readVersion={base.version}
          theirVersion={conflict}
          pending={save.isPending}
          onOverwrite={() => mine && save.mutate({ ...mine, version: conflict })}
          onTakeTheirs={(theirs) => {
            setBase({ policy: theirs, version: theirs.version, values: toPolicyValues(theirs), key: base.key + 1 });
            save.reset();
          }}
        />
      )}
      <PolicyForm
        key={base.key}
        defaultValues={base.values}
        schema={PolicyChange}
        toInput={(values) => toPolicyChange(values, base.version)}
        onSubmit={(input) => save.mutate({ ...input, id: base.policy.id })}
        error={conflict === null ? failure : null}
        pending={save.isPending}
        saved={save.isSuccess}
        submitLabel={t('Save new version')}
        tenantId={base.policy.tenant_id}
        enforcedBefore={base.values.enabled && base.values.definition.enforcement_mode === 'enforced'}
        withReason
        backTo={paths.policy({ policyId: base.policy.id })}
      />
    </>
  );
}
