'use client';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DeleteDialog } from '../shared/delete-dialog';

type Props = { test: Pick<PolicyTest, 'id' | 'name'>; onClose: () => void; onDeleted: () => void };

/** Asks before a test goes. No rule changes. */
export function DeleteTestDialog({ test, onClose, onDeleted }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  return (
    <DeleteDialog
      title={t('Delete policy test {name}?', { name: test.name })}
      confirmLabel={t('Delete policy test')}
      name={test.name}
      remove={() => client.policyTests.delete.mutate({ id: test.id })}
      outdated={[trpc.policyTests.pathFilter()]}
      onClose={onClose}
      onDeleted={onDeleted}
    >
      <p>{t('No rule changes. Fabric no longer evaluates the test and no longer stops an apply because of it.')}</p>
    </DeleteDialog>
  );
}
