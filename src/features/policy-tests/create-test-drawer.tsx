'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type PolicyTest, PolicyTestInput } from '@/domain/policy-tests/definition';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { RecordDrawer } from '../shared/record-drawer';
import { useTenantOptions } from '../shared/tenant-options';
import { TestFields } from './test-fields';
import { EMPTY_TEST, testFieldName, toTestInput } from './test-form-values';

type Props = { onClose: () => void; onCreated: (test: PolicyTest) => void };

/** Makes a test; its result is shown on its page. Mount it when it opens. */
export function CreateTestDrawer({ onClose, onCreated }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const tenants = useTenantOptions('policy_test:write');
  const create = useMutation(
    trpc.policyTests.create.mutationOptions({
      onSuccess: (test) => {
        void queryClient.invalidateQueries(trpc.policyTests.pathFilter());
        onCreated(test);
      },
    }),
  );
  return (
    <RecordDrawer
      title={t('Create policy test')}
      defaultValues={{ ...EMPTY_TEST, tenant_id: tenants[0]?.value ?? null }}
      schema={PolicyTestInput}
      toInput={toTestInput}
      save={create}
      submitLabel={t('Create policy test')}
      fieldName={testFieldName}
      onClose={onClose}
    >
      {(_control, form) => <TestFields form={form} tenants={tenants} />}
    </RecordDrawer>
  );
}
