'use client';
import { type PolicyTest, PolicyTestUpdate } from '@/domain/policy-tests/definition';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { useVersioned } from '../shared/record-cache';
import { VersionedDrawer } from '../shared/versioned-form';
import { TestFields } from './test-fields';
import { testFieldName, toTestUpdate, toTestValues } from './test-form-values';

/** Changes a test. Mount it when it opens: what it read then guards against the changes of others. */
export function EditTestDrawer({ test, onClose }: { test: PolicyTest; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const stored = useVersioned({
    query: trpc.policyTests.get.queryOptions({ id: test.id }),
    saved: () => t('Policy test saved'),
    outdated: [trpc.policyTests.pathFilter()],
    onClose,
  });
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: test.name })}
      opened={test}
      {...stored}
      schema={PolicyTestUpdate}
      toValues={toTestValues}
      toInput={toTestUpdate}
      fieldName={testFieldName}
      save={(changes) => client.policyTests.update.mutate({ id: test.id, ...changes })}
      submitLabel={t('Save policy test')}
      outdatedTitle={t('Another user changed the policy test')}
    >
      {(form, base) => <TestFields form={form} owner={base} />}
    </VersionedDrawer>
  );
}
