'use client';
import { FlaskConical } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { POLICY_TEST_EXPECTATIONS, POLICY_TEST_RESULTS, POLICY_TEST_SORTS } from '@/domain/choices';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../shared/list/declare-list';
import { choice, inUrl, searched } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { PROJECT, WORKLOAD } from '../shared/list/sources';
import { useList } from '../shared/list/use-list';
import { testColumns } from '../shared/policy-tests/test-columns';
import { EXPECTATION_LABELS, RESULT_LABELS } from '../shared/policy-tests/test-labels';
import { usePermissions } from '../shared/use-permissions';
import { useAdding } from '../shared/use-url-state';
import { DeleteTestDialog } from './delete-test-dialog';

const CreateTestDrawer = loadOnOpening(() => import('./create-test-drawer').then((module) => module.CreateTestDrawer));

const TESTS = declareList({
  from: 'policyTests.list',
  name: 'policy-tests',
  title: msg('Policy tests'),
  label: msg('Policy tests'),
  noun: { one: msg('policy test'), many: msg('policy tests') },
  search: msg('Search policy tests'),
  sorts: POLICY_TEST_SORTS,
  defaultSort: 'name',
  filters: {
    result: choice(msg('Result'), POLICY_TEST_RESULTS, (one) => RESULT_LABELS[one].word),
    expect: choice(msg('Expectation'), POLICY_TEST_EXPECTATIONS, (one) => EXPECTATION_LABELS[one]),
    project_id: searched(msg('Project'), 'id_or_none', PROJECT, msg('Without project')),
    workload_id: searched(msg('Workload'), 'id', WORKLOAD),
    policy_id: inUrl('id'),
  },
  common: ['result'],
  columns: testColumns,
  rowId: (test) => test.id,
  rowPath: (test) => paths.policyTest({ testId: test.id }),
  add: {
    label: msg('Create policy test'),
    permission: 'policy_test:write',
  },
  empty: {
    icon: <FlaskConical />,
    title: msg('No policy tests yet'),
    text: msg(
      'A policy test states what must be allowed or denied. Fabric evaluates it whenever rules, groups or addresses change.',
    ),
  },
});

/** All policy tests with their results. */
export function TestList() {
  const t = useT();
  const router = useRouter();
  const { can, reason } = usePermissions();
  const whole = can('cluster:read');
  const [adding, setAdding] = useAdding('policy_test:write');
  const [deleting, setDeleting] = useState<PolicyTest | null>(null);
  const list = useList(TESTS);
  return (
    <>
      <ListView
        of={list}
        actions={
          whole && (
            <Link className={buttonClass()} href={paths.protectedConnections()}>
              {t('Protected connections')}
            </Link>
          )
        }
        onAdd={() => setAdding(true)}
        rowActions={(test) => ({
          name: test.name,
          entries: [
            {
              id: 'delete',
              label: t('Delete policy test'),
              tone: 'danger',
              onSelect: () => setDeleting(test),
              disabledReason: reason('policy_test:write', test),
            },
          ],
        })}
      />
      {adding && (
        <CreateTestDrawer
          onClose={() => setAdding(false)}
          onCreated={(test) => router.push(paths.policyTest({ testId: test.id }))}
        />
      )}
      {deleting && (
        <DeleteTestDialog test={deleting} onClose={() => setDeleting(null)} onDeleted={() => setDeleting(null)} />
      )}
    </>
  );
}
