import type { PolicyPreview } from '@/domain/policy-preview';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';
import { TextInput } from '@/ui/text-input';
import { FailingTests } from '../../shared/policy-tests/test-views';

type Failing = Pick<PolicyPreview, 'failing_tests' | 'hidden_failing_tests'>;

/** How many policy tests would fail. */
export const failingTotal = (preview: Failing | undefined): number =>
  preview ? preview.failing_tests.length + preview.hidden_failing_tests : 0;

/** A reason of this length is enough. */
export const LEAST_REASON = 3;

type Props = {
  preview: Failing;
  /** Null: the user may not override them. */
  reason: string | null;
  onReasonChange: (reason: string) => void;
};

/** The tests that would fail, and the reason to apply nevertheless. */
export function OverrideTests({ preview, reason, onReasonChange }: Props) {
  const t = useT();
  return (
    <Notice
      tone="danger"
      title={t('{n, plural, one {One policy test would fail} other {# policy tests would fail}}', {
        n: failingTotal(preview),
      })}
    >
      <FailingTests tests={preview.failing_tests} hidden={preview.hidden_failing_tests} />
      {reason === null ? (
        <p>{t('Change the policy, or ask someone who may override policy tests.')}</p>
      ) : (
        <TextInput
          aria-label={t('Reason to apply nevertheless')}
          placeholder={t('Reason to apply nevertheless')}
          value={reason}
          onChange={(event) => onReasonChange(event.target.value)}
          maxLength={500}
          className="mt-2"
        />
      )}
    </Notice>
  );
}
