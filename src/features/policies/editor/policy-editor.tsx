'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearchParams } from 'next/navigation';
import type { DefaultValues } from 'react-hook-form';
import type { ChangedPolicy, Policy, PolicyCreate } from '@/domain/policies';
import type { PolicyDraft } from '@/domain/policy-draft';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { EmptyState } from '@/ui/empty-state';
import { loadLater } from '@/ui/load-on-opening';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { showToast } from '@/ui/toast';
import { DetailSkeleton, useDocumentTitle } from '../../shared/detail-page';
import { domainResolver, useCheckedForm } from '../../shared/domain-resolver';
import { QueryView } from '../../shared/query-view';
import { useReadAgain } from '../../shared/record-cache';
import { NO_TENANT, useTenantChoice } from '../../shared/tenant-options';
import { usePermissions } from '../../shared/use-permissions';
import { useVersionedForm } from '../../shared/use-versioned-form';
import { draftName } from './draft-name';
import { DraftNotice } from './draft-notice';
import { PolicyForm } from './policy-form';
import {
  EMPTY_POLICY,
  type PolicyValues,
  toDraftValues,
  toPolicyChange,
  toPolicyCreate,
  toPolicyValues,
  toPreview,
} from './policy-form-values';

// Only seldom does someone else save in the meantime.
const VersionConflict = loadLater(() => import('./version-conflict').then((module) => module.VersionConflict));

const loadPolicyCreate = () => import('@/domain/policies').then((module) => module.PolicyCreate);
const loadPolicyChange = () => import('@/domain/policies').then((module) => module.PolicyChange);

/** The page on which a policy is written: a new one without an id. */
export function PolicyEditor({ policyId }: { policyId?: string }) {
  const { reason } = usePermissions();
  const refused = reason('policy:write');
  if (refused) return <Refused>{refused}</Refused>;
  return policyId === undefined ? <NewPolicy /> : <ExistingPolicy policyId={policyId} />;
}

function Refused({ children }: { children: string }) {
  const t = useT();
  return <EmptyState title={t('You have read-only access to policies')}>{children}</EmptyState>;
}

function NewPolicy() {
  const params = useSearchParams();
  return params.has('draft') ? <DraftedPolicy link={params.toString()} /> : <NewPolicyForm />;
}

/** A new policy with what the service proposes for observed traffic or for workloads. */
function DraftedPolicy({ link }: { link: string }) {
  const t = useT();
  const client = useTRPCClient();
  // Proposed once: later changes of the inventory do not overwrite what the author typed.
  const query = useQuery({
    queryKey: ['policy-draft', link],
    queryFn: async ({ signal }) => {
      const { parseDraftLink } = await import('../../shared/policy-draft/parse-draft-link');
      const asked = parseDraftLink(new URLSearchParams(link));
      return asked && { ...(await client.policies.draft.mutate(asked, { signal })), action: asked.action };
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  });
  const settled = query.isFetchedAfterMount || query.isError;
  return (
    <QueryView query={settled ? query : { ...query, data: undefined }} skeleton={<DetailSkeleton />}>
      {(draft) => <NewPolicyForm draft={draft ? { ...draft, name: draftName(t, draft, draft.action) } : undefined} />}
    </QueryView>
  );
}

function NewPolicyForm({ draft }: { draft?: PolicyDraft }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const { options: tenants, first } = useTenantChoice('policy:write');
  const owner = draft && (draft.tenant_id ?? NO_TENANT);
  const tenant_id = tenants.some(({ value }) => value === owner) ? owner : first;
  const form = useCheckedForm<PolicyValues, unknown, PolicyCreate>({
    defaultValues: {
      ...(draft ? { ...toDraftValues(draft), project_id: draft.project_id } : EMPTY_POLICY),
      tenant_id,
    } as DefaultValues<PolicyValues>,
    resolver: domainResolver(loadPolicyCreate, toPolicyCreate),
  });
  const create = useMutation(
    trpc.policies.create.mutationOptions({
      onSuccess: (policy) => {
        void queryClient.invalidateQueries(trpc.policies.pathFilter());
        showToast('ok', {
          title: t('{name} created', { name: policy.name }),
          description: t('Check the preview before you apply the policy.'),
        });
        // One that is enforced is created to be applied: its preview opens with the button that confirms it.
        const apply = policy.enabled && policy.definition.enforcement_mode === 'enforced';
        router.push(paths.policy({ policyId: policy.id, tab: 'preview', ...(apply && { apply }) }));
      },
    }),
  );
  return (
    <>
      <PageTrail crumbs={[{ label: t('New policy') }]} />
      <PageHeader title={t('New policy')} />
      {draft && <DraftNotice draft={draft} form={form as never} />}
      <PolicyForm
        form={form}
        onSubmit={(input) => create.mutate(input)}
        error={create.error ? toFailure(create.error) : null}
        pending={create.isPending}
        saved={create.isSuccess}
        submitLabel={t('Create policy')}
        tenants={tenants}
        impactOf={(policy) => ({
          key: ['draft', policy],
          ask: (times, signal) => client.impacts.ofDraft.mutate({ policy, ...times }, { signal }),
        })}
        backTo={paths.policies()}
      />
    </>
  );
}

function ExistingPolicy({ policyId }: { policyId: string }) {
  const t = useT();
  const { reason } = usePermissions();
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
      {(policy) => {
        const refused = reason('policy:write', policy);
        return refused ? <Refused>{refused}</Refused> : <EditPolicy first={policy} />;
      }}
    </QueryView>
  );
}

function EditPolicy({ first }: { first: Policy }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const router = useRouter();
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
      <PolicyForm
        key={base.version}
        form={edit.form}
        onSubmit={edit.submit}
        error={edit.failure}
        pending={edit.pending}
        saved={edit.saved}
        submitLabel={t('Save new version')}
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
    </>
  );
}
