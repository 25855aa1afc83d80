'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import type { DefaultValues, UseFormReturn } from 'react-hook-form';
import type { PolicyCreate } from '@/domain/policies';
import type { PolicyDraft } from '@/domain/policy-draft';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { showToast } from '@/ui/toast';
import { ChangeRefusal } from '../../shared/changes/change-refusal';
import { withoutProposed } from '../../shared/changes/proposed-change';
import { domainResolver, useCheckedForm } from '../../shared/domain-resolver';
import { NO_TENANT, useTenantChoice } from '../../shared/tenant-options';
import { PolicyForm } from './policy-form';
import { EMPTY_POLICY, type PolicyValues, toDraftValues, toPolicyCreate } from './policy-form-values';

const SaveAsChange = loadOnOpening(
  () => import('../../shared/changes/save-as-change').then((module) => module.SaveAsChange),
  () => true,
);

const loadPolicyCreate = () => import('@/domain/policies').then((module) => module.PolicyCreate);

type Props = {
  draft?: PolicyDraft;
  /** Above the form. */
  notice?: (form: UseFormReturn<PolicyValues, unknown, PolicyCreate>) => ReactNode;
};

/** The page with the form of a policy that does not exist yet, empty or with what a draft proposes. */
export function NewPolicyForm({ draft, notice }: Props) {
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
  const [kept, setKept] = useState<PolicyCreate | null>(null);
  const [isKept, setIsKept] = useState(false);
  const failure = create.error ? toFailure(create.error) : null;
  return (
    <>
      <PageTrail crumbs={[{ label: t('New policy') }]} />
      <PageHeader title={t('New policy')} />
      {notice?.(form)}
      <ChangeRefusal failure={failure} />
      <PolicyForm
        form={form}
        onSubmit={(input) => create.mutate(input)}
        error={withoutProposed(failure)}
        pending={create.isPending}
        saved={create.isSuccess || isKept}
        submitLabel={t('Create policy')}
        onSaveAsChange={setKept}
        tenants={tenants}
        impactOf={(policy) => ({
          key: ['draft', policy],
          ask: (times, signal) => client.impacts.ofDraft.mutate({ policy, ...times }, { signal }),
        })}
        backTo={paths.policies()}
      />
      {kept && (
        <SaveAsChange
          item={{ kind: 'policy', policy: kept }}
          title={t('Create {name}', { name: kept.name })}
          onClose={() => setKept(null)}
          onSaved={() => setIsKept(true)}
        />
      )}
    </>
  );
}
