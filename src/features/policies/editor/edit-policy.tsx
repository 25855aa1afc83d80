'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { ChangedPolicy, Policy, PolicyChange } from '@/domain/policies';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { loadLater, loadOnOpening } from '@/ui/load-on-opening';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { showToast } from '@/ui/toast';
import { ChangeRefusal } from '../../shared/changes/change-refusal';
import { withoutProposed } from '../../shared/changes/proposed-change';
import { DetailSkeleton, useDocumentTitle } from '../../shared/detail-page';
import { QueryView } from '../../shared/query-view';
import { useReadAgain } from '../../shared/record-cache';
import { useVersionedForm } from '../../shared/use-versioned-form';
import { PolicyForm, PolicyWriters } from './policy-form';
import { toChangeItem, toPolicyChange, toPolicyValues, toPreview } from './policy-form-values';

// Only seldom does someone else save in the meantime.
const VersionConflict = loadLater(() => import('./version-conflict').then((module) => module.VersionConflict));

const SaveAsChange = loadOnOpening(
  () => import('../../shared/changes/save-as-change').then((module) => module.SaveAsChange),
  () => true,
);

const loadPolicyChange = () => import('@/domain/policies').then((module) => module.PolicyChange);

/** The page on which a policy is edited. */
export function EditPolicy({ policyId }: { policyId: string }) {
  return (
    <PolicyWriters>
      <StoredPolicy policyId={policyId} />
    </PolicyWriters>
  );
}

function StoredPolicy({ policyId }: { policyId: string }) {
  const t = useT();
  const trpc = useTRPC();
  // Read once for the form: what others save is reported on save, not loaded while the author edits.
  const query = useQuery({
    ...trpc.policies.get.queryOptions({ id: policyId }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  });
  useDocumentTitle(query.data && t('Edit {name}', { name: query.data.name }));
  const settled = query.isFetchedAfterMount || query.isError;
  return (
    <QueryView query={settled ? query : { ...query, data: undefined }} skeleton={<DetailSkeleton />}>
      {(policy) => (
        <PolicyWriters owner={policy}>
          <EditPolicyForm first={policy} />
        </PolicyWriters>
      )}
    </QueryView>
  );
}

function EditPolicyForm({ first }: { first: Policy }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const router = useRouter();
  const [kept, setKept] = useState<PolicyChange | null>(null);
  const [isKept, setIsKept] = useState(false);
  const saved = (policy: ChangedPolicy) => {
    queryClient.setQueryData(trpc.policies.get.queryKey({ id: policy.id }), policy);
    void queryClient.invalidateQueries(trpc.policies.pathFilter());
    const removing = policy.cleanup.length > 0;
    showToast('ok', {
      title:
        policy.version === base.version
          ? t('No changes to save')
          : t('Saved as version {version}', { version: policy.version }),
      description: removing
        ? t('Policy rules are being removed from the workloads.')
        : policy.enabled && policy.definition.enforcement_mode === 'enforced'
          ? t('No workload has changed yet. Check the preview, then apply the policy.')
          : undefined,
    });
    router.push(paths.policy({ policyId: policy.id, tab: removing ? 'deployments' : 'preview' }));
  };
  const edit = useVersionedForm({
    opened: first,
    read: () => readAgain(trpc.policies.get.queryOptions({ id: first.id })),
    schema: loadPolicyChange,
    toValues: toPolicyValues,
    toInput: (values, { version }) => toPolicyChange(values, version),
    save: (input) => client.policies.update.mutate({ ...input, id: first.id }),
    onSaved: saved,
  });
  const { base, conflict } = edit;
  return (
    <>
      <PageTrail crumbs={[{ label: base.name, href: paths.policy({ policyId: base.id }) }, { label: t('Edit') }]} />
      <PageHeader
        title={t('Edit {name}', { name: base.name })}
        description={t('Version {version}', { version: base.version })}
      />
      {conflict && (
        <VersionConflict
          policyId={base.id}
          readVersion={base.version}
          theirVersion={conflict.version}
          pending={edit.pending}
          onOverwrite={edit.keepMine}
          onTakeTheirs={edit.takeTheirs}
        />
      )}
      <ChangeRefusal failure={edit.failure} />
      <PolicyForm
        key={base.version}
        form={edit.form}
        onSubmit={edit.submit}
        error={withoutProposed(edit.failure)}
        pending={edit.pending}
        saved={edit.saved || isKept}
        submitLabel={t('Save new version')}
        onSaveAsChange={setKept}
        tenantId={base.tenant_id}
        enforcedBefore={base.enabled && base.definition.enforcement_mode === 'enforced'}
        withReason
        impactOf={(change) => ({
          key: ['change', first.id, base.version, change],
          ask: (times, signal) =>
            client.impacts.ofPolicy.mutate({ id: first.id, ...toPreview(change, first.enabled), ...times }, { signal }),
        })}
        backTo={paths.policy({ policyId: base.id })}
      />
      {kept && (
        <SaveAsChange
          item={toChangeItem(base.id, kept)}
          title={t('Edit {name}', { name: base.name })}
          onClose={() => setKept(null)}
          onSaved={() => setIsKept(true)}
        />
      )}
    </>
  );
}
