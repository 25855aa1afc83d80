import type { PolicyTest } from '@/domain/policy-tests/definition';
import type { Translate } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { createColumnHelper } from '@/ui/columns';
import { Link } from '@/ui/link';
import { EXPECTATION_LABELS, packetText, RESULT_LABELS, serviceText } from './test-labels';
import { TestResult } from './test-views';

const make = createColumnHelper<PolicyTest>();

export const testColumns = (t: Translate) => [
  make.text('name', t('Name'), (test) => test.name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (test) => (
      <Link className="link" href={paths.policyTest({ testId: test.id })}>
        {test.name}
      </Link>
    ),
  }),
  make.custom('result', t('Result'), (test) => <TestResult test={test} />, {
    sortable: true,
    width: 120,
    csv: (test) => t(RESULT_LABELS[test.result].word),
  }),
  make.text('expect', t('Expectation'), (test) => t(EXPECTATION_LABELS[test.expect]), { width: 140 }),
  make.mono('from', t('From'), (test) => test.from.join(', '), { width: 150 }),
  make.mono('to', t('To'), (test) => test.to.join(', '), { width: 150 }),
  make.mono('service', t('Service'), (test) => serviceText(t, test), { width: 120 }),
  make.time('failing_since', t('Failing since'), (test) => test.failing_since, { sortable: true }),
  make.text('counterexample', t('Counterexample'), (test) => test.counterexample && packetText(test.counterexample), {
    hidden: true,
    width: 260,
  }),
  make.text('owner', t('Owner'), (test) => test.owner, { hidden: true, width: 130 }),
  make.text('reason', t('Reason'), (test) => test.reason, { hidden: true, width: 200 }),
  make.text('tenant_name', t('Tenant'), (test) => test.tenant_name, { hidden: true, width: 120 }),
  make.text('project_name', t('Project'), (test) => test.project_name, { hidden: true, width: 120 }),
  make.time('checked_at', t('Evaluated'), (test) => test.checked_at, { sortable: true, hidden: true }),
  make.time('updated_at', t('Changed'), (test) => test.updated_at, { sortable: true, hidden: true }),
  make.time('created_at', t('Created'), (test) => test.created_at, { sortable: true, hidden: true }),
];
