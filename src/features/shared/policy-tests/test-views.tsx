import type { ReactNode } from 'react';
import type { PolicyPreview } from '@/domain/policy-preview';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { Status } from '@/ui/status';
import { Tooltip } from '@/ui/tooltip';
import { packetText, RESULT_LABELS, UNKNOWN_LABELS } from './test-labels';

/** Failing tests, each with the packet that shows it and what decides; those not visible are only counted. */
export function FailingTests({ tests, hidden }: { tests: readonly PolicyTest[]; hidden: number }) {
  const t = useT();
  return (
    <ul className="flex flex-col gap-1.5">
      {tests.map((test) => (
        <li key={test.id}>
          <Link className="link" href={paths.policyTest({ testId: test.id })}>
            {test.name}
          </Link>
          {test.counterexample && <span className="mono ml-2 text-sm">{packetText(test.counterexample)}</span>}
          {test.deciding && <p className="text-sm text-muted">{test.deciding.explanation}</p>}
        </li>
      ))}
      {hidden > 0 && (
        <li className="text-muted">
          {t('{n, plural, one {One test that you cannot view} other {# tests that you cannot view}}', { n: hidden })}
        </li>
      )}
    </ul>
  );
}

type Failing = Pick<PolicyPreview, 'failing_tests' | 'hidden_failing_tests'>;

/** How many policy tests would fail. */
export const countFailingTests = (preview: Failing | undefined): number =>
  preview ? preview.failing_tests.length + preview.hidden_failing_tests : 0;

/** The tests that would fail, if there are any. */
export function FailingTestsNotice({ preview, children }: { preview: Failing; children?: ReactNode }) {
  const t = useT();
  const n = countFailingTests(preview);
  if (n === 0) return null;
  return (
    <Notice
      tone="danger"
      title={t('{n, plural, one {One policy test would fail} other {# policy tests would fail}}', { n })}
    >
      <FailingTests tests={preview.failing_tests} hidden={preview.hidden_failing_tests} />
      {children}
    </Notice>
  );
}

/** The result of a test; why it is unknown is in the tooltip. */
export function TestResult({ test }: { test: Pick<PolicyTest, 'result' | 'unknown_reason'> }) {
  const t = useT();
  const { word, tone, meaning } = RESULT_LABELS[test.result];
  return (
    <Tooltip content={t(test.unknown_reason ? UNKNOWN_LABELS[test.unknown_reason] : meaning)} openOnTap>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the reason must be reachable by key. */}
      <span tabIndex={0} className="inline-flex min-w-0 rounded-sm">
        <Status tone={tone}>{t(word)}</Status>
      </span>
    </Tooltip>
  );
}
