'use client';
import { msg } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { declareList } from '../../shared/list/declare-list';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';
import { testColumns } from '../../shared/policy-tests/test-columns';

const TESTS = declareList({
  from: 'policyTests.list',
  name: 'tests-of-policy',
  label: msg('Policy tests'),
  noun: { one: msg('policy test'), many: msg('policy tests') },
  sorts: ['name', 'result'],
  defaultSort: 'name',
  filters: {},
  columns: testColumns,
  rowId: (test) => test.id,
  rowPath: (test) => paths.policyTest({ testId: test.id }),
  empty: {
    title: msg('No policy tests of these workloads'),
    text: msg('No test has an end that includes a workload of this policy.'),
    link: { label: msg('Show policy tests'), href: paths.policyTests() },
  },
});

/** The tests with an end that includes a workload of the policy: those that an apply may make fail. */
export function PolicyTests({ policyId }: { policyId: string }) {
  const list = useList(TESTS, { within: { policy_id: policyId } });
  return <ListView of={list} height="auto" />;
}
